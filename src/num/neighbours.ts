import type { Work } from "../budget.ts";
import type { Matrix } from "../types.ts";
import { Heap } from "./heap.ts";
import { quantileSorted, sorted } from "./stats.ts";

/** The nearest rows of a fixed set under d(a, b) = Σ_k |a_k − b_k|. */
export interface Neighbours {
  readonly rows: number;
  /** The `count` nearest rows (all of them if fewer), nearest first, ties by index. */
  nearest(query: ArrayLike<number>, count: number): Near;
}

export interface Near {
  readonly index: Int32Array;
  readonly distance: Float64Array;
}

/** Cells of a column are sorted into so many bins; two bins share a byte. */
const BINS = 16;
/** Points looked at to place the edges of the bins. */
const SAMPLE = 4096;
/** Bounds are sums in another order than distances: they may be off by rounding, never by more than this. */
const SLACK = 1 + 1e-12;

/**
 * A vector-approximation file (Weber, Schek and Blott 1998): each of the m points is kept as one byte per two
 * columns, a query sums table entries that bound the distance from below and gives a point up as soon as the
 * bound exceeds the worst of the best; the few that are left are measured exactly. Linear in m whatever the
 * data look like, where trees degrade beyond ten columns.
 *
 * A column marked in `mismatch` counts 0 or 1 (equal or not) instead of |a − b|; in every column a missing
 * value (NaN) is 1 from any value and 0 from a missing one. The points are kept, not copied.
 */
export async function neighbours(
  points: Matrix,
  work: Work,
  mismatch?: ArrayLike<number>,
): Promise<Neighbours> {
  work.reserve(points.rows * (points.cols + 16), "the neighbour index");
  const columns: Column[] = [];
  for (let k = 0; k < points.cols; k++) {
    columns.push(columnOf(points, k, Boolean(mismatch?.[k])));
    if (work.due()) await work.pause(k, points.cols);
  }
  columns.sort((a, b) => b.spread - a.spread || a.k - b.k);
  const words = Math.max(2, (columns.length + 7) >> 3);
  const file: File = {
    points,
    columns,
    words,
    codes: codesOf(points, columns, words),
    column: Int32Array.from(columns, ({ k }) => k),
    level: Uint8Array.from(columns, ({ level }) => Number(level)),
  };
  return {
    rows: points.rows,
    nearest: (query, count) => scan(file, query, Math.min(count, points.rows)),
  };
}

interface Column {
  readonly k: number;
  readonly level: boolean;
  /** Smallest and largest value of each bin; NaN for the bin of missing values, none for an empty bin. */
  readonly low: Float64Array;
  readonly high: Float64Array;
  readonly edges: Float64Array;
  readonly spread: number;
}

interface File {
  readonly points: Matrix;
  readonly columns: readonly Column[];
  /** Four bits per column, eight columns per word, point after point. */
  readonly codes: Uint32Array;
  readonly words: number;
  /** The columns once more as flat arrays for the exact distance. */
  readonly column: Int32Array;
  readonly level: Uint8Array;
}

/** Bins of (nearly) equal counts; the last one is for missing values. Levels are dealt out in turn. */
function columnOf(points: Matrix, k: number, level: boolean): Column {
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

function binOf(column: Pick<Column, "level" | "edges">, v: number): number {
  if (Number.isNaN(v)) return BINS - 1;
  if (column.level) return Math.abs(v) % (BINS - 1);
  let b = 0;
  while (b < column.edges.length && v > column.edges[b]!) b++;
  return b;
}

function codesOf(points: Matrix, columns: readonly Column[], words: number): Uint32Array {
  const codes = new Uint32Array(points.rows * words);
  columns.forEach((column, c) => {
    for (let p = 0; p < points.rows; p++) {
      const bin = binOf(column, points.data[p * points.cols + column.k]!);
      codes[p * words + (c >> 3)]! |= bin << (4 * (c & 7));
    }
  });
  return codes;
}

/** Least distance in this column between the query's value and any point of bin b. */
function boundOf(column: Column, b: number, q: number): number {
  const missing = b === BINS - 1;
  if (Number.isNaN(q) || missing) return Number.isNaN(q) && missing ? 0 : 1;
  if (column.level) return binOf(column, q) === b ? 0 : 1;
  return Math.max(0, column.low[b]! - q, q - column.high[b]!);
}

/** For every pair of columns and every byte, the sum of both bounds. */
function boundsOf({ columns, words }: File, query: ArrayLike<number>): Float64Array {
  const table = new Float64Array(words * 4 * BINS * BINS);
  columns.forEach((column, c) => {
    const start = (c >> 1) * BINS * BINS;
    for (let b = 0; b < BINS; b++) {
      const bound = boundOf(column, b, query[column.k]!);
      for (let other = 0; other < BINS; other++) {
        table[start + (c % 2 === 0 ? b + BINS * other : other + BINS * b)]! += bound;
      }
    }
  });
  return table;
}

/** Bounds of the eight columns of one word, its table starting at t. */
function wordBound(table: Float64Array, t: number, word: number): number {
  return (
    table[t + (word & 255)]! +
    table[t + 256 + ((word >>> 8) & 255)]! +
    (table[t + 512 + ((word >>> 16) & 255)]! + table[t + 768 + (word >>> 24)]!)
  );
}

/**
 * The heap holds the worst of the best on top: keys are −distance, items −1 − index. The first two words are
 * summed without a branch between them: guessing wrong costs more than summing on.
 */
function scan(file: File, query: ArrayLike<number>, count: number): Near {
  const { words, codes } = file;
  const table = boundsOf(file, query);
  const q = Float64Array.from(file.column, (k) => query[k]!);
  const best = new Heap(count + 1);
  let worst = Number.POSITIVE_INFINITY;
  let limit = worst;
  const end = count === 0 ? 0 : codes.length;
  for (let at = 0, p = 0; at < end; at += words, p++) {
    let bound = wordBound(table, 0, codes[at]!) + wordBound(table, 1024, codes[at + 1]!);
    for (let w = 2; w < words && bound <= limit; w++) {
      bound += wordBound(table, 1024 * w, codes[at + w]!);
    }
    if (bound > limit) continue;
    const distance = measure(file, p, q, worst);
    if (distance > worst) continue;
    best.push(-distance, -1 - p);
    if (best.size > count) best.pop();
    if (best.size < count) continue;
    worst = -best.key;
    limit = worst * SLACK;
  }
  return drain(best);
}

/** d(point p, query), or any number above `worst` once it is above it. */
function measure(file: File, p: number, q: Float64Array, worst: number): number {
  const { data, cols } = file.points;
  const { column, level } = file;
  let sum = 0;
  for (let c = 0; c < column.length && sum <= worst; c++) {
    const a = data[p * cols + column[c]!]!;
    const gap = Math.abs(a - q[c]!);
    if (Number.isNaN(gap)) sum += Number.isNaN(a) && Number.isNaN(q[c]!) ? 0 : 1;
    else sum += level[c] === 1 ? Number(gap > 0) : gap;
  }
  return sum;
}

function drain(best: Heap): Near {
  const index = new Int32Array(best.size);
  const distance = new Float64Array(best.size);
  for (let t = best.size - 1; t >= 0; t--) {
    distance[t] = -best.key;
    index[t] = -1 - best.pop();
  }
  return { index, distance };
}
