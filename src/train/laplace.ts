import { sigmoid } from "../model/link.ts";
import { softplus } from "../model/loss.ts";
import type { Steps } from "../model/steps.ts";
import { choleskySolve, choleskySteps, dot, squaredDistance } from "../num/linalg.ts";
import type { Matrix } from "../types.ts";

/** k(a, b) = constant · e^(−‖a − b‖² / 2 length²). */
export interface Kernel {
  readonly constant: number;
  readonly length: number;
}

/** K(x, x), all n × n cells. */
export function* kernelMatrix(x: Matrix, kernel: Kernel): Steps<Float64Array> {
  const n = x.rows;
  const k = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    kernelRow(x, kernel, x.data, i * x.cols, k.subarray(i * n, i * n + i + 1));
    for (let j = 0; j < i; j++) k[j * n + i] = k[i * n + j]!;
    if (i % 32 === 0) yield [0, 1];
  }
  return k;
}

/** k(x_j, z) for the first rows j of x, as many as `out` holds. */
export function kernelRow(
  x: Matrix,
  kernel: Kernel,
  cells: Float64Array,
  at: number,
  out: Float64Array,
): void {
  const rate = 1 / (2 * kernel.length ** 2);
  for (let j = 0; j < out.length; j++) {
    out[j] = kernel.constant * Math.exp(-rate * squaredDistance(cells, at, x.data, j * x.cols, x.cols));
  }
}

/** L with L Lᵀ = B = I + W^½ K W^½, in the lower triangle of `into`. */
export function* factorB(k: Float64Array, root: Float64Array, into: Float64Array): Steps<void> {
  const n = root.length;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) into[i * n + j] = root[i]! * k[i * n + j]! * root[j]!;
    into[i * n + i]! += 1;
  }
  yield* choleskySteps(into, n);
}

/** The Gaussian approximation at the mode of the posterior of the latent values. */
export interface Mode {
  /** log q(y | X), the approximate log marginal likelihood. */
  readonly evidence: number;
  /** π_i = σ(f_i). */
  readonly scores: Float64Array;
  /** w_i (y_i − π_i): the gradient of the log likelihood. */
  readonly pulls: Float64Array;
  /** W^½, W_i = w_i π_i (1 − π_i). */
  readonly root: Float64Array;
  /** L of B. */
  readonly factor: Float64Array;
  /** a = K⁻¹ f. */
  readonly weights: Float64Array;
}

/**
 * Newton's iteration for the mode (Rasmussen and Williams 2006, Algorithm 3.1), from f = 0 until the evidence
 * gains less than 1e-10. `y` are labels 0/1, `w` row weights.
 */
export function* posteriorMode(k: Float64Array, y: Int32Array, w: Float64Array): Steps<Mode> {
  const n = y.length;
  const factor = new Float64Array(n * n);
  let f = new Float64Array(n);
  let best = Number.NEGATIVE_INFINITY;
  for (let iteration = 0; ; iteration++) {
    const scores = f.map(sigmoid);
    const pulls = f.map((v, i) => w[i]! * (y[i] === 1 ? sigmoid(-v) : -scores[i]!));
    const root = f.map((v, i) => Math.sqrt(w[i]! * scores[i]! * sigmoid(-v)));
    yield* factorB(k, root, factor);
    const b = f.map((v, i) => root[i]! ** 2 * v + pulls[i]!);
    const solved = b.map((_, i) => root[i]! * dot(k, i * n, b, 0, n));
    choleskySolve(factor, n, solved);
    const weights = b.map((v, i) => v - root[i]! * solved[i]!);
    f = f.map((_, i) => dot(k, i * n, weights, 0, n));
    let evidence = -dot(weights, 0, f, 0, n) / 2;
    for (let i = 0; i < n; i++) {
      evidence -= w[i]! * softplus(y[i] === 1 ? -f[i]! : f[i]!) + Math.log(factor[i * n + i]!);
    }
    if (evidence - best < 1e-10 || iteration === 99) {
      return { evidence: Math.max(evidence, best), scores, pulls, root, factor, weights };
    }
    best = evidence;
    yield [0, 1];
  }
}

/**
 * ∂ evidence / ∂ (log constant, log length) at a mode (Algorithm 5.1). With B⁻¹ at hand the posterior
 * variance of f_i is (1 − (B⁻¹)_ii) / W_i, and W_i cancels against the third derivative of the likelihood.
 */
export function* evidenceGradient(
  x: Matrix,
  kernel: Kernel,
  k: Float64Array,
  mode: Mode,
): Steps<Float64Array> {
  const { scores, pulls, root, weights } = mode;
  const n = x.rows;
  const inverse = yield* invertFactored(mode.factor, n);
  const pull = scores.map((p, i) => -0.5 * (1 - inverse[i * n + i]!) * (1 - 2 * p));
  const shifts = [new Float64Array(n), new Float64Array(n)] as const;
  const out = new Float64Array(2);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      const kij = k[i * n + j]!;
      const stretch =
        (kij * squaredDistance(x.data, i * x.cols, x.data, j * x.cols, x.cols)) / kernel.length ** 2;
      const r = root[i]! * root[j]! * inverse[Math.max(i, j) * n + Math.min(i, j)]!;
      const share = (weights[i]! * weights[j]! - r) / 2;
      out[0]! += share * kij;
      out[1]! += share * stretch;
      shifts[0][i]! += kij * pulls[j]!;
      shifts[1][i]! += stretch * pulls[j]!;
    }
    if (i % 32 === 0) yield [0, 1];
  }
  shifts.forEach((shift, t) => {
    // s − K R s, R = W^½ B⁻¹ W^½.
    const solved = shift.map((v, i) => root[i]! * v);
    choleskySolve(mode.factor, n, solved);
    const back = solved.map((v, i) => root[i]! * v);
    for (let i = 0; i < n; i++) out[t]! += pull[i]! * (shift[i]! - dot(k, i * n, back, 0, n));
  });
  return out;
}

/** The lower triangle of (L Lᵀ)⁻¹ = L⁻ᵀ L⁻¹. */
function* invertFactored(l: Float64Array, n: number): Steps<Float64Array> {
  // Row j of `rows` is column j of L⁻¹: zero before j.
  const rows = new Float64Array(n * n);
  for (let j = 0; j < n; j++) {
    const at = j * n;
    rows[at + j] = 1 / l[at + j]!;
    for (let i = j + 1; i < n; i++) {
      rows[at + i] = -dot(l, i * n + j, rows, at + j, i - j) / l[i * n + i]!;
    }
    yield [0, 1];
  }
  const inverse = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) inverse[i * n + j] = dot(rows, i * n + i, rows, j * n + i, n - i);
    yield [0, 1];
  }
  return inverse;
}
