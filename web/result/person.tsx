import { translate } from "../../show/messages.ts";
import { principalReasons, type ReasonCodes } from "../../show/reasons.ts";
import { remarks, withChange } from "../../show/remarks.ts";
import { edgesOf, formatCell, proofSentence, sentence } from "../../show/sentences.ts";
import { labelOf } from "../../src/data/schema.ts";
import type { ExplainedRow, Explanation, Plan } from "../../src/explanation.ts";
import { Fold, Lock } from "../parts/controls.tsx";
import type { PersonView } from "../state/view.ts";
import type { Studio } from "../studio.ts";
import { useSaid } from "../words/use-said.ts";
import type { PartProps } from "./result-view.tsx";
import { Waterfall } from "./waterfall.tsx";
import { changeText, featureOf, personName, SIGNS, scoreText, signOf, statusWords } from "./words.ts";

interface Props extends PartProps {
  readonly person: PersonView;
}

/** One person: the plan in sentences, why the score is what it is, other plans, and what if something is held. */
export function PersonPanel({ studio, result, person }: Props) {
  const { say, locale } = useSaid();
  const { explanation, live } = result;
  const { position, held, answer, waiting } = person;
  const planned = explanation.rows[position]!;
  const row = held.length > 0 && answer ? answer : planned;
  const others = (row === planned && planned.alternatives.length > 0 ? planned : answer)?.alternatives ?? [];
  const { hold, look } = studio.actions;
  const name = personName(planned, locale);
  return (
    <section className="person-panel" aria-label={say("planFor", { name })} aria-busy={waiting}>
      <header>
        <h3>{name}</h3>
        <span className={`badge ${row.valid ? "good" : "bad"}`}>{say(statusWords(row))}</span>
        <button type="button" className="quiet" aria-label={say("closePerson")} onClick={() => look(null)}>
          ✕
        </button>
      </header>
      <Track explanation={explanation} row={row} />
      <h4>{say("whatWouldChange")}</h4>
      <PlanSteps
        explanation={explanation}
        row={row}
        {...(live ? { onHold: (feature: string) => hold([...held, feature]) } : {})}
      />
      {held.length > 0 ? <Held studio={studio} explanation={explanation} held={held} /> : null}
      <Answered person={person} />
      <Proof explanation={explanation} row={row} />
      <OtherPlans explanation={explanation} plans={others} />
      <h4>{say("whyScore")}</h4>
      <Reasons explanation={explanation} row={row} codes={studio.state.view.codes} />
      <Waterfall schema={explanation.schema} row={row} />
      <AllValues studio={studio} explanation={explanation} row={row} />
    </section>
  );
}

interface RowProps {
  readonly explanation: Explanation;
  readonly row: ExplainedRow;
}

function Held({
  studio,
  explanation,
  held,
}: {
  readonly studio: Studio;
  readonly explanation: Explanation;
  readonly held: readonly string[];
}) {
  const { say } = useSaid();
  return (
    <div className="held">
      <span>{say("held")}</span>
      {held.map((name) => (
        <button
          key={name}
          type="button"
          onClick={() => studio.actions.hold(held.filter((one) => one !== name))}
        >
          <Lock /> {labelOf(featureOf(explanation.schema, name))}
          <span className="unseen"> – {say("letChange")}</span>
          <span aria-hidden="true"> ✕</span>
        </button>
      ))}
    </div>
  );
}

/** What became of the last question about the person. */
function Answered({ person: { held, waiting, trouble, tookMs } }: Pick<Props, "person">) {
  const { say, tell } = useSaid();
  const sentence = (): string => {
    if (trouble) return tell(trouble);
    if (held.length === 0) return "";
    if (waiting) return say("askingAgain");
    return tookMs === null ? "" : say("answeredAgain", { ms: String(Math.max(1, Math.round(tookMs))) });
  };
  return (
    <p className="note" role="status">
      {sentence()}
    </p>
  );
}

/** What is proven of the plan, or why there is none. */
function Proof({ explanation, row }: RowProps) {
  const { say, locale } = useSaid();
  const { proof, reason, relaxation } = row;
  return (
    <>
      {proof ? (
        <p className="note">
          {locale.words.provenPrefix} {proofSentence(proof, locale, explanation.schema)}
        </p>
      ) : null}
      {remarks(explanation.schema, row, locale).map((note) => (
        <p key={note} className="note">
          {note}
        </p>
      ))}
      {reason ? <p className="note">{translate(reason, locale)}</p> : null}
      {relaxation ? (
        <p className="note">
          {say("wouldTake", {
            feature: labelOf(featureOf(explanation.schema, relaxation.feature)),
            edits: String(relaxation.edits),
          })}
        </p>
      ) : null}
    </>
  );
}

