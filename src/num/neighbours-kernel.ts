import type { Matrix } from "../basic-types.ts";
import { Heap } from "./heap.ts";
import {
  BINS,
  binOf,
  boundsInto,
  type Column,
  drain,
  measure,
  type Near,
  type Points,
} from "./neighbour-columns.ts";
import { SCAN_CODE } from "./wasm/scan.ts";
import { startKernel } from "./wasm.ts";

type Scan = (
  codes: number,
  from: number,
  to: number,
  pairs: number,
  step: number,
  tables: number,
  sum: number,
  out: number,
) => number;

/** Points of a block, pairs of columns summed between two looks, rows by which columns are put into order. */
const [BLOCK, STEP, SAMPLE] = [16, 4, 128];
/** Points below which a kernel of their own does not pay. */
const FEW = 512;
/** Blocks between two looks at the worst of the best: as few as there must be at first, then so many times more each. */
const [GROWTH, MOST] = [32, 8192];
/** A sum of bounds as a byte: 255 is too far; a bound rounds down, by more than products and sums of doubles may be off. */
const [FAR, UNITS, DOWN] = [255, 254, 1 - 1e-9];

/** The rows of a table as 4-bit codes, which the kernel of kernels/scan.ts looks through. */
interface CodeScan {
  /** The columns, first those that tell rows apart best. */
  readonly columns: readonly Column[];
  /** To be filled for a query: the bounds of the bins, column after column. */
  readonly bounds: Float64Array;
  /**
   * The `count` rows with the least `far`, nearest first, ties by index; `far` may tell any number above the second argument
   * once it is above it. The rows whose codes are like the query's are looked at first.
   */
  nearest(query: ArrayLike<number>, far: (row: number, worst: number) => number, count: number): Near;
}

/** Writes the least that the cells of each bin add to the distance of a row with the cell q, from `at` on. */
type BoundsInto = (column: Column, q: number, out: Float64Array, at: number) => void;

/** Undefined where there is no kernel, or too few rows for it to pay. */
export function codeScan(
  table: Matrix,
  given: readonly Column[],
  boundsOf: BoundsInto,
): CodeScan | undefined {
  const { rows, cols, data } = table;
  const pairs = (given.length + 1) >> 1;
  const blocks = Math.ceil(rows / BLOCK);
  if (rows < FEW || pairs === 0) return undefined;
  const kernel = startKernel<{ scan: Scan }>(SCAN_CODE, blocks * pairs * BLOCK + 4 * BLOCK * MOST + 65536);
  if (!kernel) return undefined;
  const codesAt = kernel.take(blocks * pairs * BLOCK);
  const tablesAt = kernel.take(2 * pairs * BINS);
  const sumAt = kernel.take(BLOCK);
  const outAt = kernel.take(4 * BLOCK * MOST);
  const codes = new Uint8Array(kernel.buffer, codesAt, blocks * pairs * BLOCK);
  const tables = new Uint8Array(kernel.buffer, tablesAt, 2 * pairs * BINS);
  const out = new Uint32Array(kernel.buffer, outAt, BLOCK * MOST);
  const nearFirst = new Uint32Array(BLOCK * MOST);
  const columns = tellingFirst(table, given, boundsOf);
  const leading = columns.slice(0, Math.floor((53 - Math.log2(rows)) / 4));
  const keyOf = (cells: ArrayLike<number>, from: number): number =>
    leading.reduce((key, column) => BINS * key + binOf(column, cells[from + column.k]!), 0);
  // Rows in the order of their codes, each as its key times the number of rows, and itself.
  const order = Float64Array.from({ length: rows }, (_, row) => keyOf(data, row * cols) * rows + row).sort();
  columns.forEach((column, c) => {
    for (let p = 0; p < rows; p++) {
      const at = (Math.floor(p / BLOCK) * pairs + (c >> 1)) * BLOCK + (p % BLOCK);
      codes[at]! |= binOf(column, data[(order[p]! % rows) * cols + column.k]!) << (4 * (c & 1));
    }
  });
  const bounds = new Float64Array(2 * pairs * BINS);
  return {
    columns,
    bounds,
    nearest(query, far, count) {
      let worst = Number.POSITIVE_INFINITY;
      const best = new Heap(count + 1);
      const middle = Math.floor(bisect(order, keyOf(query, 0) * rows) / BLOCK);
      const first = Math.ceil(count / BLOCK);
      const start = Math.max(0, middle - (first >> 1));
      let from = start;
      for (let left = count === 0 ? 0 : blocks, size = first; left > 0; size = GROWTH * size) {
        quantised(bounds, worst, tables);
        const to = Math.min(from < start ? start : blocks, from + Math.min(size, MOST));
        const listed = kernel.run.scan(codesAt, from, to, pairs, STEP, tablesAt, sumAt, outAt);
        bySum(out, listed, nearFirst);
        const unit = UNITS / worst;
        for (let t = 0; t < listed; t++) {
          const entry = nearFirst[t]!;
          // The bounds of whoever is no farther than the worst by now sum to no more; NaN where there is no unit.
          if ((entry & FAR) > worst * unit) break;
          const p = BLOCK * from + (entry >>> 8);
          if (p >= rows) continue;
          const row = order[p]! % rows;
          const distance = far(row, worst);
          if (distance > worst) continue;
          best.push(-distance, -1 - row);
          if (best.size > count) best.pop();
          if (best.size === count) worst = -best.key;
        }
        left -= to - from;
        from = to === blocks ? 0 : to;
      }
      return drain(best);
    },
  };
}

