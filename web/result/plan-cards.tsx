import { changeText as changeWords, rangeTexts } from "../../show/remarks.ts";
import { percent } from "../../show/sentences.ts";
import type { Explanation } from "../../src/explanation.ts";
import { Scroll } from "../parts/controls.tsx";
import type { ShownPlan, ShownPlans } from "../state/plans.ts";
import type { PersonView } from "../state/play.ts";
import type { Said } from "../words/said.ts";
import { useSaid } from "../words/use-said.ts";
import type { PartProps } from "./part.ts";
import { changeText, scoreText } from "./words.ts";

interface Props extends PartProps {
  readonly person: PersonView;
  readonly shown: ShownPlans;
}

/** Every plan as a card: a click loads its values, pinned ones stand side by side. */
export function PlanCards({ studio, result, person, shown }: Props) {
  const said = useSaid();
  const { say } = said;
  const { explanation, live } = result;
  const { cards, complete, proven, more } = shown;
  if (cards.length === 0 || cards[0]!.edits.length === 0) return null;
  const smallest = cards.filter(({ kind }) => kind === "smallest");
  const pinned = cards.filter(({ key }) => person.pinned.includes(key));
  const counts = { count: String(smallest.length), edits: String(smallest[0]?.edits.length ?? 0) };
  return (
    <>
      <h4>{say("plansToChoose")}</h4>
      <p className="note">
        {say(complete ? "allSmallest" : proven ? "provenSmallest" : "someSmallest", counts)}
      </p>
      <ul className="cards">
        {cards.map((card) => (
          <li key={`${card.kind} ${card.key}`} className={isLoaded(card, person) ? "loaded" : ""}>
            <strong>{say(`plan_${card.kind === "less change" ? "further" : card.kind}`)}</strong>
            <span>{titleOf(card, explanation, said)}</span>
            <small>{factsOf(card, explanation, said)}</small>
            <span className="row">
              {live ? (
                <button type="button" onClick={() => studio.actions.load(valuesOf(card))}>
                  {say("loadPlan")}
                  <span className="unseen"> {titleOf(card, explanation, said)}</span>
                </button>
              ) : null}
              <button
                type="button"
                aria-pressed={person.pinned.includes(card.key)}
                onClick={() => studio.actions.pin(card)}
              >
                {say("pinPlan")}
                <span className="unseen"> {titleOf(card, explanation, said)}</span>
              </button>
            </span>
          </li>
        ))}
      </ul>
      {more > 0 ? <p className="note">{say("moreWays", { count: String(more) })}</p> : null}
      {cards.some(({ kind }) => kind === "less change") ? (
        <Front
          cards={cards}
          explanation={explanation}
          onLoad={(card) => studio.actions.load(valuesOf(card))}
        />
      ) : null}
      {pinned.length > 1 ? <SideBySide plans={pinned} explanation={explanation} /> : null}
    </>
  );
}

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [280, 130, 48, 24, 22, 36];

/** How much less changes with more edits; a click loads the plan, as its card does. */
function Front({
  cards,
  explanation,
  onLoad,
}: {
  readonly cards: readonly ShownPlan[];
  readonly explanation: Explanation;
  readonly onLoad: (card: ShownPlan) => void;
}) {
  const said = useSaid();
  const points = cards.flatMap((card) =>
    card.kind === "sturdy" || card.change === undefined ? [] : [{ card, change: card.change }],
  );
  const changes = points.map(({ change }) => change);
  const edits = points.map(({ card }) => card.edits.length);
  const [low, high, least, most] = [edits, changes].flatMap((all) => [
    Math.min(...all),
    Math.max(...all),
  ]) as [number, number, number, number];
  const part = (value: number, from: number, to: number): number =>
    to > from ? (value - from) / (to - from) : 0.5;
  const x = (count: number): number => LEFT + 20 + (WIDTH - LEFT - RIGHT - 20) * part(count, low, high);
  const y = (change: number): number =>
    TOP + 8 + (HEIGHT - TOP - BOTTOM - 16) * (1 - part(change, least, most));
  return (
    <figure className="front">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width={WIDTH} role="img" aria-label={said.say("frontLabel")}>
        <path className="rail" d={`M${LEFT},${TOP}V${HEIGHT - BOTTOM}H${WIDTH - 4}`} />
        {points.map(({ card, change }) => (
          // biome-ignore lint/a11y/noStaticElementInteractions: its card has a button that does the same
          <circle
            key={`${card.kind} ${card.key}`}
            cx={x(card.edits.length)}
            cy={y(change)}
            r="6"
            onClick={() => onLoad(card)}
          >
            <title>{`${titleOf(card, explanation, said)} · ${factsOf(card, explanation, said)}`}</title>
          </circle>
        ))}
        {[...new Set([least, most])].map((change) => (
          <text key={change} x={LEFT - 6} y={y(change) + 4} textAnchor="end">
            {changeWords(change, said.locale)}
          </text>
        ))}
        {[...new Set(edits)].map((count) => (
          <text key={count} x={x(count)} y={HEIGHT - BOTTOM + 14} textAnchor="middle">
            {count}
          </text>
        ))}
        <text x="2" y="12">
          {said.say("columnChange")}
        </text>
        <text x={WIDTH - 4} y={HEIGHT - 6} textAnchor="end">
          {said.say("columnEdits")}
        </text>
      </svg>
      <figcaption>{said.say("frontNote")}</figcaption>
    </figure>
  );
}