function OtherPlans({
  explanation,
  plans,
}: {
  readonly explanation: Explanation;
  readonly plans: readonly Plan[];
}) {
  const { say, locale } = useSaid();
  if (plans.length === 0) return null;
  return (
    <>
      <h4>{say("alternatives")}</h4>
      <ul className="others">
        {plans.map((plan) => (
          <li key={plan.edits.map((edit) => edit.feature).join()}>
            {withChange(
              plan.edits.map((edit) => changeText(explanation.schema, edit, locale)).join(` ${say("and")} `),
              plan,
              locale,
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

function PlanSteps({ explanation, row, onHold }: RowProps & { readonly onHold?: (feature: string) => void }) {
  const { say, locale } = useSaid();
  const { schema } = explanation;
  if (row.edits.length === 0) return <p>{say(row.valid ? "nothingHasTo" : "noPlan")}</p>;
  return (
    <ul className="plan">
      {row.edits.map((edit) => {
        const sign = signOf(schema, edit);
        const name = labelOf(featureOf(schema, edit.feature));
        return (
          <li key={edit.feature}>
            <i className={sign} aria-hidden="true">
              {SIGNS[sign]}
            </i>
            <span>{sentence(schema, edit, locale)}</span>
            {onHold ? (
              <button type="button" onClick={() => onHold(edit.feature)}>
                {say("lock")}
                <span className="unseen"> {say("lockAndTry", { name })}</span>
              </button>
            ) : null}
          </li>
        );
      })}
    </ul>
  );
}

/** What pulls the score away from the references, in words, the largest first: never what to do about it. */
function Reasons({ explanation, row, codes }: RowProps & { readonly codes: ReasonCodes }) {
  const { locale } = useSaid();
  const reasons = principalReasons(explanation.schema, row, { codes, locale });
  if (reasons.length === 0) return null;
  return (
    <ol className="reasons">
      {reasons.map(({ feature, code, text, changeable }) => (
        <li key={feature}>
          {code ? <code>{code} </code> : null}
          {text}
          {changeable ? null : <small> ({locale.words.reasonLocked})</small>}
        </li>
      ))}
    </ol>
  );
}

/** Before and after on the score's line, with the edge that has to be crossed. */
function Track({ explanation, row }: RowProps) {
  const { locale } = useSaid();
  const { before, after } = row;
  if (before === null) return null;
  const edges = edgesOf(explanation.goal, explanation.outputs.length);
  const scale = explanation.outputs.length > 1 || (before >= 0 && before <= 1 && (after ?? 0) <= 1);
  const at = (score: number): string => `${2 + 96 * Math.min(1, Math.max(0, score))}%`;
  return (
    <>
      <p className="scores">
        {explanation.output}: {scoreText(explanation, before, locale)}
        {after === null ? "" : ` → ${scoreText(explanation, after, locale)}`}
      </p>
      {scale ? (
        <svg className="track" aria-hidden="true" width="100%" height="20">
          <line className="rail" x1="2%" x2="98%" y1="10" y2="10" />
          {edges.map((edge) => (
            <line key={edge} className="edge" x1={at(edge)} x2={at(edge)} y1="1" y2="19" />
          ))}
          {after === null ? null : <line className="move" x1={at(before)} x2={at(after)} y1="10" y2="10" />}
          <circle className="from" cx={at(before)} cy="10" r="6" />
          {after === null ? null : <circle className="to" cx={at(after)} cy="10" r="6" />}
        </svg>
      ) : null}
    </>
  );
}

function AllValues({ studio, explanation, row }: RowProps & { readonly studio: Studio }) {
  const { say, locale } = useSaid();
  const to = new Map(row.edits.map((edit) => [edit.feature, edit.to]));
  return (
    <Fold studio={studio} id="all values" summary={say("allValues")}>
      <table>
        <thead>
          <tr>
            <th scope="col">{say("feature")}</th>
            <th scope="col">{say("now")}</th>
            <th scope="col">{say("inPlan")}</th>
          </tr>
        </thead>
        <tbody>
          {explanation.schema.features.map((feature, k) => (
            <tr key={feature.name}>
              <th scope="row">{labelOf(feature)}</th>
              <td>{formatCell(row.x[k] ?? null, locale)}</td>
              <td>
                {to.has(feature.name) ? <b>{formatCell(to.get(feature.name) ?? null, locale)}</b> : "–"}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Fold>
  );
}
