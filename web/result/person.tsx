import type { KeyboardEvent } from "react";
import { translate } from "../../show/messages.ts";
import { principalReasons, type ReasonCodes } from "../../show/reasons.ts";
import { remarks } from "../../show/remarks.ts";
import { capital, proofSentence, sentence } from "../../show/sentences.ts";
import { labelOf } from "../../src/data/schema.ts";
import type { ExplainedRow, Explanation, Plan } from "../../src/explanation.ts";
import { Lock } from "../parts/controls.tsx";
import { inForce } from "../state/plans.ts";
import type { PersonView } from "../state/play.ts";
import type { Studio } from "../studio.ts";
import { useSaid } from "../words/use-said.ts";
import type { PartProps } from "./part.ts";
import { PlanCards } from "./plan-cards.tsx";
import { Track } from "./track.tsx";
import { Waterfall } from "./waterfall.tsx";
import { WhatIf } from "./what-if.tsx";
import { featureOf, markOf, personName, SIGNS, signOf, statusWords } from "./words.ts";

interface Props extends PartProps {
  readonly person: PersonView;
}

/** One person: the plans, what may be tried, and why the score is what it is: that does not change by trying. */
export function PersonPanel({ studio, result, person }: Props) {
  const { say, locale } = useSaid();
  const { explanation, live } = result;
  const { position, waiting, kind, play } = person;
  const planned = explanation.rows[position]!;
  const { look, difficulty } = studio.actions;
  const { shown, plan, answer: row, row: now } = inForce(planned, person);
  const each = explanation.goal.kind === "each";
  const sturdy = shown.cards.find((card) => card.kind === "sturdy");
  const asked = Object.keys(play.difficulty).length > 0;
  const name = personName(planned, locale);
  const mark = markOf(explanation, now);
  const close = (): void => {
    look(null);
    document.querySelector<HTMLElement>("[role=grid]")?.focus({ preventScroll: true });
  };
  const onKeyDown = (e: KeyboardEvent): void => {
    if (e.key === "Escape") close();
  };
  return (
    <section
      className="person-panel"
      aria-label={say("planFor", { name })}
      aria-busy={waiting}
      onKeyDown={onKeyDown}
    >
      <div className="person-top">
        <header>
          <h3>{name}</h3>
          <span className={`badge ${mark}`}>{say(each ? statusWords(now) : "withTheGroup")}</span>
          {each ? (
            <button type="button" className="letter-button" onClick={() => void studio.actions.letter()}>
              {say("letter")}
            </button>
          ) : null}
          <button type="button" className="quiet" aria-label={say("closePerson")} onClick={close}>
            ✕
          </button>
        </header>
        <Track explanation={explanation} planned={planned} plan={plan} person={person} />
      </div>
      <h4>{say("whatWouldChange")}</h4>
      {sturdy ? <KindSwitch studio={studio} kind={kind} /> : null}
      {waiting && asked && !shown.answer && !plan ? (
        <p>{say("askingAgain")}</p>
      ) : (
        <PlanSteps
          explanation={explanation}
          plan={plan ?? row}
          nothing={say(plan || row.valid ? "nothingHasTo" : "noPlan")}
          {...(live && each ? { onHold: (feature: string) => difficulty(feature, "never") } : {})}
        />
      )}
      <Held studio={studio} explanation={explanation} person={person} />
      <Answered person={person} />
      {row.valid && plan && plan.edits.length < row.edits.length ? null : (
        <Proof explanation={explanation} row={row} />
      )}
      {each ? <PlanCards studio={studio} result={result} person={person} shown={shown} /> : null}
      <WhatIf studio={studio} result={result} person={person} plan={plan} />
      <h4>{say("whyScore")}</h4>
      <Reasons explanation={explanation} row={planned} codes={studio.state.view.codes} />
      <Waterfall schema={explanation.schema} row={planned} />
    </section>
  );
}

interface RowProps {
  readonly explanation: Explanation;
  readonly row: ExplainedRow;
}

/** The plan of fewest edits, or the one that other models accept too. */
function KindSwitch({ studio, kind }: { readonly studio: Studio; readonly kind: PersonView["kind"] }) {
  const { say } = useSaid();
  return (
    <fieldset className="row switch">
      <legend className="unseen">{say("whichPlan")}</legend>
      {(["smallest", "sturdy"] as const).map((one) => (
        <label key={one} className="check">
          <input
            type="radio"
            name="kind-of-plan"
            checked={kind === one}
            onChange={() => studio.send({ type: "kind", kind: one })}
          />
          {say(`kindPlan_${one}`)}
        </label>
      ))}
    </fieldset>
  );
}

interface HeldProps {
  readonly studio: Studio;
  readonly explanation: Explanation;
  readonly person: PersonView;
}

function Held({ studio, explanation, person }: HeldProps) {
  const { say } = useSaid();
  const held = Object.entries(person.play.difficulty).flatMap(([name, how]) =>
    how === "never" ? [name] : [],
  );
  if (held.length === 0) return null;
  return (
    <div className="held">
      <span>{say("held")}</span>
      {held.map((name) => (
        <button key={name} type="button" onClick={() => studio.actions.difficulty(name, null)}>
          <Lock /> {labelOf(featureOf(explanation.schema, name))}
          <span className="unseen"> – {say("letChange")}</span>
          <span aria-hidden="true"> ✕</span>
        </button>
      ))}
    </div>
  );
}

/** What became of the last question about the person. */
function Answered({ person: { play, waiting, trouble, tookMs } }: Pick<Props, "person">) {
  const { say, tell } = useSaid();
  const sentence = (): string => {
    if (trouble) return tell(trouble);
    if (Object.keys(play.difficulty).length === 0) return "";
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
          {capital(note)}
        </p>
      ))}
      {reason ? <p className="note">{capital(translate(reason, locale))}</p> : null}
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

interface StepsProps {
  readonly explanation: Explanation;
  readonly plan: Plan;
  /** What is said where nothing is planned. */
  readonly nothing: string;
  readonly onHold?: (feature: string) => void;
}

function PlanSteps({ explanation: { schema }, plan, nothing, onHold }: StepsProps) {
  const { say, locale } = useSaid();
  if (plan.edits.length === 0) return <p>{nothing}</p>;
  return (
    <ul className="plan">
      {plan.edits.map((edit) => {
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
