import { useEffect, useRef, useState } from "react";
import { principalReasons, type ReasonCodes } from "../../show/reasons.ts";
import { edgesOf, formatCell, proofSentence, sentence } from "../../show/sentences.ts";
import { labelOf } from "../../src/data/schema.ts";
import type { ExplainedRow, Explanation } from "../../src/explanation.ts";
import { Lock } from "../parts/controls.tsx";
import { engine, type Trouble, troubleOf } from "../studio.ts";
import { Waterfall } from "./waterfall.tsx";
import { changeText, featureOf, personName, SIGNS, scoreText, signOf, statusText } from "./words.ts";

interface Props {
  readonly explanation: Explanation;
  /** Position in the explanation. */
  readonly position: number;
  readonly live: boolean;
  readonly codes: ReasonCodes;
  readonly onClose: () => void;
}

/** One person: the plan in sentences, why the score is what it is, other plans, and what if something is held. */
export function PersonPanel({ explanation, position, live, codes, onClose }: Props) {
  const planned = explanation.rows[position]!;
  const { held, answer, tookMs, trouble, busy, hold } = useHolding(explanation, position, live);
  const row = held.length > 0 && answer ? answer : planned;
  const others = (row === planned ? (planned.alternatives.length > 0 ? planned : answer) : answer)
    ?.alternatives;
  return (
    <section className="person-panel" aria-label={`Plan for ${personName(planned)}`} aria-busy={busy}>
      <header>
        <h3>{personName(planned)}</h3>
        <span className={`badge ${row.valid ? "good" : "bad"}`}>{statusText(row)}</span>
        <button type="button" className="quiet" aria-label="Close this person" onClick={onClose}>
          ✕
        </button>
      </header>
      <Track explanation={explanation} row={row} />
      <h4>What would change it</h4>
      <Plan
        explanation={explanation}
        row={row}
        {...(live ? { onHold: (name: string) => hold([...held, name]) } : {})}
      />
      {held.length > 0 ? (
        <div className="held">
          <span>Held:</span>
          {held.map((name) => (
            <button key={name} type="button" onClick={() => hold(held.filter((one) => one !== name))}>
              <Lock /> {labelOf(featureOf(explanation.schema, name))}
              <span className="unseen"> – let it change again</span>
              <span aria-hidden="true"> ✕</span>
            </button>
          ))}
        </div>
      ) : null}
      <p className="note" role="status">
        {trouble
          ? trouble.message
          : busy && held.length > 0
            ? "Trying again …"
            : held.length > 0 && tookMs !== null
              ? `Answered again in ${Math.max(1, Math.round(tookMs))} ms.`
              : ""}
      </p>
      {row.proof ? <p className="note">Proven: {proofSentence(row.proof)}</p> : null}
      {row.reason ? <p className="note">{row.reason}</p> : null}
      {row.relaxation ? (
        <p className="note">
          It would take letting {labelOf(featureOf(explanation.schema, row.relaxation.feature))} change: then{" "}
          {row.relaxation.edits} {row.relaxation.edits === 1 ? "edit is" : "edits are"} enough.
        </p>
      ) : null}
      {others && others.length > 0 ? (
        <>
          <h4>Other plans</h4>
          <ul className="others">
            {others.map((plan) => (
              <li key={plan.map((edit) => edit.feature).join()}>
                {plan.map((edit) => changeText(explanation.schema, edit)).join(" and ")}
              </li>
            ))}
          </ul>
        </>
      ) : null}
      <h4>Why it scores so</h4>
      <Reasons explanation={explanation} row={row} codes={codes} />
      <Waterfall schema={explanation.schema} row={row} />
      <AllValues explanation={explanation} row={row} />
    </section>
  );
}

/** The person asked about again while features are held. Without any, the answer brings other plans. */
function useHolding(explanation: Explanation, position: number, live: boolean) {
  const [held, setHeld] = useState<readonly string[]>([]);
  const [answer, setAnswer] = useState<ExplainedRow | null>(null);
  const [tookMs, setTook] = useState<number | null>(null);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [busy, setBusy] = useState(false);
  const asked = useRef<AbortController>(null);
  const ask = async (freeze: readonly string[]): Promise<void> => {
    asked.current?.abort();
    const controller = new AbortController();
    asked.current = controller;
    setBusy(true);
    const start = performance.now();
    try {
      const row = await engine.call("again", { row: position, freeze }, { signal: controller.signal });
      if (asked.current !== controller) return;
      setAnswer(row);
      setTook(performance.now() - start);
      setTrouble(null);
    } catch (error) {
      if (asked.current === controller) setTrouble(troubleOf(error));
    } finally {
      if (asked.current === controller) setBusy(false);
    }
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: another person starts anew
  useEffect(() => {
    setHeld([]);
    setAnswer(null);
    setTook(null);
    setTrouble(null);
    if (live && explanation.goal.kind === "each") void ask([]);
    return () => asked.current?.abort();
  }, [explanation, position, live]);
  const hold = (names: readonly string[]): void => {
    setHeld(names);
    void ask(names);
  };
  return { held, answer, tookMs, trouble, busy, hold };
}

interface RowProps {
  readonly explanation: Explanation;
  readonly row: ExplainedRow;
}

function Plan({ explanation, row, onHold }: RowProps & { readonly onHold?: (feature: string) => void }) {
  const { schema } = explanation;
  if (row.edits.length === 0) {
    return <p>{row.valid ? "Nothing has to change." : "No plan was found under these constraints."}</p>;
  }
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
            <span>{sentence(schema, edit)}</span>
            {onHold ? (
              <button type="button" onClick={() => onHold(edit.feature)}>
                Lock<span className="unseen"> {name} and try again</span>
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
  const reasons = principalReasons(explanation.schema, row, { codes });
  if (reasons.length === 0) return null;
  return (
    <ol className="reasons">
      {reasons.map(({ feature, code, text, changeable }) => (
        <li key={feature}>
          {code ? <code>{code} </code> : null}
          {text}
          {changeable ? null : <small> (cannot be changed)</small>}
        </li>
      ))}
    </ol>
  );
}

/** Before and after on the score's line, with the edge that has to be crossed. */
function Track({ explanation, row }: RowProps) {
  const { before, after } = row;
  if (before === null) return null;
  const edges = edgesOf(explanation.goal, explanation.outputs.length);
  const scale = explanation.outputs.length > 1 || (before >= 0 && before <= 1 && (after ?? 0) <= 1);
  const at = (score: number): string => `${2 + 96 * Math.min(1, Math.max(0, score))}%`;
  return (
    <>
      <p className="scores">
        {explanation.output}: {scoreText(explanation, before)}
        {after === null ? "" : ` → ${scoreText(explanation, after)}`}
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

function AllValues({ explanation, row }: RowProps) {
  const to = new Map(row.edits.map((edit) => [edit.feature, edit.to]));
  return (
    <details>
      <summary>All values</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">Feature</th>
            <th scope="col">Now</th>
            <th scope="col">Plan</th>
          </tr>
        </thead>
        <tbody>
          {explanation.schema.features.map((feature, k) => (
            <tr key={feature.name}>
              <th scope="row">{labelOf(feature)}</th>
              <td>{formatCell(row.x[k] ?? null)}</td>
              <td>{to.has(feature.name) ? <b>{formatCell(to.get(feature.name) ?? null)}</b> : "–"}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
