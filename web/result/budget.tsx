import { useDeferredValue, useEffect, useMemo, useState } from "react";
import { featurePatterns } from "../../show/patterns.ts";
import { percent } from "../../show/sentences.ts";
import type { ExplainedRow, Explanation } from "../../src/explanation.ts";
import type { Calls, Spent } from "../engine/protocol.ts";
import { engine, type Result, type Trouble, troubleOf } from "../studio.ts";
import { Curve, valueAt } from "./curve.tsx";
import { Heat, HeatKey } from "./heat.tsx";
import { PeopleTable } from "./people-table.tsx";
import { Tile } from "./tile.tsx";
import { counted } from "./words.ts";

/** A slider for C, all edits together: curve, heat maps and plans follow it. */
export function BudgetView({ result }: { readonly result: Result }) {
  const { explanation, live } = result;
  const order = useOrder(live);
  const each = explanation.goal.kind === "each";
  const points = explanation.curve.map((p) => ({ edits: p.edits, value: p.effect ?? 1 - p.divergence }));
  const most = Math.max(points.at(-1)?.edits ?? 0, explanation.totals.edits);
  const [budget, setBudget] = useState(explanation.totals.edits);
  const now = useDeferredValue(budget);
  const scored = useScores(live && order.list !== null, now);
  const known = order.list ?? [];
  const rows = useMemo(() => rowsAt(explanation, known, now, scored), [explanation, known, now, scored]);
  const spent = useMemo(() => {
    const set = new Set<string>();
    for (const { row, feature } of known.slice(0, now)) set.add(`${row} ${feature}`);
    return set;
  }, [known, now]);
  const features = useMemo(() => featurePatterns(explanation, "proposal").map((p) => p.k), [explanation]);
  const names = explanation.schema.features.map((f) => f.name);
  const proposals = useMemo(
    () => explanation.rows.map((row) => new Set([...row.proposal, ...row.edits].map((edit) => edit.feature))),
    [explanation],
  );
  const value = valueAt(points, budget) ?? 0;
  const reached = scored ? scored.reached.reduce((sum, flag) => sum + flag, 0) : null;
  if (!live) {
    return (
      <div className="empty small">
        <p>{result.why}</p>
      </div>
    );
  }
  return (
    <>
      <div className="panel slider">
        <label htmlFor="budget">Budget C: edits for everybody together</label>
        <input
          id="budget"
          type="range"
          min={0}
          max={most}
          value={budget}
          aria-valuetext={`${budget} edits, ${percent(value)} ${each ? "of the people at the goal" : "of the effect"}`}
          onChange={(e) => setBudget(Number(e.target.value))}
        />
        <dl className="tiles">
          <Tile name="Edits spent" value={counted(budget)} note={`of ${counted(most)}`} />
          <Tile
            name={each ? "Share of the people" : "Share of the effect"}
            value={percent(value)}
            note="on the curve"
          />
          <Tile
            name="People at the target"
            value={reached === null ? "…" : counted(reached)}
            note={`of ${counted(explanation.rows.length)}, scored again`}
          />
        </dl>
        {order.trouble ? <p className="note">{order.trouble.message}</p> : null}
      </div>
      <div className="panel">
        <h3>How far the edits go</h3>
        <Curve
          lines={[{ id: "run", title: "this run", points }]}
          mark={budget}
          most={most}
          yTitle={each ? "people at the goal" : "effect reached"}
          label={`Effect against edits; at ${budget} edits ${percent(value)}`}
        />
      </div>
      <div className="panel">
        <h3>Cell by cell</h3>
        <HeatKey />
        <div className="heats">
          <Heat
            explanation={explanation}
            features={features}
            title="Counterfactuals q"
            edited={(row, feature) => proposals[row]!.has(names[feature]!)}
          />
          <Heat
            explanation={explanation}
            features={features}
            title={`Plans z with ${now} edits`}
            edited={(row, feature) => spent.has(`${row} ${feature}`)}
          />
        </div>
      </div>
      <div className="panel">
        <h3>Plans with this budget</h3>
        <PeopleTable
          explanation={explanation}
          rows={rows}
          selected={-1}
          onSelect={() => {}}
          view="changes"
          label="People and their edits under this budget"
        />
      </div>
    </>
  );
}

function useOrder(live: boolean): { list: readonly Spent[] | null; trouble: Trouble | null } {
  const [list, setList] = useState<readonly Spent[] | null>(null);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  useEffect(() => {
    if (!live) return;
    engine.call("order", {}).then(setList, (error) => setTrouble(troubleOf(error)));
  }, [live]);
  return { list, trouble };
}

/** The model's answers under the newest budget; older questions are dropped. */
function useScores(ready: boolean, edits: number): Calls["scores"][1] | null {
  const [scores, setScores] = useState<Calls["scores"][1] | null>(null);
  useEffect(() => {
    if (!ready) return;
    const controller = new AbortController();
    engine.call("scores", { edits }, { signal: controller.signal }).then(
      (answer) => {
        if (!controller.signal.aborted) setScores(answer);
      },
      () => {},
    );
    return () => controller.abort();
  }, [ready, edits]);
  return scores;
}

/** The people with only the edits the budget pays for. */
function rowsAt(
  { rows, schema }: Explanation,
  order: readonly Spent[],
  budget: number,
  scored: Calls["scores"][1] | null,
): ExplainedRow[] {
  const paid = rows.map(() => [] as string[]);
  for (const { row, feature } of order.slice(0, budget)) paid[row]!.push(schema.features[feature]!.name);
  return rows.map((row, i) => {
    const all = new Map([...row.proposal, ...row.edits].map((edit) => [edit.feature, edit]));
    const edits = paid[i]!.flatMap((name) => all.get(name) ?? []);
    const valid = scored ? scored.reached[i] === 1 : row.valid && edits.length === row.edits.length;
    return { ...row, edits, after: scored?.scores[i] ?? row.after, valid, status: "ok" as const };
  });
}
