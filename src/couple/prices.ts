import type { Work } from "../budget.ts";
import type { CostRows } from "./problem.ts";
import type { Reader } from "./reader.ts";

/** min_j c'_ij − v_j under the prices of the reader. */
export function lowest(reader: Reader, i: number, v: Float64Array): number {
  let low = Number.POSITIVE_INFINITY;
  for (let t = reader.near(i, low, 1) - 1; t >= 0; t--)
    low = Math.min(low, reader.costs[t]! - v[reader.cols[t]!]!);
  return low;
}

/** v_j = min_i c'_ij over the first n rows and the columns of v. */
export async function lowestPrices(rows: CostRows, n: number, v: Float64Array, work: Work): Promise<void> {
  if (rows.lowest) return rows.lowest(n, v, work);
  v.fill(Number.POSITIVE_INFINITY);
  for (let i = 0; i < n; i++) {
    if (work.due()) await work.pause(0, n);
    for (let j = 0; j < v.length; j++) v[j] = Math.min(v[j]!, rows.cell(i, j));
  }
}