const valuesOf = ({ edits }: ShownPlan) => Object.fromEntries(edits.map(({ feature, to }) => [feature, to]));

function isLoaded(card: ShownPlan, { play }: PersonView): boolean {
  const names = Object.keys(play.values);
  return (
    names.length === card.edits.length && card.edits.every(({ feature, to }) => play.values[feature] === to)
  );
}

function titleOf({ edits }: ShownPlan, { schema }: Explanation, { say, locale }: Said): string {
  return edits.map((edit) => changeText(schema, edit, locale)).join(` ${say("and")} `);
}

function factsOf(card: ShownPlan, explanation: Explanation, { say, locale }: Said): string {
  const facts = [
    say("editCount", { count: String(card.edits.length) }),
    ...(card.change === undefined ? [] : [say("changeFact", { change: changeWords(card.change, locale) })]),
    ...(card.after === null ? [] : [`${explanation.output} ${scoreText(explanation, card.after, locale)}`]),
    ...(card.survival ? [survivalText(card, say)] : []),
  ];
  return facts.join(" · ");
}

function survivalText({ survival }: ShownPlan, say: Said["say"]): string {
  const { share, low, high, models } = survival!;
  return say("holdsIn", {
    share: percent(share),
    low: percent(low),
    high: percent(high),
    models: String(models),
  });
}

/** Which values are enough, in the words of the report. */
function enough(plan: ShownPlan, { schema }: Explanation, { locale }: Said): string {
  const { edits, ranges } = plan;
  return rangeTexts(schema, { edits, ranges: ranges ?? [] }, locale).join("; ") || "–";
}

function SideBySide({
  plans,
  explanation,
}: {
  readonly plans: readonly ShownPlan[];
  readonly explanation: Explanation;
}) {
  const said = useSaid();
  const { say, locale } = said;
  const line = (name: string, cell: (plan: ShownPlan) => string) => (
    <tr key={name}>
      <th scope="row">{name}</th>
      {plans.map((plan) => (
        <td key={plan.key}>{cell(plan)}</td>
      ))}
    </tr>
  );
  return (
    <Scroll label={say("sideBySide")}>
      <table className="side-by-side">
        <caption>{say("sideBySide")}</caption>
        <thead>
          <tr>
            <th scope="col">{say("plan")}</th>
            {plans.map((plan) => (
              <th key={plan.key} scope="col">
                {titleOf(plan, explanation, said)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {line(say("columnEdits"), ({ edits }) => String(edits.length))}
          {line(say("columnChange"), ({ change }) =>
            change === undefined ? "–" : changeWords(change, locale),
          )}
          {line(explanation.output, ({ after }) =>
            after === null ? "–" : scoreText(explanation, after, locale),
          )}
          {line(say("enoughValues"), (plan) => enough(plan, explanation, said))}
          {plans.some(({ survival }) => survival)
            ? line(say("survives"), (plan) => (plan.survival ? survivalText(plan, say) : "–"))
            : null}
        </tbody>
      </table>
    </Scroll>
  );
}
