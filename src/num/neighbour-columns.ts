import type { Matrix } from "../basic-types.ts";
import type { Heap } from "./heap.ts";
import { quantileSorted, sorted } from "./stats.ts";

export interface Near {
  readonly index: Int32Array;
  readonly distance: Float64Array;
}

/** Cells of a column are sorted into so many bins; two bins share a byte. */
export const BINS = 16;
/** Points looked at to place the edges of the bins. */
const SAMPLE = 4096;
/** The points, and the order of columns in which they are measured. */
export interface Points {
  readonly table: Matrix;
  readonly column: Int32Array;
  readonly level: Uint8Array;
}

export interface Column {
  readonly k: number;
  readonly level: boolean;
  /** Smallest and largest value of each bin; NaN for the bin of missing values, none for an empty bin. */
  readonly low: Float64Array;
  readonly high: Float64Array;
  readonly edges: Float64Array;
  readonly spread: number;
}

/** Bins of (nearly) equal counts; the last one is for missing values. Levels are dealt out in turn. */
export function columnOf(points: Matrix, k: number, level: boolean): Column {
  const step = Math.max(1, Math.floor(points.rows / SAMPLE));
  const sample: number[] = [];
  for (let p = 0; p < points.rows; p += step) {
    const v = points.data[p * points.cols + k]!;
    if (!Number.isNaN(v)) sample.push(v);
  }
  const order = sorted(sample);
  const edges = new Float64Array(order.length === 0 ? 0 : BINS - 2);
  for (let b = 0; b < edges.length; b++) edges[b] = quantileSorted(order, (b + 1) / (BINS - 1));
  const column = {
    k,
    level,
    edges,
    low: new Float64Array(BINS).fill(Number.POSITIVE_INFINITY),
    high: new Float64Array(BINS).fill(Number.NEGATIVE_INFINITY),
    spread: level ? 0.5 : order.length === 0 ? 0 : quantileSorted(order, 0.75) - quantileSorted(order, 0.25),
  };
  for (let c = k; c < points.data.length; c += points.cols) {
    const v = points.data[c]!;
    const b = binOf(column, v);
    column.low[b] = Math.min(column.low[b]!, v);
    column.high[b] = Math.max(column.high[b]!, v);
  }
  return column;
}

export function binOf(column: Pick<Column, "level" | "edges">, v: number): number {
  if (Number.isNaN(v)) return BINS - 1;
  if (column.level) return (Math.abs(v) % (BINS - 1)) | 0;
  let b = 0;
  while (b < column.edges.length && v > column.edges[b]!) b++;
  return b;
}

/** Least distances in this column between the query's value and any point of each bin, from `at` on. */
export function boundsInto(column: Column, q: number, out: Float64Array, at: number): void {
  out.fill(1, at, at + BINS);
  if (Number.isNaN(q)) out[at + BINS - 1] = 0;
  else if (column.level) out[at + binOf(column, q)] = 0;
  else {
    for (let b = 0; b < BINS - 1; b++) {
      const bound = Math.max(0, column.low[b]! - q, q - column.high[b]!);
      out[at + b] = Number.isNaN(bound) ? 0 : bound; // ∞ from ∞ is not a distance
    }
  }
}

/** d(point p, query), or any number above `worst` once it is above it. */
export function measure(points: Points, p: number, q: Float64Array, worst: number): number {
  const { data, cols } = points.table;
  const { column, level } = points;
  let sum = 0;
  for (let c = 0; c < column.length && sum <= worst; c++) {
    const a = data[p * cols + column[c]!]!;
    const gap = Math.abs(a - q[c]!);
    if (Number.isNaN(gap)) sum += Number.isNaN(a) === Number.isNaN(q[c]!) ? 0 : 1;
    else sum += level[c] === 1 ? Number(gap > 0) : gap;
  }
  return sum;
}

export function drain(best: Heap): Near {
  const index = new Int32Array(best.size);
  const distance = new Float64Array(best.size);
  for (let t = best.size - 1; t >= 0; t--) {
    distance[t] = -best.key;
    index[t] = -1 - best.pop();
  }
  return { index, distance };
}
