import type { Matrix } from "../basic-types.ts";
import { Heap } from "./heap.ts";
import {
  BINS,
  binOf,
  boundOf,
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
  early: number,
  tables: number,
  sum: number,
  out: number,
) => number;

/** Points of a block, pairs of columns summed before the first look, points measured before the first block. */
const [BLOCK, EARLY, SAMPLE] = [16, 8, 128];
/** Points below which a kernel of their own does not pay. */
const FEW = 512;
/** Blocks between two looks at the worst of the best: few at first, while it falls fast. */
const [FIRST, MOST] = [64, 1024];
/** A sum of bounds as a byte: 255 is too far; a bound rounds down, by more than products and sums of doubles may be off. */
const [FAR, UNITS, DOWN] = [255, 254, 1 - 1e-9];

/** The rows of a table as 4-bit codes, which the kernel of kernels/scan.ts looks through. */
interface CodeScan {
  /** To be filled for a query: the bounds of each bin, column after column. */
  readonly bounds: Float64Array;
  /**
   * The `count` rows with the least `far`, nearest first, ties by index, of those no farther than `worst`; `far` may tell
   * any number above the second argument once it is above it.
   */
  nearest(far: (row: number, worst: number) => number, count: number, worst: number): Near;
}

/** Undefined where there is no kernel, or too few rows for it to pay. */
export function codeScan({ rows, cols, data }: Matrix, columns: readonly Column[]): CodeScan | undefined {
  const pairs = (columns.length + 1) >> 1;
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
  columns.forEach((column, c) => {
    for (let p = 0; p < rows; p++) {
      const at = (Math.floor(p / BLOCK) * pairs + (c >> 1)) * BLOCK + (p % BLOCK);
      codes[at]! |= binOf(column, data[p * cols + column.k]!) << (4 * (c & 1));
    }
  });
  const bounds = new Float64Array(2 * pairs * BINS);
  const early = Math.min(EARLY, pairs);
  return {
    bounds,
    nearest(far, count, least) {
      let worst = least;
      const best = new Heap(count + 1);
      for (
        let from = 0, size = FIRST;
        from < blocks && count > 0;
        from += size, size = Math.min(MOST, 2 * size)
      ) {
        quantised(bounds, worst, tables);
        const to = Math.min(blocks, from + size);
        const listed = kernel.run.scan(codesAt, from, to, pairs, early, tablesAt, sumAt, outAt);
        bySum(out, listed, nearFirst);
        const unit = UNITS / worst;
        for (let t = 0; t < listed; t++) {
          const entry = nearFirst[t]!;
          // The bounds of whoever is no farther than the worst by now sum to no more; NaN where there is no unit.
          if ((entry & FAR) > worst * unit) break;
          const p = BLOCK * from + (entry >>> 8);
          if (p >= rows) continue;
          const distance = far(p, worst);
          if (distance > worst) continue;
          best.push(-distance, -1 - p);
          if (best.size > count) best.pop();
          if (best.size === count) worst = Math.min(worst, -best.key);
        }
      }
      return drain(best);
    },
  };
}

/** `nearest` by the kernel; undefined where there is none. The points it lists are measured exactly. */
export function kernelNearest(
  points: Points,
  columns: readonly Column[],
): ((query: ArrayLike<number>, count: number) => Near) | undefined {
  const scan = codeScan(points.table, columns);
  return (
    scan &&
    ((query, count) => {
      const q = Float64Array.from(points.column, (k) => query[k]!);
      columns.forEach((column, c) => {
        for (let b = 0; b < BINS; b++) scan.bounds[c * BINS + b] = boundOf(column, b, q[c]!);
      });
      return scan.nearest((p, worst) => measure(points, p, q, worst), count, sampled(points, q, count));
    })
  );
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

/** The distance of the count-th nearest of a few points: no point farther away is among the nearest of all. */
function sampled(points: Points, q: Float64Array, count: number): number {
  const { rows } = points.table;
  const step = Math.max(1, Math.floor(rows / SAMPLE));
  const best = new Heap(count + 1);
  let worst = Number.POSITIVE_INFINITY;
  for (let p = 0; p < rows && count > 0; p += step) {
    const distance = measure(points, p, q, worst);
    if (distance > worst) continue;
    best.push(-distance, -1 - p);
    if (best.size > count) best.pop();
    if (best.size === count) worst = -best.key;
  }
  return worst;
}
