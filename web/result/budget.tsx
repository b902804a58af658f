import { useDeferredValue, useEffect, useMemo } from "react";
import { featurePatterns } from "../../show/patterns.ts";
import { percent } from "../../show/sentences.ts";
import type { ExplainedRow, Explanation } from "../../src/explanation.ts";
import type { Calls, Spent } from "../engine/protocol.ts";
import type { Studio } from "../studio.ts";
import { useSaid } from "../words/use-said.ts";
import { Curve, valueAt } from "./curve.tsx";
import { Heat, HeatKey } from "./heat.tsx";
import { PeopleTable } from "./people-table.tsx";
import type { PartProps } from "./result-view.tsx";
import { Tile } from "./tile.tsx";

/** A slider for C, all edits together: curve, heat maps and plans follow it. */
export function BudgetView({ studio, result }: PartProps) {
  const { tell } = useSaid();
  useAnswers(studio, result.live);
  if (!result.live) {
    return (
      <div className="empty small">
        <p>{tell(result.why ?? "")}</p>
      </div>
    );
  }
  return <Budget studio={studio} explanation={result.explanation} />;
}

/** The order of the edits, once, and the scores under the newest budget. */
function useAnswers({ state, actions }: Studio, live: boolean): void {
  const { view, result } = state;
  const { order, trouble } = view.budget;
  const edits = view.budget.edits ?? result?.explanation.totals.edits ?? 0;
  const now = useDeferredValue(edits);
  const known = order !== null;
  const unasked = live && !known && trouble === null;
  useEffect(() => {
    if (unasked) void actions.order();
  }, [unasked, actions]);
  useEffect(() => {
    if (live && known) void actions.scores(now);
  }, [live, known, now, actions]);
}

const NOTHING: readonly Spent[] = [];

function Budget({ studio, explanation }: { readonly studio: Studio; readonly explanation: Explanation }) {
  const { say, locale } = useSaid();
  const { budget: view } = studio.state.view;
  const each = explanation.goal.kind === "each";
  const points = explanation.curve.map((p) => ({ edits: p.edits, value: p.effect ?? 1 - p.divergence }));
  const most = Math.max(points.at(-1)?.edits ?? 0, explanation.totals.edits);
  const budget = view.edits ?? explanation.totals.edits;
  const now = useDeferredValue(budget);
  const { scores } = view;
  const known = view.order ?? NOTHING;
  const rows = useMemo(() => rowsAt(explanation, known, now, scores), [explanation, known, now, scores]);
  const value = percent(valueAt(points, budget) ?? 0);
  return (
    <>
      <Slider studio={studio} explanation={explanation} budget={budget} most={most} value={value} />
      <div className="panel">
        <h3>{locale.words.curveTitle}</h3>
        <Curve
          lines={[{ id: "run", title: say("thisRun"), points }]}
          mark={budget}
          onPoint={(edits) => studio.send({ type: "budget", edits })}
          most={most}
          yTitle={say(each ? "axisPeople" : "axisEffect")}
          label={say("curveLabel", { edits: String(budget), value })}
        />
      </div>
      <Cells studio={studio} explanation={explanation} order={known} now={now} />
      <div className="panel">
        <h3>{say("plansUnderBudget")}</h3>
        <PeopleTable
          id="budget"
          studio={studio}
          explanation={explanation}
          rows={rows}
          selected={-1}
          onSelect={(at) => open(studio, at)}
          view="changes"
          label={say("peopleUnderBudget")}
        />
      </div>
    </>
  );
}

interface SliderProps {
  readonly studio: Studio;
  readonly explanation: Explanation;
  readonly budget: number;
  readonly most: number;
  readonly value: string;
}

function Slider({ studio, explanation, budget, most, value }: SliderProps) {
  const { say, tell, count } = useSaid();
  const each = explanation.goal.kind === "each";
  const { scores, trouble } = studio.state.view.budget;
  const reached = scores ? scores.reached.reduce((sum, flag) => sum + flag, 0) : null;
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

/** Looks at a person in the part where all of them are. */
function open({ send, actions }: Studio, position: number): void {
  send({ type: "tab", tab: "people" });
  actions.look(position);
}

/** Which cells the counterfactuals change, and which the budget pays for. */
function Cells({
  studio,
  explanation,
  order,
  now,
}: {
  readonly studio: Studio;
  readonly explanation: Explanation;
  readonly order: readonly Spent[];
  readonly now: number;
}) {
  const { say, locale } = useSaid();
  const spent = useMemo(
    () => new Set(order.slice(0, now).map(({ row, feature }) => `${row} ${feature}`)),
    [order, now],
  );
  const features = useMemo(() => featurePatterns(explanation, "proposal").map((p) => p.k), [explanation]);
  const names = explanation.schema.features.map((f) => f.name);
  const proposals = useMemo(
    () => explanation.rows.map((row) => new Set([...row.proposal, ...row.edits].map((edit) => edit.feature))),
    [explanation],
  );
  return (
    <div className="panel">
      <h3>{locale.words.heatMaps}</h3>
      <HeatKey />
      <div className="heats">
        <Heat
          onPerson={(at) => open(studio, at)}
          explanation={explanation}
          features={features}
          title={say("heatQ")}
          edited={(row, feature) => proposals[row]!.has(names[feature]!)}
        />
        <Heat
          onPerson={(at) => open(studio, at)}
          explanation={explanation}
          features={features}
          title={say("heatZ", { edits: String(now) })}
          edited={(row, feature) => spent.has(`${row} ${feature}`)}
        />
      </div>
    </div>
  );
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
