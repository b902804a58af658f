import { ColaError } from "../errors.ts";
import { squaredDistance } from "../num/linalg.ts";
import { checkMatrix, checkSameCols } from "../num/matrix.ts";
import type { Cost, Matrix } from "../types.ts";
import { notFinite } from "./finite-row.ts";

/**
 * c_ij = ‖x_i − r_j‖² = Σ_k (x_ik − r_jk)². Shapes: x is n × d, r is m × d.
 * Missing values have no distance here: scale rows with the mixed metric first.
 */
export function squaredEuclidean(x: Matrix, r: Matrix): Cost {
  checkPoints("x", x);
  checkPoints("r", r);
  checkSameCols("squaredEuclidean", x, r);
  checkSpread(x, r);
  return {
    n: x.rows,
    m: r.rows,
    row: (i, out) => distancesInto(x, i, i + 1, r, out, 0),
    points: { x, r },
    dense() {
      const out = new Float64Array(x.rows * r.rows);
      distancesInto(x, 0, x.rows, r, out, 0);
      return { data: out, rows: x.rows, cols: r.rows };
    },
  };
}

/** A cost as it is, or the cost whose c_ij is cell (i, j) of a finite matrix. */
export function costOf(cost: Cost | Matrix): Cost {
  if (typeof (cost as Partial<Cost> | undefined)?.row === "function") return cost as Cost;
  const dense = cost as Matrix;
  checkDense(dense);
  const { rows: n, cols: m, data } = dense;
  return {
    n,
    m,
    row: (i, out) => out.set(data.subarray(i * m, (i + 1) * m)),
    dense: () => dense,
  };
}

/**
 * Writes ‖x_i − r_j‖² for i = from … to − 1 and all j into `out`, row by row from `at` on. Two rows and four columns
 * at a time share their reads; every sum runs over k in order, so that it is the same number whatever the block.
 */
export function distancesInto(
  x: Matrix,
  from: number,
  to: number,
  r: Matrix,
  out: Float64Array,
  at: number,
): void {
  const d = x.cols;
  const m = r.rows;
  let o = at;
  let i = from;
  for (; i + 1 < to; i += 2, o += 2 * m) pairInto(x, i, r, out, o);
  if (i === to) return;
  for (let j = 0; j < m; j++) out[o + j] = squaredDistance(x.data, i * d, r.data, j * d, d);
}

/** Rows i and i + 1 of the distances. */
function pairInto(x: Matrix, i: number, r: Matrix, out: Float64Array, at: number): void {
  const d = x.cols;
  const m = r.rows;
  const xs = x.data;
  const rs = r.data;
  const p = i * d;
  const q = p + d;
  const whole = m - (m % 4);
  for (let j = 0; j < whole; j += 4) {
    const r0 = j * d;
    const r1 = r0 + d;
    const r2 = r1 + d;
    const r3 = r2 + d;
    let p0 = 0;
    let p1 = 0;
    let p2 = 0;
    let p3 = 0;
    let q0 = 0;
    let q1 = 0;
    let q2 = 0;
    let q3 = 0;
    for (let k = 0; k < d; k++) {
      const a = xs[p + k]!;
      const b = xs[q + k]!;
      let c = rs[r0 + k]!;
      p0 += (a - c) * (a - c);
      q0 += (b - c) * (b - c);
      c = rs[r1 + k]!;
      p1 += (a - c) * (a - c);
      q1 += (b - c) * (b - c);
      c = rs[r2 + k]!;
      p2 += (a - c) * (a - c);
      q2 += (b - c) * (b - c);
      c = rs[r3 + k]!;
      p3 += (a - c) * (a - c);
      q3 += (b - c) * (b - c);
    }
    const o = at + j;
    out[o] = p0;
    out[o + 1] = p1;
    out[o + 2] = p2;
    out[o + 3] = p3;
    out[o + m] = q0;
    out[o + m + 1] = q1;
    out[o + m + 2] = q2;
    out[o + m + 3] = q3;
  }
  for (let j = whole; j < m; j++) {
    out[at + j] = squaredDistance(xs, p, rs, j * d, d);
    out[at + m + j] = squaredDistance(xs, q, rs, j * d, d);
  }
}

function checkPoints(name: string, m: Matrix): void {
  checkMatrix("squaredEuclidean", name, m);
  const at = m.data.findIndex(Number.isNaN);
  if (at < 0) return;
  const row = Math.floor(at / m.cols);
  throw new ColaError(
    "COST_INVALID",
    `squaredEuclidean: ${name} has a missing value in row ${row}, column ${at % m.cols}, which has no distance; scale the rows with the mixed metric, or fill the value in.`,
    { name, row, column: at % m.cols },
  );
}

/** Throws where Σ_k (max − min)², the largest distance there could be, is not a finite number. */
function checkSpread(x: Matrix, r: Matrix): void {
  let bound = 0;
  for (let k = 0; k < x.cols; k++) {
    const { low, high } = columnRange(x, r, k);
    bound += (high - low) ** 2;
    if (bound === Number.POSITIVE_INFINITY) {
      throw new ColaError(
        "COST_INVALID",
        `squaredEuclidean: the values of column ${k} run from ${low} to ${high}, and the square of that overflows; scale the columns first.`,
        { column: k, low, high },
      );
    }
  }
}

/** Smallest and largest value of column k over both tables. */
export function columnRange(x: Matrix, r: Matrix, k: number): { low: number; high: number } {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const { data, rows, cols } of [x, r]) {
    for (let i = 0; i < rows; i++) {
      const v = data[i * cols + k]!;
      if (v < low) low = v;
      if (v > high) high = v;
    }
  }
  return { low, high };
}

function checkDense(cost: Matrix): void {
  if (!(cost?.data instanceof Float64Array && cost.data.length) || cost.data.length !== cost.rows * cost.cols)
    checkMatrix("costOf", "cost", cost);
  const { data, cols } = cost;
  let at = 0;
  while (at < data.length && data[at]! - data[at]! === 0) at++;
  if (at < data.length) throw notFinite("costOf", Math.floor(at / cols), at % cols, data[at]!);
}
