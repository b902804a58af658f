import type { Work } from "../budget.ts";
import { squaredDistance } from "../num/linalg.ts";
import type { Cost, Matrix } from "../types.ts";
import { columnRange, distancesInto } from "./cost.ts";
import { type Reader, rowReader } from "./reader.ts";

/** The costs c'_ij between n rows and m columns. */
export interface CostRows {
  readonly n: number;
  readonly m: number;
  /** c'_ij. */
  cell(i: number, j: number): number;
  /** Reads rows under prices of the first columns, as many as v has. */
  under(v: Float64Array): Reader;
  /** v_j = min_i c'_ij over the first n rows and the columns of v, where this is quicker than row by row. */
  lowest?(n: number, v: Float64Array, work: Work): Promise<void>;
}

/**
 * The costs a solver sees: c_ij = scale·c'_ij + alpha_i + beta_j. Plans that are optimal for c' are optimal
 * for c, and duals are carried back by the same formula.
 */
export interface Problem extends CostRows {
  readonly scale: number;
  readonly alpha: Float64Array;
  readonly beta: Float64Array;
  /** c_ij as it was given. */
  cost(i: number, j: number): number;
}

/** Squared distances between the rows of x and s by a kernel that keeps so many bytes; undefined where it does not pay. */
export type PointRows = (x: Matrix, s: Matrix, bytes: number) => CostRows | undefined;

/** No kernel, unless one has been brought. */
let pointRows: PointRows = () => undefined;

/** Brings a kernel for problems of points: it gives the same plans to the bit, sooner. */
export function readPointsBy(rows: PointRows): void {
  pointRows = rows;
}

/**
 * Squared Euclid between x (n × d) and r (m × d), each side moved to its own mean x̄, r̄ and divided by a power of
 * two: with δ = x̄ − r̄, ‖x_i − r_j‖² = ‖x'_i − r'_j‖² + (2δ·x'_i + δ·δ) − 2δ·r'_j. The means are rounded to
 * 1/256 of the spread, so that whole-number data stay exact and their ties stay ties.
 */
export async function pointsProblem(
  x: Matrix,
  r: Matrix,
  supply: Float64Array,
  demand: Float64Array,
  bytes: number,
  work: Work,
): Promise<Problem> {
  const centreX = new Float64Array(x.cols);
  const centreR = new Float64Array(x.cols);
  for (let k = 0; k < x.cols; k++) {
    const { low, high } = columnRange(x, r, k);
    const grain = powerBelow(high - low) / 256;
    centreX[k] = centre(x, supply, k, grain);
    centreR[k] = centre(r, demand, k, grain);
  }
  const unit = powerBelow(Math.max(farthest(x, centreX), farthest(r, centreR)));
  const y = moved(x, centreX, unit);
  const s = moved(r, centreR, unit);
  const delta = centreX.map((c, k) => (c - centreR[k]!) / unit);
  const square = delta.reduce((sum, e) => sum + e * e, 0);
  const scale = unit * unit;
  const rows =
    pointRows(y, s, bytes) ??
    (await costRows(
      y.rows,
      s.rows,
      (from, to, out, at) => distancesInto(y, from, to, s, out, at),
      bytes,
      work,
    ));
  return {
    ...rows,
    scale,
    alpha: Float64Array.from({ length: y.rows }, (_, i) => scale * (2 * along(delta, y, i) + square)),
    beta: Float64Array.from({ length: s.rows }, (_, j) => -2 * scale * along(delta, s, j)),
    cost: (i, j) => squaredDistance(x.data, i * x.cols, r.data, j * x.cols, x.cols),
  };
}

/** Any other cost, its rows and columns in the given order, divided by a power of two near `largest`. */
export async function givenProblem(
  cost: Cost,
  order: { readonly rows: Int32Array; readonly cols: Int32Array; readonly largest: number },
  bytes: number,
  work: Work,
): Promise<Problem> {
  const scale = powerBelow(order.largest);
  const given = new Float64Array(cost.m);
  const { rows: rowOrder, cols: colOrder } = order;
  const fill: Fill = (from, to, out, at) => {
    for (let i = from, o = at; i < to; i++, o += colOrder.length) {
      cost.row(rowOrder[i]!, given);
      for (let j = 0; j < colOrder.length; j++) out[o + j] = given[colOrder[j]!]! / scale;
    }
  };
  const rows = await costRows(rowOrder.length, colOrder.length, fill, bytes, work);
  return {
    ...rows,
    scale,
    alpha: new Float64Array(rowOrder.length),
    beta: new Float64Array(colOrder.length),
    cost: (i, j) => rows.cell(i, j) * scale,
  };
}

/** Writes the costs of rows from … to − 1 into `out` from `at` on. */
type Fill = (from: number, to: number, out: Float64Array, at: number) => void;

/** Cells computed between two looks at the clock. */
const CELLS_PER_LOOK = 2 ** 14;

async function costRows(n: number, m: number, fill: Fill, bytes: number, work: Work): Promise<CostRows> {
  if (8 * n * m > bytes) {
    const data = new Float64Array(m);
    let held = -1;
    return rowsOf(n, m, data, (i) => {
      if (i !== held) fill(i, i + 1, data, 0);
      held = i;
      return 0;
    });
  }
  const data = new Float64Array(n * m);
  const step = 2 * Math.ceil(CELLS_PER_LOOK / m);
  for (let i = 0; i < n; i += step) {
    if (work.due()) await work.pause(0, n);
    fill(i, Math.min(n, i + step), data, i * m);
  }
  return rowsOf(n, m, data, (i) => i * m);
}

/** Costs of which those of row i start at data[at(i)]. */
export function rowsOf(n: number, m: number, data: Float64Array, at: (i: number) => number): CostRows {
  return { n, m, cell: (i, j) => data[at(i) + j]!, under: (v) => rowReader(data, at, v) };
}

/** The largest power of two that is at most `value`, within the range of a double; 1 for 0. */
function powerBelow(value: number): number {
  return value === 0 ? 1 : 2 ** Math.max(-1000, Math.floor(Math.log2(value)));
}

function centre(points: Matrix, units: Float64Array, k: number, grain: number): number {
  const { data, rows, cols } = points;
  const origin = data[k]!;
  let sum = 0;
  let total = 0;
  for (let i = 0; i < rows; i++) {
    sum += units[i]! * (data[i * cols + k]! - origin);
    total += units[i]!;
  }
  return Math.round((origin + sum / total) / grain) * grain;
}

function farthest(points: Matrix, centres: Float64Array): number {
  const { data, cols } = points;
  let largest = 0;
  for (let c = 0; c < data.length; c++) {
    const size = Math.abs(data[c]! - centres[c % cols]!);
    if (size > largest) largest = size;
  }
  return largest;
}

function moved(points: Matrix, centres: Float64Array, unit: number): Matrix {
  const { data, rows, cols } = points;
  return { data: data.map((v, c) => (v - centres[c % cols]!) / unit), rows, cols };
}

function along(direction: Float64Array, points: Matrix, i: number): number {
  let sum = 0;
  for (let k = 0; k < points.cols; k++) sum += direction[k]! * points.data[i * points.cols + k]!;
  return sum;
}
