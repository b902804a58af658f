import type { Matrix } from "../basic-types.ts";
import type { Work } from "../budget.ts";
import { Heap } from "./heap.ts";
import {
  BINS,
  binOf,
  boundsInto,
  type Column,
  columnOf,
  drain,
  measure,
  type Near,
  type Points,
} from "./neighbour-columns.ts";
import { kernelNearest } from "./neighbours-kernel.ts";

export type { Near } from "./neighbour-columns.ts";

/** The nearest rows of a fixed set under d(a, b) = Σ_k |a_k − b_k|. */
export interface Neighbours {
  readonly rows: number;
  /** The `count` nearest rows (all of them if fewer), nearest first, ties by index. */
  nearest(query: ArrayLike<number>, count: number): Near;
}

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
  const all: Points = {
    table: points,
    column: Int32Array.from(columns, ({ k }) => k),
    level: Uint8Array.from(columns, ({ level }) => Number(level)),
  };
  const nearest = kernelNearest(all, columns) ?? plainNearest(all, columns);
  return { rows: points.rows, nearest: (query, count) => nearest(query, Math.min(count, points.rows)) };
}

interface File {
  readonly points: Points;
  readonly columns: readonly Column[];
  /** Four bits per column, eight columns per word, point after point. */
  readonly codes: Uint32Array;
  readonly words: number;
}

function plainNearest(
  points: Points,
  columns: readonly Column[],
): (query: ArrayLike<number>, count: number) => Near {
  const words = Math.max(2, (columns.length + 7) >> 3);
  const file: File = { points, columns, words, codes: codesOf(points.table, columns, words) };
  return (query, count) => scan(file, query, count);
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

/** For every pair of columns and every byte, the sum of both bounds. */
function boundsOf({ columns, words }: File, query: ArrayLike<number>): Float64Array {
  const table = new Float64Array(words * 4 * BINS * BINS);
  const bounds = new Float64Array(BINS);
  columns.forEach((column, c) => {
    const start = (c >> 1) * BINS * BINS;
    boundsInto(column, query[column.k]!, bounds, 0);
    for (let b = 0; b < BINS; b++) {
      for (let other = 0; other < BINS; other++) {
        table[start + (c % 2 === 0 ? b + BINS * other : other + BINS * b)]! += bounds[b]!;
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
  const q = Float64Array.from(file.points.column, (k) => query[k]!);
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
    const distance = measure(file.points, p, q, worst);
    if (distance > worst) continue;
    best.push(-distance, -1 - p);
    if (best.size > count) best.pop();
    if (best.size < count) continue;
    worst = -best.key;
    limit = worst * SLACK;
  }
  return drain(best);
}
