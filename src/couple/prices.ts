import type { Work } from "../budget.ts";
import type { CostRows } from "./problem.ts";

/** min_j c'_ij − v_j over the first columns, as many as v has; the row starts at data[at]. */
export function lowest(data: Float64Array, at: number, v: Float64Array): number {
  let low = Number.POSITIVE_INFINITY;
  for (let j = 0; j < v.length; j++) {
    const w = data[at + j]! - v[j]!;
    if (w < low) low = w;
  }
  return low;
}

/** Lowers v_j to c'_ij − u over the columns of v, of which the first belongs to data[at]. */
export function lower(v: Float64Array, data: Float64Array, at: number, u: number): void {
  for (let j = 0; j < v.length; j++) {
    const w = data[at + j]! - u;
    if (w < v[j]!) v[j] = w;
  }
}

/** v_j = min_i c'_ij over the first n rows and the columns of v. */
export async function lowestPrices(rows: CostRows, n: number, v: Float64Array, work: Work): Promise<void> {
  v.fill(Number.POSITIVE_INFINITY);
  for (let i = 0; i < n; i++) {
    if (work.due()) await work.pause(0, n);
    lower(v, rows.data, rows.at(i), 0);
  }
}
