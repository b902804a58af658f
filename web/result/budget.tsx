import { useCallback, useDeferredValue, useEffect, useMemo } from "react";
import { featurePatterns } from "../../show/patterns.ts";
import { percent } from "../../show/sentences.ts";
import type { Edit, ExplainedRow, Explanation } from "../../src/explanation.ts";
import type { Calls, Spent } from "../engine/protocol.ts";
import { type BudgetOf, budgetOf } from "../state/budget.ts";
import type { Cohort } from "../state/cohort.ts";
import type { Studio } from "../studio.ts";
import { useSaid } from "../words/use-said.ts";
import { Curve, valueAt } from "./curve.tsx";
import { Heat, type HeatCells, HeatKey, signCode } from "./heat.tsx";
import type { CohortProps } from "./part.ts";
import { PeopleTable } from "./people-table.tsx";
import { Tile } from "./tile.tsx";
import { signOf } from "./words.ts";

/** A slider for C, all edits together: curve, heat maps and plans follow it. */
export function BudgetView({ studio, result, cohort }: CohortProps) {
  const { tell } = useSaid();
  useAnswers(studio, result.live, cohort);
  if (!result.live) {
    return (
      <div className="empty small">
        <p>{tell(result.why ?? "")}</p>
      </div>
    );
  }
  return <Budget studio={studio} cohort={cohort} />;
}

/** The order of the edits, once, and the scores under the newest budget. */
function useAnswers(
  { state, actions }: Studio,
  live: boolean,
  { explanation, positions, whole }: Cohort,
): void {
  const { order, trouble } = state.view.budget;
  const edits = state.view.budget.edits ?? explanation.totals.edits;
  const now = useDeferredValue(edits);
  const known = order !== null;
  const unasked = live && !known && trouble === null;
  useEffect(() => {
    if (unasked) void actions.order();
  }, [unasked, actions]);
  useEffect(() => {
    if (live && known) void actions.scores(now, whole ? null : positions);
  }, [live, known, now, actions, whole, positions]);
}

const NOTHING: readonly Spent[] = [];

function Budget({ studio, cohort }: { readonly studio: Studio; readonly cohort: Cohort }) {
  const { say, locale } = useSaid();
  const { explanation, positions } = cohort;
  const { budget: view } = studio.state.view;
  const each = explanation.goal.kind === "each";
  const order = view.order ?? NOTHING;
  const spent = useMemo(() => budgetOf(cohort, order), [cohort, order]);
  const { points } = spent;
  const most = cohort.whole
    ? Math.max(points?.at(-1)?.edits ?? 0, explanation.totals.edits)
    : spent.order.length || explanation.totals.edits;
  const budget = Math.min(most, view.edits ?? explanation.totals.edits);
  const now = useDeferredValue(budget);
  const { scores } = view;
  const value = points ? percent(valueAt(points, budget) ?? 0) : "–";
  const lines = useMemo(() => [{ id: "run", title: say("thisRun"), points: points ?? [] }], [points, say]);
  const { send, actions } = studio;
  // Looks at a person in the part where all of them are.
  const look = useCallback(
    (at: number): void => {
      send({ type: "tab", tab: "people" });
      actions.look(positions[at]!);
    },
    [send, actions, positions],
  );
  return (
    <>
      <Slider studio={studio} cohort={cohort} budget={budget} most={most} value={value} />
      <div className="panel">
        <h3>{locale.words.curveTitle}</h3>
        {points ? (
          <Curve
            lines={lines}
            mark={budget}
            onPoint={(edits) => studio.send({ type: "budget", edits })}
            most={most}
            yTitle={say(each ? "axisPeople" : "axisEffect")}
            label={say("curveLabel", { edits: String(budget), value })}
          />
        ) : (
          <p className="note">{say("curveOfAll")}</p>
        )}
      </div>
      <Cells explanation={explanation} spent={spent} now={now} onPerson={look} />
      <div className="panel">
        <h3>{say("plansUnderBudget")}</h3>
        <PeopleTable
          id="budget"
          studio={studio}
          explanation={explanation}
          count={explanation.rows.length}
          rowAt={(at) => rowAt(explanation, spent, now, scores, at, positions[at]!)}
          selected={-1}
          onSelect={look}
          view="changes"
          label={say("peopleUnderBudget")}
        />
      </div>
    </>
  );
}

interface SliderProps {
  readonly studio: Studio;
  readonly cohort: Cohort;
  readonly budget: number;
  readonly most: number;
  readonly value: string;
}

