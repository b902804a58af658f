import { compareRows } from "../num/matrix.ts";
import type { Matrix } from "../types.ts";

/**
 * Equal rows as one. Group g owns the rows `order[start[g]] … order[start[g + 1] − 1]`; groups run in the
 * lexicographic order of their content, rows within a group by weight, then by position. So the order, and with
 * it every tie a solver breaks by index, follows the content of the rows and not their positions.
 */
export interface Groups {
  readonly order: Int32Array;
  readonly start: Int32Array;
}

/** Groups of equal rows of `points` (rows × d). */
export function dedupe(points: Matrix, weights: Float64Array): Groups {
  const { rows } = points;
  const compare = (i: number, k: number): number => compareRows(points, i, k);
  const order = Int32Array.from({ length: rows }, (_, i) => i).sort(
    (i, k) => compare(i, k) || weights[i]! - weights[k]! || i - k,
  );
  const start = [0];
  for (let t = 1; t < rows; t++) if (compare(order[t - 1]!, order[t]!) !== 0) start.push(t);
  return { order, start: Int32Array.from([...start, rows]) };
}

/** Every row a group of its own, in the given order. */
export function singles(order: Int32Array): Groups {
  return { order, start: Int32Array.from({ length: order.length + 1 }, (_, t) => t) };
}

/** Σ of `units` (one number per row) over the rows of each group. */
export function unitsOfGroups({ order, start }: Groups, units: Float64Array): Float64Array {
  const sums = new Float64Array(start.length - 1);
  for (let g = 0; g < sums.length; g++) {
    for (let t = start[g]!; t < start[g + 1]!; t++) sums[g]! += units[order[t]!]!;
  }
  return sums;
}

/** The same groups, those whose rows all have weight zero last. */
export function idleLast({ order, start }: Groups, weights: Float64Array): Groups {
  const members = Array.from(start.subarray(1), (end, g) => order.subarray(start[g], end));
  const idle = (rows: Int32Array): number => Number(rows.every((i) => weights[i] === 0));
  members.sort((a, b) => idle(a) - idle(b));
  let end = 0;
  return {
    order: Int32Array.from(members.flatMap((rows) => [...rows])),
    start: Int32Array.from([0, ...members.map((rows) => (end += rows.length))]),
  };
}

/** The first row of each group. */
export function firstRows({ order, start }: Groups): Int32Array {
  return Int32Array.from(start.subarray(0, -1), (t) => order[t]!);
}

/** A value of each group, given to its rows. */
export function spreadOver({ order, start }: Groups, values: Float64Array): Float64Array {
  const out = new Float64Array(order.length);
  values.forEach((value, g) => {
    for (let t = start[g]!; t < start[g + 1]!; t++) out[order[t]!] = value;
  });
  return out;
}
