import { rowCost } from "../num/cost.ts";
import { rowOf, takeRows } from "../num/matrix.ts";
import type { Cost, Coupling, Matrix } from "../types.ts";
import { contentOrder } from "./nearest.ts";
import type { Rule } from "./option.ts";

/** Both tables in the order of their content, in which everything is decided: ties never depend on places. */
export interface Sorted {
  /** Places of the sorted rows in the given tables. */
  readonly rows: Int32Array;
  readonly cols: Int32Array;
  readonly x: Matrix;
  readonly r: Matrix;
}

export function sortedTables(x: Matrix, r: Matrix): Sorted {
  const [rows, cols] = [contentOrder(x), contentOrder(r)];
  return { rows, cols, x: takeRows(x, rows), r: takeRows(r, cols) };
}

/** c_ij = d²(x_i, r_j). */
export function distanceCost(x: Matrix, r: Matrix, distance: Rule["distance"]): Cost {
  const row = (i: number, out: Float64Array): void => {
    for (let j = 0; j < r.rows; j++) out[j] = distance(rowOf(x, i), rowOf(r, j));
  };
  return rowCost(x.rows, r.rows, row);
}

/** A cost between the given rows as one between the sorted rows. */
export function sortedCost(cost: Cost, { rows, cols }: Sorted): Cost {
  const given = new Float64Array(cost.m);
  const row = (i: number, out: Float64Array): void => {
    cost.row(rows[i]!, given);
    for (let j = 0; j < cols.length; j++) out[j] = given[cols[j]!]!;
  };
  return rowCost(cost.n, cost.m, row, () => {
    const { points } = cost;
    return points && { x: takeRows(points.x, rows), r: takeRows(points.r, cols) };
  });
}

/** A coupling of the sorted rows as one of the given rows, entries by row and column. */
export function unsorted(plan: Coupling, { rows, cols }: Sorted): Coupling {
  const at = (e: number): number => rows[plan.rows[e]!]! * plan.m + cols[plan.cols[e]!]!;
  const order = Int32Array.from(plan.rows, (_, e) => e).sort((a, b) => at(a) - at(b));
  // The potentials and units of the sorted rows would be misread beside the given ones.
  const { dual: _, units: __, total: ___, ...rest } = plan;
  return {
    ...rest,
    rows: order.map((e) => rows[plan.rows[e]!]!),
    cols: order.map((e) => cols[plan.cols[e]!]!),
    mass: Float64Array.from(order, (e) => plan.mass[e]!),
  };
}

/** The matrix divided by its largest cell. */
export function scaled({ data, rows, cols }: Matrix): Matrix {
  const most = data.reduce((high, d) => Math.max(high, d), 0);
  return { data: most > 0 ? data.map((d) => d / most) : data, rows, cols };
}
