import type { Spent } from "../engine/protocol.ts";
import type { Cohort } from "./cohort.ts";

/** The order in which the edits of some people are spent, and how far each budget brings them. */
export interface BudgetOf {
  /** By position among these people. */
  readonly order: readonly Spent[];
  /** Places in the order, by person. */
  readonly places: readonly (readonly number[])[];
  /** What each budget reaches; undefined where that is known of everybody together only. */
  readonly points: readonly { readonly edits: number; readonly value: number }[] | undefined;
}

/** The budget of a cohort: its own edits in the order of all. */
export function budgetOf({ explanation, positions, whole }: Cohort, all: readonly Spent[]): BudgetOf {
  const at = new Map(positions.map((position, i) => [position, i]));
  const order = whole
    ? all
    : all.flatMap(({ row, feature }) => {
        const i = at.get(row);
        return i === undefined ? [] : [{ row: i, feature }];
      });
  const places = Array.from(explanation.rows, (): number[] => []);
  order.forEach(({ row }, t) => {
    places[row]!.push(t);
  });
  return { order, places, points: whole ? wholePoints(explanation) : ownPoints(explanation, order) };
}

const wholePoints = ({ curve }: Cohort["explanation"]) =>
  curve.map(({ edits, effect, divergence }) => ({ edits, value: effect ?? 1 - divergence }));

/** Where whole plans are paid for one after the other, everybody whose plan is paid for has reached the goal. */
function ownPoints(
  { rows, goal, method }: Cohort["explanation"],
  order: readonly Spent[],
): BudgetOf["points"] {
  if (goal.kind !== "each" || method.policy !== "minimal") return undefined;
  const left = rows.map(({ edits }) => edits.length);
  let reached = rows.filter(({ valid, edits }) => valid && edits.length === 0).length;
  const points = [{ edits: 0, value: reached / Math.max(1, rows.length) }];
  order.forEach(({ row }, t) => {
    left[row]!--;
    if (left[row] === 0 && rows[row]!.valid) reached++;
    points.push({ edits: t + 1, value: reached / rows.length });
  });
  return points;
}
