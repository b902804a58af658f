import { Heap } from "../num/heap.ts";
import { BINS, boundOf, type Column, columnOf } from "../num/neighbour-columns.ts";
import { codeScan } from "../num/neighbours-kernel.ts";
import type { Matrix } from "../types.ts";
import { distanceOf, isLevel, type Metric, nearestUnder } from "./metric.ts";

/** The `count` rows nearest to x over the features marked in `use`, in no order; of those equally far the first. */
export type NearRows = (use: readonly number[], x: Float64Array, count: number) => Int32Array;

/** Rows measured to guess how far the last of the nearest is. */
const SAMPLE = 500;

/** Rows that are asked about often, each time over other features: those of \`nearestUnder\`, found by codes where they can be. */
export function nearRows(metric: Metric, rows: Matrix): NearRows {
  const columns = metric.scale.map((_, k) => columnOf(rows, k, isLevel(metric, k)));
  const size = ({ k, spread }: Column): number => spread / metric.scale[k]!;
  columns.sort((a, b) => size(b) - size(a) || a.k - b.k);
  const scan = codeScan(rows, columns);
  return (use, x, count) => {
    const own = { ...metric, use };
    if (!scan || count >= rows.rows) return nearestUnder(own, rows, x, count);
    columns.forEach((column, c) => {
      for (let b = 0; b < BINS; b++)
        scan.bounds[c * BINS + b] = use[column.k] ? bound(metric, column, b, x) : 0;
    });
    const distance = distanceOf(own);
    const far = (row: number, worst: number): number => distance(x, rows.data, worst, row * rows.cols);
    const { index } = scan.nearest(far, count, guess(far, rows.rows, count));
    return index.length === count ? index : scan.nearest(far, count, Number.POSITIVE_INFINITY).index;
  };
}

/** The least that this column adds to d²(x, row) for any row of bin b. */
function bound(metric: Metric, column: Column, b: number, x: Float64Array): number {
  const q = x[column.k]!;
  const gap = boundOf(column, b, q);
  return column.level || b === BINS - 1 || Number.isNaN(q) ? gap : (gap / metric.scale[column.k]!) ** 2;
}

/** A distance within which there are, by an even sample, about twice as many rows as are wanted. */
function guess(far: (row: number, worst: number) => number, rows: number, count: number): number {
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
