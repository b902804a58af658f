import { addProduct, type Strided } from "./product.ts";
import { finish, type Steps } from "./steps.ts";

/**
 * Dense linear algebra over row-major Float64Arrays of n × n cells. A factor L is kept in the lower triangle
 * (diagonal included); what is above it is never read.
 */

/** Columns factored together, and rows of them updated between two chances to pause. */
const PANEL = 32;
const STRIP = 512;

/**
 * A = L Lᵀ in place for a symmetric positive definite A (only its lower triangle is read). Returns −1, or the
 * first column whose pivot is not above `floor` · its diagonal cell: A is not positive definite, and that
 * column depends on those before it.
 */
export function choleskyInPlace(a: Float64Array, n: number, floor = 0): number {
  return finish(choleskySteps(a, n, floor));
}

/**
 * The same in steps. Left-looking: a panel of columns first loses what the columns before it explain,
 * A[i, j] −= L[i, <from] · L[j, <from], and is then factored itself.
 */
export function* choleskySteps(a: Float64Array, n: number, floor = 0): Steps<number> {
  const least = Float64Array.from({ length: n }, (_, j) => floor * a[j * n + j]!);
  for (let from = 0; from < n; from += PANEL) {
    const to = Math.min(n, from + PANEL);
    for (let top = from; top < n; top += STRIP) {
      subtractProducts(a, n, from, to, top, Math.min(n, top + STRIP));
      yield [from, n];
    }
    const bad = factorPanel(a, n, from, to, least);
    if (bad >= 0) return bad;
  }
  return -1;
}

/** A[i, j] −= Σ_{k < from} L[i, k] L[j, k] for rows top ≤ i < bottom and columns j of the panel. */
function subtractProducts(
  a: Float64Array,
  n: number,
  from: number,
  to: number,
  top: number,
  bottom: number,
): void {
  const width = to - from;
  const products = new Float64Array((bottom - top) * width);
  const rows = (at: number): Strided => ({ data: a, at: at * n, row: n, col: 1 });
  addProduct(products, bottom - top, width, from, rows(top), rows(from));
  for (let i = top; i < bottom; i++) {
    for (let j = 0; j < width; j++) a[i * n + from + j]! -= products[(i - top) * width + j]!;
  }
}

/** Factors columns from … to − 1, row by row. */
function factorPanel(a: Float64Array, n: number, from: number, to: number, least: Float64Array): number {
  for (let i = from; i < n; i++) {
    const row = i * n;
    const last = Math.min(i + 1, to);
    for (let j = from; j < last; j++) {
      let sum = a[row + j]!;
      const other = j * n;
      for (let k = from; k < j; k++) sum -= a[row + k]! * a[other + k]!;
      if (j < i) a[row + j] = sum / a[other + j]!;
      else if (sum > least[j]! && sum > 0) a[row + j] = Math.sqrt(sum);
      else return j;
    }
  }
  return -1;
}

/** Solves L v = b in place. */
export function solveLower(l: Float64Array, n: number, b: Float64Array): void {
  for (let i = 0; i < n; i++) b[i] = (b[i]! - dot(l, i * n, b, 0, i)) / l[i * n + i]!;
}

/** Right-hand sides that `solveLowerLanes` takes. */
export const LANES = 4;

/**
 * Solves L v = b in place for four right-hand sides, b[LANES · i + lane]. Two rows of L times four lanes stay
 * in registers, which is several times faster than one after the other; no lane feels its neighbours, to the bit.
 */
export function solveLowerLanes(l: Float64Array, n: number, b: Float64Array): void {
  for (let i = 0; i < n; i += 2) {
    const row = i * n;
    // Where n is odd the last row is its own second.
    const next = Math.min(i + 1, n - 1) * n;
    let s0 = 0;
    let s1 = 0;
    let s2 = 0;
    let s3 = 0;
    let t0 = 0;
    let t1 = 0;
    let t2 = 0;
    let t3 = 0;
    for (let k = 0; k < i; k++) {
      const p = LANES * k;
      const s = l[row + k]!;
      const t = l[next + k]!;
      const v0 = b[p]!;
      const v1 = b[p + 1]!;
      const v2 = b[p + 2]!;
      const v3 = b[p + 3]!;
      s0 += s * v0;
      s1 += s * v1;
      s2 += s * v2;
      s3 += s * v3;
      t0 += t * v0;
      t1 += t * v1;
      t2 += t * v2;
      t3 += t * v3;
    }
    const p = LANES * i;
    finishRow(b, p, l[row + i]!, s0, s1, s2, s3);
    if (next === row) return;
    const t = l[next + i]!;
    t0 += t * b[p]!;
    t1 += t * b[p + 1]!;
    t2 += t * b[p + 2]!;
    t3 += t * b[p + 3]!;
    finishRow(b, p + LANES, l[next + i + 1]!, t0, t1, t2, t3);
  }
}

/** v = (b − s) / d in four lanes. */
function finishRow(
  b: Float64Array,
  p: number,
  d: number,
  s0: number,
  s1: number,
  s2: number,
  s3: number,
): void {
  b[p] = (b[p]! - s0) / d;
  b[p + 1] = (b[p + 1]! - s1) / d;
  b[p + 2] = (b[p + 2]! - s2) / d;
  b[p + 3] = (b[p + 3]! - s3) / d;
}