/** The number of entries below `value` in an ascending list. */
function bisect(list: Float64Array, value: number): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** `nearest` by the kernel; undefined where there is none. The points it lists are measured exactly. */
export function kernelNearest(
  points: Points,
  columns: readonly Column[],
): ((query: ArrayLike<number>, count: number) => Near) | undefined {
  const scan = codeScan(points.table, columns, boundsInto);
  return (
    scan &&
    ((query, count) => {
      const q = Float64Array.from(points.column, (k) => query[k]!);
      scan.columns.forEach((column, c) => {
        boundsInto(column, query[column.k]!, scan.bounds, c * BINS);
      });
      return scan.nearest(query, (row, worst) => measure(points, row, q, worst), count);
    })
  );
}

/** The columns by the mean bound between two of some rows, largest first. */
function tellingFirst(
  { rows, cols, data }: Matrix,
  columns: readonly Column[],
  boundsOf: BoundsInto,
): Column[] {
  const step = Math.max(1, Math.floor(rows / SAMPLE));
  const bounds = new Float64Array(BINS);
  const sum = (column: Column): number => {
    const count = new Uint32Array(BINS);
    const cells = Array.from({ length: Math.ceil(rows / step) }, (_, t) => data[t * step * cols + column.k]!);
    for (const cell of cells) count[binOf(column, cell)]!++;
    let total = 0;
    for (const cell of cells) {
      boundsOf(column, cell, bounds, 0);
      count.forEach((times, b) => {
        if (times > 0) total += times * bounds[b]!;
      });
    }
    return total;
  };
  const sums = new Map(columns.map((column) => [column, sum(column)]));
  return [...columns].sort((a, b) => sums.get(b)! - sums.get(a)!);
}

/** The first entries of `listed` in the order of their sums, those of equal sums as they came. */
function bySum(listed: Uint32Array, count: number, sorted: Uint32Array): void {
  const start = new Uint32Array(FAR + 1);
  for (let t = 0; t < count; t++) start[(listed[t]! & FAR) + 1]!++;
  for (let sum = 1; sum <= FAR; sum++) start[sum]! += start[sum - 1]!;
  for (let t = 0; t < count; t++) sorted[start[listed[t]! & FAR]!++] = listed[t]!;
}

/** Bounds in units of which `UNITS` are as far as the worst; whoever is no farther sums to less than FAR. */
function quantised(bounds: Float64Array, worst: number, tables: Uint8Array): void {
  const scale = Math.min(Number.MAX_VALUE, (UNITS * DOWN) / worst);
  for (let at = 0; at < bounds.length; at++) {
    const units = bounds[at] === 0 || scale === 0 ? 0 : bounds[at]! * scale;
    tables[at] = units < FAR ? units : FAR;
  }
}
