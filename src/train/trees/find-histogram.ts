import type { Columns } from "./columns.ts";
import { type Finder, type GrowRules, type Leaf, mayGrow } from "./grow.ts";
import type { Sample } from "./node-sums.ts";
import { type ColumnSums, noSplit, type ScanRules, scanScalar } from "./scan.ts";

/** The binned table, row by row: cell (i, k) is the bin's index among the bins of all columns. */
interface BinTable {
  readonly columns: Columns;
  readonly cells: Uint16Array | Uint32Array;
  /** First bin of each column; a column's last bin holds its missing cells. */
  readonly first: Int32Array;
  /** Number of bins of all columns. */
  readonly bins: number;
}

export function binTable(columns: Columns): BinTable {
  const d = columns.codes.length;
  const first = new Int32Array(d + 1);
  columns.low.forEach((low, k) => {
    first[k + 1] = first[k]! + low.length + 1;
  });
  const bins = first[d]!;
  const cells = bins <= 65536 ? new Uint16Array(columns.rows * d) : new Uint32Array(columns.rows * d);
  columns.codes.forEach((codes, k) => {
    for (let i = 0; i < columns.rows; i++) cells[i * d + k] = first[k]! + codes[i]!;
  });
  return { columns, cells, first, bins };
}

/**
 * Finds the best split of a node from the histogram of its sums over all bins. Of two children only the
 * smaller one is summed up; the other's histogram is the parent's minus it, exactly (see fixedPoint).
 * Only the columns in `features` are looked at.
 */
export function histogramFinder(
  table: BinTable,
  sample: Sample,
  scan: ScanRules,
  growth: GrowRules,
  features: Int32Array,
): Finder {
  const counted = scan.minRows > 1;
  const stride = counted ? 3 : 2;
  const spare: Float64Array[] = [];
  const held = new Map<Leaf, Float64Array>();
  const column: ColumnSums = {
    codes: new Int32Array(table.bins),
    sums: new Float64Array(table.bins * stride),
    size: 0,
    missing: 0,
  };
  const build = (leaf: Leaf): Float64Array => {
    const histogram = spare.pop()?.fill(0) ?? new Float64Array(table.bins * stride);
    addRows(table, sample, leaf, histogram, counted);
    return histogram;
  };
  const find = (leaf: Leaf, histogram: Float64Array): void => {
    if (!mayGrow(leaf, growth)) {
      spare.push(histogram);
      return;
    }
    const split = noSplit(scan);
    const { g, h } = totals(table, histogram, stride);
    for (const k of features) {
      collect(table, histogram, k, stride, column);
      scanScalar(split, k, column, g, h, leaf.end - leaf.start, scan);
    }
    if (split.feature < 0) {
      spare.push(histogram);
      return;
    }
    leaf.split = split;
    held.set(leaf, histogram);
  };
  return {
    root: (leaf) => find(leaf, build(leaf)),
    children: (parent, left, right) => {
      const all = held.get(parent)!;
      held.delete(parent);
      if (!mayGrow(left, growth) && !mayGrow(right, growth)) {
        spare.push(all);
        return;
      }
      const [small, large] = left.end - left.start <= right.end - right.start ? [left, right] : [right, left];
      const part = build(small);
      subtract(all, part);
      find(small, part);
      find(large, all);
    },
  };
}

/** Adds the rows of `leaf` to the histogram. */
function addRows(
  table: BinTable,
  sample: Sample,
  leaf: Leaf,
  histogram: Float64Array,
  counted: boolean,
): void {
  const { cells } = table;
  const { rows, g, h } = sample;
  const d = table.columns.codes.length;
  for (let i = leaf.start; i < leaf.end; i++) {
    const row = rows[i]!;
    const gi = g[row]!;
    const hi = h[row]!;
    const end = (row + 1) * d;
    if (counted) {
      for (let c = row * d; c < end; c++) {
        const at = 3 * cells[c]!;
        histogram[at]! += gi;
        histogram[at + 1]! += hi;
        histogram[at + 2]! += 1;
      }
    } else {
      for (let c = row * d; c < end; c++) {
        const at = 2 * cells[c]!;
        histogram[at]! += gi;
        histogram[at + 1]! += hi;
      }
    }
  }
}

function subtract(from: Float64Array, part: Float64Array): void {
  for (let b = 0; b < from.length; b++) from[b]! -= part[b]!;
}

/** Sums of the whole node, from the bins of its first column. */
function totals(table: BinTable, histogram: Float64Array, stride: number): { g: number; h: number } {
  let g = 0;
  let h = 0;
  for (let b = 0; b < table.first[1]!; b++) {
    g += histogram[stride * b]!;
    h += histogram[stride * b + 1]!;
  }
  return { g, h };
}

/** The bins of column k that are not empty. */
function collect(table: BinTable, histogram: Float64Array, k: number, stride: number, out: ColumnSums): void {
  const { codes, sums } = out;
  const from = table.first[k]!;
  const bins = table.first[k + 1]! - from;
  let size = 0;
  for (let b = 0; b < bins; b++) {
    const at = stride * (from + b);
    const h = histogram[at + 1]!;
    if (h === 0) continue;
    codes[size] = b;
    const to = stride * size++;
    sums[to] = histogram[at]!;
    sums[to + 1] = h;
    if (stride === 3) sums[to + 2] = histogram[at + 2]!;
  }
  out.size = size;
  out.missing = bins - 1;
}
