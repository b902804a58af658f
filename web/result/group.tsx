import { useMemo, useState } from "react";
import { featureLabels } from "../../show/figures/labels.ts";
import { en } from "../../show/locales/en.ts";
import { featurePatterns, planPatterns, typicalChange } from "../../show/patterns.ts";
import { formatCell, percent } from "../../show/sentences.ts";
import { labelOf, levelsOf } from "../../src/data/schema.ts";
import type { Explanation } from "../../src/explanation.ts";
import { Scroll, Select } from "../parts/controls.tsx";
import { personName, SIGNS, statusText } from "./words.ts";

/** Rows named one by one among those left out. */
const NAMED = 50;
const COMBINATIONS = 8;

/** What the plans have in common: features, directions, combinations, and who is left out. */
export function GroupView({ explanation }: { readonly explanation: Explanation }) {
  const labels = featureLabels(explanation.schema);
  const patterns = useMemo(() => featurePatterns(explanation), [explanation]);
  const plans = useMemo(() => planPatterns(explanation), [explanation]);
  const most = Math.max(1, ...patterns.map((p) => p.rows));
  return (
    <>
      <div className="panel">
        <h3>Which features change, and in which direction</h3>
        {patterns.length === 0 ? <p className="note">No plan changes anything.</p> : null}
        <Scroll label="Features that change">
          <table className="bars">
            <thead>
              <tr>
                <th scope="col">Feature</th>
                <th scope="col">People</th>
                <th scope="col" className="wide">
                  <span className="unseen">Share by direction</span>
                </th>
                <th scope="col">Typical change</th>
              </tr>
            </thead>
            <tbody>
              {patterns.map((p) => (
                <tr key={p.k}>
                  <th scope="row">{labels[p.k]}</th>
                  <td className="number">{p.rows}</td>
                  <td className="wide">
                    <span className="bar">
                      {(["up", "down", "other"] as const).map((sign) =>
                        p[sign] === 0 ? null : (
                          <span key={sign} className={sign} style={{ width: `${(100 * p[sign]) / most}%` }}>
                            <span aria-hidden="true">{SIGNS[sign]}</span>
                            <span className="unseen">
                              {p[sign]} {{ up: "raised", down: "lowered", other: "changed" }[sign]}
                            </span>
                          </span>
                        ),
                      )}
                    </span>
                  </td>
                  <td>{typicalChange(explanation.schema.features[p.k]!, p.edits, en)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      </div>
      <div className="panel">
        <h3>Features that change together</h3>
        <ul className="combos">
          {plans.slice(0, COMBINATIONS).map((plan) => (
            <li key={plan.features.join()}>
              <b>{percent(plan.rows.length / Math.max(1, explanation.rows.length))}</b>
              <span>{plan.features.map((k) => labels[k]).join(" + ")}</span>
              <small>{plan.rows.length} people</small>
            </li>
          ))}
        </ul>
        {plans.length > COMBINATIONS ? (
          <p className="note">and {plans.length - COMBINATIONS} further combinations</p>
        ) : null}
      </div>
      <LeftOut explanation={explanation} />
      <Subgroups explanation={explanation} />
    </>
  );
}

function LeftOut({ explanation }: { readonly explanation: Explanation }) {
  const out = explanation.rows.filter((row) => !row.valid);
  return (
    <div className="panel">
      <h3>Who is left out</h3>
      {out.length === 0 ? (
        <p>Nobody: every person reaches the goal.</p>
      ) : (
        <>
          <p>
            {out.length} of {explanation.rows.length} people do not reach the goal.
          </p>
          <ul className="combos">
            {out.slice(0, NAMED).map((row) => (
              <li key={row.row}>
                <b>{personName(row)}</b>
                <span>{statusText(row)}</span>
                <small>
                  {row.relaxation
                    ? `would need ${labelOf(explanation.schema.features.find((f) => f.name === row.relaxation!.feature)!)} to change`
                    : (row.reason ?? "")}
                </small>
              </li>
            ))}
          </ul>
          {out.length > NAMED ? <p className="note">and {out.length - NAMED} more; see the tables.</p> : null}
        </>
      )}
    </div>
  );
}

/** Coverage and effort by the levels of one feature: does the burden fall evenly? */
function Subgroups({ explanation }: { readonly explanation: Explanation }) {
  const { features } = explanation.schema;
  const levelled = features.flatMap((f, k) => (levelsOf(f).length > 0 || f.kind === "boolean" ? [k] : []));
  const [k, setK] = useState(levelled[0] ?? -1);
  if (k < 0) return null;
  const groups = new Map<string, { rows: number; valid: number; edits: number }>();
  for (const row of explanation.rows) {
    const level = formatCell(row.x[k] ?? null);
    const group = groups.get(level) ?? { rows: 0, valid: 0, edits: 0 };
    group.rows++;
    group.valid += Number(row.valid);
    group.edits += row.edits.length;
    groups.set(level, group);
  }
  const levels = levelsOf(features[k]!);
  const place = (level: string): number => (levels.includes(level) ? levels.indexOf(level) : levels.length);
  const ordered = [...groups].sort(([a], [b]) => place(a) - place(b));
  return (
    <div className="panel">
      <h3>Does the burden fall evenly?</h3>
      <Select
        label="By"
        value={String(k)}
        options={levelled.map((one) => [String(one), labelOf(features[one]!)] as const)}
        onChange={(value) => setK(Number(value))}
      />
      <Scroll label="The burden by group">
        <table>
          <thead>
            <tr>
              <th scope="col">{labelOf(features[k]!)}</th>
              <th scope="col" className="number">
                People
              </th>
              <th scope="col" className="number">
                Reach the goal
              </th>
              <th scope="col" className="number">
                Edits each
              </th>
            </tr>
          </thead>
          <tbody>
            {ordered.map(([level, group]) => (
              <tr key={level}>
                <th scope="row">{level}</th>
                <td className="number">{group.rows}</td>
                <td className="number">{percent(group.valid / group.rows)}</td>
                <td className="number">{(group.edits / group.rows).toFixed(2)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </div>
  );
}
