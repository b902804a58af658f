import type { Work } from "../budget.ts";
import type { EntropicProblem } from "./sinkhorn-problem.ts";

/** Cells below this share of their row's largest are not kept: they do not change a double's sum. */
const DROP = 1e-15;
/** Cells handled between two looks at the clock. */
const BLOCK_CELLS = 2 ** 18;
const MAX_CG = 2000;
/** A step whose gain is below this share of slope · t is too long. */
const ARMIJO = 1e-4;
/** Above this share G is still straight (a full Newton step near the top gains half): the step is lengthened. */
const STRAIGHT = 0.75;
/** Relative rounding error of G. */
const NOISE = 1e-14;

/**
 * Maximises G(φ) = Σ_j b_j φ_j − Σ_i a_i log Z_i, Z_i = Σ_j exp(φ_j − c_ij/ε), the semi-dual of
 * min ⟨P, C⟩ + ε Σ P log(P / abᵀ), where φ_j = v_j/ε + log b_j. The rows are eliminated exactly:
 * P_ij = a_i exp(φ_j − c_ij/ε) / Z_i has row sums a; ∇G = b − Pᵀ1; −∇²G = diag(Pᵀ1) − Pᵀ diag(1/a) P
 * is the Laplacian of a graph on the columns. P is kept sparse, rows one after another.
 */
export class SemiDual {
  readonly n: number;
  readonly m: number;
  readonly start: Int32Array;
  readonly cols: Int32Array;
  readonly mass: Float64Array;
  readonly columnSums: Float64Array;
  readonly phi: Float64Array;
  epsilon = Number.POSITIVE_INFINITY;
  /** G(φ). */
  value = 0;
  /** ‖Pᵀ1 − b‖₁. */
  error = Number.POSITIVE_INFINITY;
  /** max_j |(Pᵀ1)_j − b_j| / b_j. */
  worst = Number.POSITIVE_INFINITY;
  /** Evaluations of P so far. */
  passes = 0;

  private readonly problem: EntropicProblem;
  private readonly work: Work;
  private readonly maxPasses: number;
  private readonly logits: Float64Array;

  constructor(problem: EntropicProblem, maxPasses: number, work: Work) {
    this.problem = problem;
    this.work = work;
    this.maxPasses = maxPasses;
    this.n = problem.a.length;
    this.m = problem.b.length;
    this.start = new Int32Array(this.n + 1);
    this.cols = new Int32Array(this.n * this.m);
    this.mass = new Float64Array(this.n * this.m);
    this.columnSums = new Float64Array(this.m);
    this.logits = new Float64Array(this.m);
    this.phi = problem.b.map(Math.log);
  }

  /** The same potentials v under another ε. */
  async setEpsilon(epsilon: number): Promise<void> {
    const { b } = this.problem;
    const ratio = this.epsilon / epsilon;
    if (Number.isFinite(ratio)) {
      for (let j = 0; j < this.m; j++) this.phi[j] = Math.log(b[j]!) * (1 - ratio) + this.phi[j]! * ratio;
    }
    this.epsilon = epsilon;
    await this.evaluate();
  }

  /** One Sinkhorn iteration: every column scaled to its weight (by 1/DROP at most), then every row. */
  async sinkhornStep(): Promise<void> {
    const { b } = this.problem;
    for (let j = 0; j < this.m; j++) {
      this.phi[j]! += Math.log(b[j]! / Math.max(this.columnSums[j]!, DROP * b[j]!));
    }
    await this.evaluate();
  }

  /**
   * φ ← φ + t·d, (−∇²G + λ diag b) d = ∇G. λ in proportion to the error turns the step into a damped
   * Sinkhorn step (λ = 1) far away and leaves Newton's near the solution. With R the range of d,
   * t = log(1 + R)/R always raises G (generalised self-concordance), so shorter steps are never tried.
   */
  async newtonStep(): Promise<void> {
    const { b } = this.problem;
    const { m, error, value } = this;
    const d = await this.direction(0.1 * error, 0.3 * Math.min(0.1, Math.sqrt(error)));
    const from = this.phi.slice();
    let low = Number.POSITIVE_INFINITY;
    let high = Number.NEGATIVE_INFINITY;
    let slope = 0;
    for (let j = 0; j < m; j++) {
      low = Math.min(low, d[j]!);
      high = Math.max(high, d[j]!);
      slope += d[j]! * (b[j]! - this.columnSums[j]!);
    }
    if (!Number.isFinite(high - low)) return this.sinkhornStep();
    const safe = Math.min(1, Math.log1p(high - low) / (high - low));
    let shrinking = false;
    for (let t = 1; ; t = shrinking ? Math.max(t / 4, safe) : 4 * t) {
      for (let j = 0; j < m; j++) this.phi[j] = from[j]! + t * d[j]!;
      await this.evaluate();
      const gain = this.value - value;
      const noise = NOISE * (1 + Math.abs(value));
      if (this.passes >= this.maxPasses || !(t > safe)) return;
      if (!shrinking && gain > STRAIGHT * t * slope + noise) continue;
      if (gain >= ARMIJO * t * slope - noise) return;
      shrinking = true;
    }
  }

