import { Heap } from "../num/heap.ts";
import { BINS, boundOf, type Column, columnOf } from "../num/neighbour-columns.ts";
import { codeScan } from "../num/neighbours-kernel.ts";
import { type Packed, packed } from "../num/packed.ts";
import type { Matrix } from "../types.ts";
import { isLevel, type Metric, nearestBy } from "./metric.ts";

/** The `count` rows nearest to x over the features marked in `use`, in no order; of those equally far the first. */
export type NearRows = (use: readonly number[], x: Float64Array, count: number) => Int32Array;

/** Rows measured to guess how far the last of the nearest is. */
const SAMPLE = 500;

/** Rows that are asked about often, each time over other features: those of `nearestUnder`, found by codes where they can be. */
export function nearRows(metric: Metric, rows: Matrix, pack = packed(rows)): NearRows {
  const columns = metric.scale.map((_, k) => columnOf(rows, k, isLevel(metric, k)));
  const size = ({ k, spread }: Column): number => spread / metric.scale[k]!;
  columns.sort((a, b) => size(b) - size(a) || a.k - b.k);
  const scan = codeScan(rows, columns);
  const distance = farFrom(metric, pack);
  return (use, x, count) => {
    const far = distance(use, x);
    if (!scan || count >= pack.rows) return nearestBy(far, pack.rows, count);
    columns.forEach((column, c) => {
      for (let b = 0; b < BINS; b++)
        scan.bounds[c * BINS + b] = use[column.k] ? bound(metric, column, b, x) : 0;
    });
    const { index } = scan.nearest(far, count, guess(far, pack.rows, count));
    return index.length === count ? index : scan.nearest(far, count, Number.POSITIVE_INFINITY).index;
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

/** The least that this column adds to d²(x, row) for any row of bin b. */
function bound(metric: Metric, column: Column, b: number, x: Float64Array): number {
  const q = x[column.k]!;
  const gap = boundOf(column, b, q);
  return column.level || b === BINS - 1 || Number.isNaN(q) ? gap : (gap / metric.scale[column.k]!) ** 2;
}

/** A distance within which there are, by an even sample, about twice as many rows as are wanted. */
function guess(far: Far, rows: number, count: number): number {
  const step = Math.ceil(rows / SAMPLE);
  const wanted = Math.ceil((2 * count) / step) + 4;
  const best = new Heap(wanted + 1);
  let worst = Number.POSITIVE_INFINITY;
  for (let row = 0; row < rows; row += step) {
    const distance = far(row, worst);
    if (distance > worst) continue;
    best.push(-distance, row);
    if (best.size > wanted) best.pop();
    if (best.size === wanted) worst = -best.key;
  }
  return worst;
}
