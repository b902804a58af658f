import { edgesOf, formatNumber, formatScore } from "../../show/sentences.ts";
import type { ExplainedRow, Explanation } from "../../src/explanation.ts";
import type { ShownPlan } from "../state/plans.ts";
import type { PersonView } from "../state/play.ts";
import { useSaid } from "../words/use-said.ts";
import { scoreText } from "./words.ts";

interface TrackProps {
  readonly explanation: Explanation;
  readonly planned: ExplainedRow;
  readonly plan: ShownPlan | undefined;
  readonly person: PersonView;
}

/** Before, after the plan and with the values that are tried, on the score's line with the edge that has to be crossed. */
export function Track({ explanation, planned, plan, person }: TrackProps) {
  const { say, locale } = useSaid();
  const { before } = planned;
  if (before === null) return null;
  const { goal, outputs } = explanation;
  const after = plan ? plan.after : planned.after;
  const trying = Object.keys(person.play.values).length > 0;
  const live = trying && person.tried ? person.tried.is.score : null;
  const edges = edgesOf(goal, outputs.length);
  const scores = [before, after ?? before, live ?? before];
  const scale = outputs.length > 1 || scores.every((score) => score >= 0 && score <= 1);
  const at = (score: number): string => `${2 + 96 * Math.min(1, Math.max(0, score))}%`;
  return (
    <>
      <p className="scores">
        {explanation.output}: {scoreText(explanation, before, locale)}
        {after === null ? "" : ` → ${scoreText(explanation, after, locale)}`}
      </p>
      {goal.kind === "each" && edges.length === 0 ? (
        <p className="hint">
          {say("contestNote", { output: explanation.output, count: String(outputs.length) })}
        </p>
      ) : null}
      {scale ? (
        <svg className="track" aria-hidden="true" width="100%" height={edges.length > 0 ? 38 : 24}>
          <line className="rail" x1="2%" x2="98%" y1="10" y2="10" />
          {edges.map((edge) => (
            <g key={edge}>
              <line className="edge" x1={at(edge)} x2={at(edge)} y1="1" y2="22" />
              <text x={at(edge)} y="35" textAnchor="middle">
                {say("threshold", { value: formatNumber(edge, locale) })}
              </text>
            </g>
          ))}
          {after === null ? null : <line className="move" x1={at(before)} x2={at(after)} y1="10" y2="10" />}
          <circle className="from" cx={at(before)} cy="10" r="6" />
          {after === null ? null : <circle className="to" cx={at(after)} cy="10" r="6" />}
          {live === null ? null : <rect className="live" x={at(live)} y="1" width="5" height="18" rx="2" />}
        </svg>
      ) : null}
      <LiveScore
        explanation={explanation}
        person={person}
        text={live === null ? "" : formatScore(live, edges, locale)}
      />
    </>
  );
}

/** What the model says of the values that are tried. */
function LiveScore({
  explanation,
  person,
  text,
}: {
  readonly explanation: Explanation;
  readonly person: PersonView;
  readonly text: string;
}) {
  const { say } = useSaid();
  const { tried } = person;
  const reached = explanation.goal.kind === "each" && tried?.is.reached;
  return (
    <p className={`live-score ${text === "" ? "" : reached ? "good" : "bad"}`} role="status">
      {text === "" || !tried
        ? ""
        : say(explanation.goal.kind === "group" ? "scoreOfThese" : reached ? "scoreReaches" : "scoreFalls", {
            output: explanation.output,
            score: text,
          })}
    </p>
  );
}
