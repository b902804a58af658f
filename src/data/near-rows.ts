import { BINS, boundsInto, type Column, columnOf } from "../num/neighbour-columns.ts";
import { codeScan } from "../num/neighbours-kernel.ts";
import { type Packed, packed } from "../num/packed.ts";
import type { Matrix } from "../types.ts";
import { isLevel, type Metric, nearestBy } from "./metric.ts";

/** The `count` rows nearest to x over the features marked in `use`, in no order; of those equally far the first. */
export type NearRows = (use: readonly number[], x: Float64Array, count: number) => Int32Array;

/** Rows that are asked about often, each time over other features: those of `nearestUnder`, found by codes where they can be. */
export function nearRows(metric: Metric, rows: Matrix, pack = packed(rows)): NearRows {
  const columns = metric.scale.map((_, k) => columnOf(rows, k, isLevel(metric, k)));
  const scan = codeScan(rows, columns, (column, q, out, at) => boundsUnder(metric, column, q, out, at));
  const distance = farFrom(metric, pack);
  return (use, x, count) => {
    const far = distance(use, x);
    if (!scan || count >= pack.rows) return nearestBy(far, pack.rows, count);
    scan.columns.forEach((column, c) => {
      if (use[column.k]) boundsUnder(metric, column, x[column.k]!, scan.bounds, c * BINS);
      else scan.bounds.fill(0, c * BINS, (c + 1) * BINS);
    });
    return scan.nearest(x, far, count).index;
  };
}

/** d² of a row, or any number above `worst` once it is above it. */
type Far = (row: number, worst: number) => number;

/** Distinct values up to which what a column adds is computed once for each of them. */
const FEW_VALUES = 1024;

/** `distanceOf` between x and packed rows: the same bits. */
function farFrom(metric: Metric, { codes, values, start, cols }: Packed) {
  const level = Uint8Array.from(metric.scale, (_, k) => Number(isLevel(metric, k)));
  const scale = Float64Array.from(metric.scale);
  const adds = (u: number, v: number, k: number): number => {
    if (u === v) return 0;
    const gap = (u - v) / scale[k]!;
    if (Number.isNaN(gap)) return Number(Number.isNaN(u) !== Number.isNaN(v));
    return level[k] === 1 ? 1 : gap ** 2;
  };
  const end = (k: number): number => (k + 1 < cols ? start[k + 1]! : values.length);
  const known = Uint8Array.from(start, (from, k) => Number(end(k) - from <= FEW_VALUES));
  const added = new Float64Array(values.length);
  const columns = new Int32Array(cols);
  // The values of x it was computed for: the next plan of a row, and often the next row, has most of them too.
  const asked = new Float64Array(cols);
  const made = new Uint8Array(cols);
  return (use: readonly number[], x: Float64Array): Far => {
    let count = 0;
    for (let k = 0; k < cols; k++) {
      if (use[k]) columns[count++] = k;
      if (!known[k] || (made[k] && Object.is(asked[k], x[k]))) continue;
      for (let at = start[k]!; at < end(k); at++) added[at] = adds(x[k]!, values[at]!, k);
      asked[k] = x[k]!;
      made[k] = 1;
    }
    return (row, worst) => {
      let sum = 0;
      for (let t = 0; t < count; t++) {
        const k = columns[t]!;
        const at = start[k]! + codes[row * cols + k]!;
        sum += known[k] === 1 ? added[at]! : adds(x[k]!, values[at]!, k);
        if (sum > worst) break;
      }
      return sum;
    };
  };
}

/** The least that this column adds to d²(x, row) for rows of each bin, where x has q. */
function boundsUnder(metric: Metric, column: Column, q: number, out: Float64Array, at: number): void {
  boundsInto(column, q, out, at);
  if (column.level || Number.isNaN(q)) return;
  for (let b = at; b < at + BINS - 1; b++) out[b] = (out[b]! / metric.scale[column.k]!) ** 2;
}
