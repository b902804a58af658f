import { useEffect, useRef, useState } from "react";
import { percent } from "../../show/sentences.ts";
import { methods } from "../engine/methods.ts";
import type { Compared } from "../engine/protocol.ts";
import { Scroll } from "../parts/controls.tsx";
import { engine, type Result, troubleOf } from "../studio.ts";
import { Curve, dashOf } from "./curve.tsx";

const FIRST = ["minimal", "transport-greedy", "transport-sample", "random-sample"];

type Outcome = Compared | { readonly id: string; readonly trouble: string };

/** Couplings and policies side by side, from the same counterfactuals to the same goal. */
export function CompareView({ result }: { readonly result: Result }) {
  const [wanted, setWanted] = useState<readonly string[]>(FIRST);
  const [done, setDone] = useState<readonly Outcome[]>([]);
  const [busy, setBusy] = useState<string | null>(null);
  const stop = useRef<AbortController>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const compare = async (): Promise<void> => {
    const controller = new AbortController();
    stop.current = controller;
    setDone([]);
    for (const id of methods.map((m) => m.id).filter((one) => wanted.includes(one))) {
      if (controller.signal.aborted) break;
      setBusy(id);
      const outcome: Outcome = await engine
        .call("compare", { method: id }, { signal: controller.signal })
        .catch((error) => ({ id, trouble: troubleOf(error).message }));
      if (!controller.signal.aborted) setDone((old) => [...old, outcome]);
    }
    setBusy(null);
  };
  if (!result.live) {
    return (
      <div className="empty small">
        <p>{result.why}</p>
      </div>
    );
  }
  const good = done.filter((one): one is Compared => "edits" in one);
  return (
    <>
      <div className="panel">
        <h3>Methods</h3>
        <p className="note">
          All start from one counterfactual per person and the same goal. Names in brackets are the paper's.
        </p>
        <ul className="methods">
          {methods.map((method) => (
            <li key={method.id}>
              <label className="check">
                <input
                  type="checkbox"
                  checked={wanted.includes(method.id)}
                  onChange={(e) =>
                    setWanted(
                      e.target.checked ? [...wanted, method.id] : wanted.filter((one) => one !== method.id),
                    )
                  }
                />
                <span>
                  {method.title} {method.paper ? <small>[{method.paper}]</small> : null}
                  <small className="line-note">{method.note}</small>
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
            Compare
          </button>
          {busy ? (
            <button type="button" onClick={() => stop.current?.abort()}>
              Cancel
            </button>
          ) : null}
          <span role="status" className="note">
            {busy ? `${methods.find((m) => m.id === busy)?.title} …` : ""}
          </span>
        </div>
      </div>
      {done.length > 0 ? <Outcomes done={done} /> : null}
      {good.length > 0 ? (
        <div className="panel">
          <h3>Effect against edits</h3>
          <Curve
            lines={good.map((one) => ({
              id: one.id,
              title: titleOf(one.id),
              points: one.curve.map((p) => ({ edits: p.edits, value: p.effect ?? 0 })),
            }))}
            most={Math.max(1, ...good.map((one) => one.curve.at(-1)?.edits ?? 0))}
            yTitle="share of the effect"
            label="Effect against edits for each method; the figures are in the table above"
          />
          <ul className="key">
            {good.map((one, i) => (
              <li key={one.id}>
                <svg aria-hidden="true" width="34" height="10">
                  <line
                    className={`line line-${i}`}
                    strokeDasharray={dashOf(i)}
                    x1="0"
                    x2="34"
                    y1="5"
                    y2="5"
                  />
                </svg>
                {titleOf(one.id)}
              </li>
            ))}
          </ul>
        </div>
      ) : null}
    </>
  );
}

function titleOf(id: string): string {
  return methods.find((method) => method.id === id)?.title ?? id;
}

function Outcomes({ done }: { readonly done: readonly Outcome[] }) {
  const few = Math.min(
    ...done.map((one) => ("edits" in one && one.valid === one.rows ? one.edits : Number.POSITIVE_INFINITY)),
  );
  return (
    <div className="panel">
      <h3>Outcome</h3>
      <Scroll label="Outcome of each method">
        <table>
          <thead>
            <tr>
              <th scope="col">Method</th>
              <th scope="col" className="number">
                Edits
              </th>
              <th scope="col" className="number">
                of the counterfactuals'
              </th>
              <th scope="col" className="number">
                People at the goal
              </th>
              <th scope="col" className="number">
                Mean distance
              </th>
            </tr>
          </thead>
          <tbody>
            {done.map((one) =>
              "edits" in one ? (
                <tr key={one.id} className={one.edits === few ? "best" : ""}>
                  <th scope="row">{titleOf(one.id)}</th>
                  <td className="number">{one.edits}</td>
                  <td className="number">{percent(one.proposed > 0 ? one.edits / one.proposed : 0)}</td>
                  <td className="number">
                    {one.valid} of {one.rows}
                  </td>
                  <td className="number">{one.distance.toFixed(2)}</td>
                </tr>
              ) : (
                <tr key={one.id}>
                  <th scope="row">{titleOf(one.id)}</th>
                  <td colSpan={4}>{one.trouble}</td>
                </tr>
              ),
            )}
          </tbody>
        </table>
      </Scroll>
    </div>
  );
}