/** Solves Lᵀ v = b in place. */
export function solveLowerTransposed(l: Float64Array, n: number, b: Float64Array): void {
  for (let i = n - 1; i >= 0; i--) {
    const v = b[i]! / l[i * n + i]!;
    b[i] = v;
    const row = i * n;
    for (let k = 0; k < i; k++) b[k]! -= v * l[row + k]!;
  }
}

/** Solves L Lᵀ v = b in place. */
export function choleskySolve(l: Float64Array, n: number, b: Float64Array): void {
  solveLower(l, n, b);
  solveLowerTransposed(l, n, b);
}

/** Σ_k a[i + k] b[j + k] for k < count, in four partial sums (always in the same order). */
export function dot(a: Float64Array, i: number, b: Float64Array, j: number, count: number): number {
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  const whole = count & ~3;
  for (let k = 0; k < whole; k += 4) {
    s0 += a[i + k]! * b[j + k]!;
    s1 += a[i + k + 1]! * b[j + k + 1]!;
    s2 += a[i + k + 2]! * b[j + k + 2]!;
    s3 += a[i + k + 3]! * b[j + k + 3]!;
  }
  for (let k = whole; k < count; k++) s0 += a[i + k]! * b[j + k]!;
  return s0 + s1 + (s2 + s3);
}

/** ‖a_i − b_j‖² over `count` cells from two offsets. */
export function squaredDistance(
  a: Float64Array,
  i: number,
  b: Float64Array,
  j: number,
  count: number,
): number {
  let sum = 0;
  for (let k = 0; k < count; k++) {
    const gap = a[i + k]! - b[j + k]!;
    sum += gap * gap;
  }
  return sum;
}

/** out[from …] += factor · z. */
export function addScaled(out: Float64Array, from: number, z: Float64Array, factor: number): void {
  for (let k = 0; k < z.length; k++) out[from + k]! += factor * z[k]!;
}

/**
 * Adds factor · z zᵀ to the block of an n × n matrix at (row, col); the lower triangle of it on the diagonal.
 * Zeros of z, most of a one-hot row, are passed over.
 */
export function addOuter(
  out: Float64Array,
  n: number,
  row: number,
  col: number,
  z: Float64Array,
  factor: number,
): void {
  const used: number[] = [];
  for (let j = 0; j < z.length; j++) if (z[j] !== 0) used.push(j);
  for (let a = 0; a < used.length; a++) {
    const j = used[a]!;
    const scaled = factor * z[j]!;
    const start = (row + j) * n + col;
    const end = row === col ? a + 1 : used.length;
    for (let b = 0; b < end; b++) out[start + used[b]!]! += scaled * z[used[b]!]!;
  }
}

/**
 * A = V diag(λ) Vᵀ for a symmetric A by cyclic Jacobi rotations: λ ascending, eigenvector e in column e of
 * `vectors`. For the sizes of covariance matrices.
 */
export function symmetricEigen(a: Float64Array, n: number): { values: Float64Array; vectors: Float64Array } {
  const s = a.slice();
  const v = new Float64Array(n * n);
  for (let i = 0; i < n; i++) v[i * n + i] = 1;
  for (let sweep = 0; sweep < 60 && offDiagonal(s, n) > 0; sweep++) {
    for (let p = 0; p < n; p++) for (let q = p + 1; q < n; q++) rotate(s, v, n, p, q);
  }
  const order = Array.from({ length: n }, (_, i) => i).sort((i, j) => s[i * n + i]! - s[j * n + j]!);
  const vectors = new Float64Array(n * n);
  order.forEach((from, to) => {
    for (let i = 0; i < n; i++) vectors[i * n + to] = v[i * n + from]!;
  });
  return { values: Float64Array.from(order, (i) => s[i * n + i]!), vectors };
}

/** Σ of squares off the diagonal, 0 once they are lost beside the diagonal. */
function offDiagonal(s: Float64Array, n: number): number {
  let off = 0;
  let on = 0;
  for (let i = 0; i < n; i++) {
    on += s[i * n + i]! ** 2;
    for (let j = 0; j < i; j++) off += s[i * n + j]! ** 2;
  }
  return off > 1e-32 * on ? off : 0;
}

/** S ← JᵀSJ with the rotation J of the plane (p, q) that makes S[p, q] zero; V ← VJ. */
function rotate(s: Float64Array, v: Float64Array, n: number, p: number, q: number): void {
  const apq = s[p * n + q]!;
  if (apq === 0) return;
  const theta = (s[q * n + q]! - s[p * n + p]!) / (2 * apq);
  const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.hypot(theta, 1));
  const cos = 1 / Math.hypot(t, 1);
  const sin = t * cos;
  const turn = (m: Float64Array, i: number, j: number): void => {
    const u = m[i]!;
    const w = m[j]!;
    m[i] = cos * u - sin * w;
    m[j] = sin * u + cos * w;
  };
  for (let k = 0; k < n; k++) turn(s, k * n + p, k * n + q);
  for (let k = 0; k < n; k++) turn(s, p * n + k, q * n + k);
  for (let k = 0; k < n; k++) turn(v, k * n + p, k * n + q);
}
