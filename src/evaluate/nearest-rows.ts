import type { Work } from "../budget.ts";
import type { Matrix } from "../types.ts";

/** The k nearest reference rows of each query row: row i owns entries i·k … (i+1)·k, nearest first. */
export interface NearestRows {
  readonly k: number;
  readonly index: Int32Array;
  readonly distance: Float64Array;
}

/**
 * Euclid's distance with a missing value 1 from any value and 0 from a missing one; equal distances by index.
 * `others` leaves row i of the reference out for query i (the reference asking about itself).
 */
export async function nearestRows(
  queries: Matrix,
  reference: Matrix,
  k: number,
  work: Work,
  others = false,
): Promise<NearestRows> {
  const index = new Int32Array(queries.rows * k);
  const distance = new Float64Array(queries.rows * k).fill(Number.POSITIVE_INFINITY);
  for (let i = 0; i < queries.rows; i++) {
    if (work.due()) await work.pause(i, queries.rows);
    const first = i * k;
    const last = first + k - 1;
    for (let j = 0; j < reference.rows; j++) {
      if (others && i === j) continue;
      const d = squared(queries, i, reference, j, distance[last]!);
      if (!(d < distance[last]!)) continue;
      let at = last;
      for (; at > first && distance[at - 1]! > d; at--) {
        distance[at] = distance[at - 1]!;
        index[at] = index[at - 1]!;
      }
      distance[at] = d;
      index[at] = j;
    }
  }
  return { k, index, distance: distance.map(Math.sqrt) };
}

/** ‖x_i − r_j‖², or some number ≥ `limit` as soon as it is known to be that large. */
function squared(x: Matrix, i: number, r: Matrix, j: number, limit: number): number {
  let sum = 0;
  const cols = x.cols;
  for (let k = 0; k < cols && sum < limit; k++) {
    const a = x.data[i * cols + k]!;
    const b = r.data[j * cols + k]!;
    const gap = a - b;
    sum += Number.isNaN(gap) ? Number(Number.isNaN(a) !== Number.isNaN(b)) : gap * gap;
  }
  return sum;
}
