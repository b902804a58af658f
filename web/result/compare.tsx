import { formatFixed, percent } from "../../show/sentences.ts";
import { methods } from "../engine/methods.ts";
import type { Compared } from "../engine/protocol.ts";
import { Scroll } from "../parts/controls.tsx";
import { comparedOf } from "../state/compared.ts";
import type { Outcome } from "../state/view.ts";
import type { Studio } from "../studio.ts";
import { useSaid } from "../words/use-said.ts";
import { Curve, dashOf } from "./curve.tsx";
import type { PartProps } from "./part.ts";

/** Couplings and policies side by side, from the same counterfactuals to the same goal. */
export function CompareView({ studio, result }: PartProps) {
  const { tell } = useSaid();
  if (!result.live) {
    return (
      <div className="empty small">
        <p>{tell(result.why ?? "")}</p>
      </div>
    );
  }
  const { done } = studio.state.view.compare;
  const good = done.filter((one): one is Compared => "edits" in one);
  return (
    <>
      <Choice studio={studio} />
      {done.length > 0 ? <Outcomes done={[comparedOf("this run", result.explanation), ...done]} /> : null}
      {good.length > 0 ? <Curves good={good} /> : null}
    </>
  );
}

function Choice({ studio }: { readonly studio: Studio }) {
  const { say, title } = useSaid();
  const { wanted, busy } = studio.state.view.compare;
  const { compare, stopComparing } = studio.actions;
  return (
    <div className="panel">
      <h3>{say("methods")}</h3>
      <p className="note">{say("methodsNote")}</p>
      <ul className="methods">
        {methods.map((method) => (
          <li key={method.id}>
            <label className="check">
              <input
                type="checkbox"
                checked={wanted.includes(method.id)}
                onChange={(e) => studio.send({ type: "want", method: method.id, wanted: e.target.checked })}
              />
              <span>
                {title(method.title)} {method.paper ? <small>[{method.paper}]</small> : null}
                <small className="line-note">{title(method.note)}</small>
              </span>
            </label>
          </li>
        ))}
      </ul>
      <div className="row">
        <button
          type="button"
          className="primary"
          disabled={busy !== null || wanted.length === 0}
          onClick={compare}
        >
          {say("compare")}
        </button>
        {busy ? (
          <button type="button" onClick={stopComparing}>
            {say("cancel")}
          </button>
        ) : null}
        {wanted.length === 0 ? <span className="hint">{say("methodFirst")}</span> : null}
        <span role="status" className="note">
          {busy?.method ? `${title(titleOf(busy.method))} …` : ""}
        </span>
      </div>
    </div>
  );
}

function Curves({ good }: { readonly good: readonly Compared[] }) {
  const { say, title } = useSaid();
  return (
    <div className="panel">
      <h3>{say("effectAgainstEdits")}</h3>
      <Curve
        lines={good.map((one) => ({
          id: one.id,
          title: title(titleOf(one.id)),
          points: one.curve.map((p) => ({ edits: p.edits, value: p.effect ?? 0 })),
        }))}
        most={Math.max(1, ...good.map((one) => one.curve.at(-1)?.edits ?? 0))}
        yTitle={say("axisEffect")}
        label={say("compareLabel")}
      />
      <ul className="key">
        {good.map((one, i) => (
          <li key={one.id}>
            <svg aria-hidden="true" width="34" height="10">
              <line className={`line line-${i}`} strokeDasharray={dashOf(i)} x1="0" x2="34" y1="5" y2="5" />
            </svg>
            {title(titleOf(one.id))}
          </li>
        ))}
      </ul>
    </div>
  );
}

function titleOf(id: string): string {
  return methods.find((method) => method.id === id)?.title ?? id;
}

const COLUMNS = ["columnEdits", "columnOf", "peopleAtGoal", "columnDistance"] as const;

function Outcomes({ done }: { readonly done: readonly Outcome[] }) {
  const { say, title, tell, locale } = useSaid();
  const few = Math.min(
    ...done.map((one) => ("edits" in one && one.valid === one.rows ? one.edits : Number.POSITIVE_INFINITY)),
  );
  return (
    <div className="panel">
      <h3>{say("outcome")}</h3>
      <Scroll label={say("outcomeOf")}>
        <table>
          <thead>
            <tr>
              <th scope="col">{say("method")}</th>
              {COLUMNS.map((name) => (
                <th key={name} scope="col" className="number">
                  {say(name)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {done.map((one) =>
              "edits" in one ? (
                <tr key={one.id} className={one.edits === few ? "best" : ""}>
                  <th scope="row">{one.id === "this run" ? say("thisResult") : title(titleOf(one.id))}</th>
                  <td className="number">{one.edits}</td>
                  <td className="number">{percent(one.proposed > 0 ? one.edits / one.proposed : 0)}</td>
                  <td className="number">
                    {say("someOf", { some: String(one.valid), all: String(one.rows) })}
                  </td>
                  <td className="number">{formatFixed(one.distance, 2, locale)}</td>
                </tr>
              ) : (
                <tr key={one.id}>
                  <th scope="row">{title(titleOf(one.id))}</th>
                  <td colSpan={4}>{tell(one.trouble)}</td>
                </tr>
              ),
            )}
          </tbody>
        </table>
      </Scroll>
    </div>
  );
}