function Slider({ studio, cohort, budget, most, value }: SliderProps) {
  const { say, tell, count } = useSaid();
  const { explanation, positions } = cohort;
  const each = explanation.goal.kind === "each";
  const { scores, trouble } = studio.state.view.budget;
  const reached = scores ? positions.reduce((sum, at) => sum + scores.reached[at]!, 0) : null;
  return (
    <div className="panel slider">
      <label htmlFor="budget">{say("budgetLabel")}</label>
      <input
        id="budget"
        type="range"
        min={0}
        max={most}
        value={budget}
        aria-valuetext={say(each ? "budgetPeople" : "budgetEffect", { edits: String(budget), value })}
        onChange={(e) => studio.send({ type: "budget", edits: Number(e.target.value) })}
      />
      <dl className="tiles">
        <Tile name={say("editsSpent")} value={count(budget)} note={say("ofAll", { all: count(most) })} />
        <Tile name={say(each ? "sharePeople" : "shareEffect")} value={value} note={say("onTheCurve")} />
        <Tile
          name={say("peopleAtTarget")}
          value={reached === null ? "…" : count(reached)}
          note={say("ofScoredAgain", { all: count(explanation.rows.length) })}
        />
      </dl>
      {trouble ? <p className="note">{tell(trouble)}</p> : null}
    </div>
  );
}

interface CellsProps {
  readonly explanation: Explanation;
  readonly spent: BudgetOf;
  readonly now: number;
  readonly onPerson: (position: number) => void;
}

/** Which cells the counterfactuals change, and which the budget pays for. */
function Cells({ explanation, spent, now, onPerson }: CellsProps) {
  const { say, locale } = useSaid();
  const features = useMemo(() => featurePatterns(explanation, "proposal").map((p) => p.k), [explanation]);
  const proposed = useMemo(() => proposedCells(explanation), [explanation]);
  const paid = useMemo(() => paidCells(explanation, spent.order), [explanation, spent.order]);
  return (
    <div className="panel">
      <h3>{locale.words.heatMaps}</h3>
      <HeatKey />
      <div className="heats">
        <Heat
          onPerson={onPerson}
          explanation={explanation}
          features={features}
          title={say("heatQ")}
          cells={proposed}
        />
        <Heat
          onPerson={onPerson}
          explanation={explanation}
          features={features}
          title={say("heatZ", { edits: String(now) })}
          cells={paid}
          count={Math.min(now, paid.rows.length)}
        />
      </div>
    </div>
  );
}

/** The edit of a row at a feature: the plan's, else the counterfactual's. */
function editAt({ rows, schema }: Explanation, row: number, feature: number): Edit | undefined {
  const { name } = schema.features[feature]!;
  const { edits, proposal } = rows[row]!;
  return edits.find((edit) => edit.feature === name) ?? proposal.find((edit) => edit.feature === name);
}

function cellsOf(count: number): HeatCells {
  return { rows: new Int32Array(count), features: new Int32Array(count), signs: new Uint8Array(count) };
}

function proposedCells({ rows, schema }: Explanation): HeatCells {
  const place = new Map(schema.features.map(({ name }, k) => [name, k]));
  const cells = cellsOf(rows.reduce((sum, row) => sum + row.edits.length + row.proposal.length, 0));
  let t = 0;
  const told = (row: number, edit: Edit): void => {
    cells.rows[t] = row;
    cells.features[t] = place.get(edit.feature)!;
    cells.signs[t++] = signCode(signOf(schema, edit));
  };
  rows.forEach(({ edits, proposal }, row) => {
    for (const edit of edits) told(row, edit);
    for (const edit of proposal) if (!edits.some(({ feature }) => feature === edit.feature)) told(row, edit);
  });
  const part = (all: Int32Array): Int32Array => all.subarray(0, t);
  return { rows: part(cells.rows), features: part(cells.features), signs: cells.signs };
}

function paidCells(explanation: Explanation, order: readonly Spent[]): HeatCells {
  const cells = cellsOf(order.length);
  order.forEach(({ row, feature }, t) => {
    const edit = editAt(explanation, row, feature);
    cells.rows[t] = row;
    cells.features[t] = feature;
    cells.signs[t] = signCode(edit ? signOf(explanation.schema, edit) : "other");
  });
  return cells;
}

/** A person with only the edits the budget pays for. */
function rowAt(
  explanation: Explanation,
  { places, order }: BudgetOf,
  budget: number,
  scored: Calls["scores"][1] | null,
  at: number,
  position: number,
): ExplainedRow {
  const row = explanation.rows[at]!;
  const edits = places[at]!.flatMap((t) =>
    t < budget ? (editAt(explanation, at, order[t]!.feature) ?? []) : [],
  );
  const valid = scored ? scored.reached[position] === 1 : row.valid && edits.length === row.edits.length;
  return { ...row, edits, after: scored?.scores[position] ?? row.after, valid, status: "ok" as const };
}
