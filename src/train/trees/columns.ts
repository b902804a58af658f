import type { Steps } from "../../model/steps.ts";
import type { Matrix } from "../../types.ts";

/**
 * Columns as codes: cell (i, k) has code c iff low[k][c] ≤ x_ik ≤ high[k][c], codes ascend with the values,
 * and a missing cell has the code low[k].length. Exact columns have one code per value (low = high).
 */
export interface Columns {
  readonly rows: number;
  /** One array of n codes per column. */
  readonly codes: readonly (Uint16Array | Uint32Array)[];
  readonly low: readonly Float64Array[];
  readonly high: readonly Float64Array[];
}

/** One code per distinct value. */
export function* codeColumns(x: Matrix): Steps<Columns> {
  const values: Float64Array[] = [];
  for (let k = 0; k < x.cols; k++) {
    values.push(distinct(x, k));
    yield [0, x.cols];
  }
  // Codes in 16 bits where every column allows it: half the memory traffic of the growers.
  const Codes = values.every((v) => v.length < 65536) ? Uint16Array : Uint32Array;
  const codes: (Uint16Array | Uint32Array)[] = [];
  for (let k = 0; k < x.cols; k++) {
    const own = new Codes(x.rows);
    for (let i = 0; i < x.rows; i++) own[i] = codeOf(values[k]!, x.data[i * x.cols + k]!);
    codes.push(own);
    yield [0, x.cols];
  }
  return { rows: x.rows, codes, low: values, high: values };
}

function distinct(x: Matrix, k: number): Float64Array {
  const column = new Float64Array(x.rows);
  let present = 0;
  for (let i = 0; i < x.rows; i++) {
    const v = x.data[i * x.cols + k]!;
    if (!Number.isNaN(v)) column[present++] = v;
  }
  const values = column.subarray(0, present).sort();
  let size = 0;
  for (let i = 0; i < present; i++)
    if (i === 0 || values[i] !== values[size - 1]) values[size++] = values[i]!;
  return values.slice(0, size);
}

/** Index of z among the ascending `values`, which hold it; their number when z is missing. */
function codeOf(values: Float64Array, z: number): number {
  if (Number.isNaN(z)) return values.length;
  let from = 0;
  let to = values.length - 1;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (values[middle]! < z) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Weights of the rows behind each code of column k, missing cells left out. */
function codeWeights(columns: Columns, k: number, weights: Float64Array): Float64Array {
  const sums = new Float64Array(columns.low[k]!.length + 1);
  const codes = columns.codes[k]!;
  for (let i = 0; i < columns.rows; i++) sums[codes[i]!]! += weights[i]!;
  return sums.subarray(0, sums.length - 1);
}

/** The same columns with at most `bins` codes each, none (where possible) lighter than `minWeight`. */
export function* binColumns(
  exact: Columns,
  weights: Float64Array,
  bins: number,
  minWeight: number,
): Steps<Columns> {
  const codes: (Uint16Array | Uint32Array)[] = [];
  const low: Float64Array[] = [];
  const high: Float64Array[] = [];
  for (let k = 0; k < exact.codes.length; k++) {
    const ends = binEnds(codeWeights(exact, k, weights), bins, minWeight);
    const bin = binOfCode(ends, exact.low[k]!.length);
    const own = exact.codes[k]!.slice();
    for (let i = 0; i < own.length; i++) own[i] = bin[own[i]!]!;
    codes.push(own);
    low.push(Float64Array.from(ends, (_, b) => exact.low[k]![b === 0 ? 0 : ends[b - 1]! + 1]!));
    high.push(Float64Array.from(ends, (end) => exact.high[k]![end]!));
    yield [0, exact.codes.length];
  }
  return { rows: exact.rows, codes, low, high };
}

/** Bin of each code; the code of missing cells becomes the number of bins. */
function binOfCode(ends: readonly number[], codes: number): Int32Array {
  const bin = new Int32Array(codes + 1);
  for (let b = 0, code = 0; b < ends.length; b++) while (code <= ends[b]!) bin[code++] = b;
  bin[codes] = ends.length;
  return bin;
}

/**
 * Last code of each bin. Few values: neighbours are merged until a bin weighs `minWeight`. Many values: a
 * value heavier than the mean bin has a bin of its own, and the others fill bins of equal weight (the
 * greedy rule of Ke et al. 2017, LightGBM).
 */
function binEnds(weights: Float64Array, bins: number, minWeight: number): number[] {
  const n = weights.length;
  const total = weights.reduce((a, b) => a + b, 0);
  const few = n <= bins;
  const most = few ? n : Math.max(1, Math.min(bins, Math.floor(total / minWeight)));
  const heavy = weights.map((w) => (!few && w >= total / most ? 1 : 0));
  let restBins = most - heavy.reduce((a, b) => a + b, 0);
  let rest = total - weights.reduce((sum, w, c) => sum + heavy[c]! * w, 0);
  let mean = few ? minWeight : rest / restBins;
  const ends: number[] = [];
  let held = 0;
  for (let c = 0; c < n - 1 && ends.length < most - 1; c++) {
    held += weights[c]!;
    if (heavy[c] === 0) rest -= weights[c]!;
    const beforeHeavy = heavy[c + 1] === 1 && held >= mean / 2;
    if (heavy[c] === 0 && held < mean && !beforeHeavy) continue;
    ends.push(c);
    held = 0;
    if (few || heavy[c] === 1) continue;
    restBins--;
    mean = rest / restBins;
  }
  if (n > 0) ends.push(n - 1);
  return ends;
}

/** The midpoint between the last code that goes left and the first that goes right; `right` = number of codes: nothing but missing cells does. */
export function threshold(columns: Columns, k: number, left: number, right: number): number {
  const low = columns.low[k]!;
  if (right >= low.length) return Number.MAX_VALUE;
  const a = columns.high[k]![left]!;
  const b = low[right]!;
  const middle = a / 2 + b / 2;
  return middle < b ? Math.max(a, middle) : a;
}