  private async evaluate(): Promise<void> {
    const { b } = this.problem;
    const block = this.blockRows();
    this.columnSums.fill(0);
    this.value = 0;
    for (let i = 0; i < this.n; i += block) {
      this.evaluateRows(i, Math.min(this.n, i + block));
      if (this.work.due()) await this.work.pause(this.passes, this.maxPasses);
    }
    this.error = 0;
    this.worst = 0;
    for (let j = 0; j < this.m; j++) {
      const off = Math.abs(this.columnSums[j]! - b[j]!);
      this.value += b[j]! * this.phi[j]!;
      this.error += off;
      this.worst = Math.max(this.worst, off / b[j]!);
    }
    this.passes++;
  }

  /** Rows handled between two looks at the clock. */
  private blockRows(): number {
    return Math.max(1, Math.floor(BLOCK_CELLS / this.m));
  }

  private evaluateRows(from: number, to: number): void {
    const { cost, a } = this.problem;
    const { m, logits, cols, mass, columnSums, phi, start } = this;
    const scale = 1 / this.epsilon;
    const cut = Math.log(DROP);
    let end = start[from]!;
    for (let i = from; i < to; i++) {
      let top = Number.NEGATIVE_INFINITY;
      for (let j = 0, at = i * m; j < m; j++, at++) {
        const t = phi[j]! - cost[at]! * scale;
        logits[j] = t;
        if (t > top) top = t;
      }
      const begin = end;
      let sum = 0;
      for (let j = 0; j < m; j++) {
        const t = logits[j]! - top;
        if (t <= cut) continue;
        const e = Math.exp(t);
        sum += e;
        mass[end] = e;
        cols[end++] = j;
      }
      const factor = a[i]! / sum;
      for (let e = begin; e < end; e++) {
        const p = mass[e]! * factor;
        mass[e] = p;
        columnSums[cols[e]!]! += p;
      }
      this.value -= a[i]! * (top + Math.log(sum));
      start[i + 1] = end;
    }
  }

  /** Conjugate gradients, preconditioned by the diagonal, until the residual has shrunk by `tolerance`. */
  private async direction(lambda: number, tolerance: number): Promise<Float64Array> {
    const { m } = this;
    const { b } = this.problem;
    const block = this.blockRows();
    const inverse = this.inverseDiagonal(lambda);
    const d = new Float64Array(m);
    const residual = Float64Array.from(b, (bj, j) => bj - this.columnSums[j]!);
    const z = residual.map((r, j) => r * inverse[j]!);
    const p = z.slice();
    const image = new Float64Array(m);
    let rz = residual.reduce((sum, r, j) => sum + r * z[j]!, 0);
    const enough = tolerance * tolerance * rz;
    for (let it = 0; it < MAX_CG && rz > enough; it++) {
      for (let j = 0; j < m; j++) image[j] = lambda * b[j]! * p[j]!;
      for (let i = 0; i < this.n; i += block) {
        this.addLaplacianRows(i, Math.min(this.n, i + block), p, image);
        if (this.work.due()) await this.work.pause(this.passes, this.maxPasses);
      }
      let curvature = 0;
      for (let j = 0; j < m; j++) curvature += p[j]! * image[j]!;
      if (!(curvature > 0)) break;
      const step = rz / curvature;
      let next = 0;
      for (let j = 0; j < m; j++) {
        d[j]! += step * p[j]!;
        residual[j]! -= step * image[j]!;
        z[j] = residual[j]! * inverse[j]!;
        next += residual[j]! * z[j]!;
      }
      for (let j = 0; j < m; j++) p[j] = z[j]! + (next / rz) * p[j]!;
      rz = next;
    }
    return d;
  }

  /** out += the share of the given rows in (diag(Pᵀ1) − Pᵀ diag(1/a) P)·y, by differences from row means of y. */
  private addLaplacianRows(from: number, to: number, y: Float64Array, out: Float64Array): void {
    const { a } = this.problem;
    const { start, cols, mass } = this;
    for (let i = from; i < to; i++) {
      let mean = 0;
      for (let e = start[i]!; e < start[i + 1]!; e++) mean += mass[e]! * y[cols[e]!]!;
      mean /= a[i]!;
      for (let e = start[i]!; e < start[i + 1]!; e++) {
        const j = cols[e]!;
        out[j]! += mass[e]! * (y[j]! - mean);
      }
    }
  }

  private inverseDiagonal(lambda: number): Float64Array {
    const { a, b } = this.problem;
    const { n, start, cols, mass } = this;
    const diagonal = b.map((bj) => lambda * bj);
    for (let i = 0; i < n; i++) {
      for (let e = start[i]!; e < start[i + 1]!; e++) {
        const p = mass[e]!;
        diagonal[cols[e]!]! += p * (1 - p / a[i]!);
      }
    }
    return diagonal.map((v) => 1 / v);
  }
}
