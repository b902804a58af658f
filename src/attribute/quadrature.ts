import { dot } from "../num/linalg.ts";
import { hamming, has, masksOf } from "./masks.ts";
import type { Pace } from "./pace.ts";

/** Prior variances λ_|A| of the Fourier coefficients of odd order 1, 3, 5, …; even orders do not matter. */
const VARIANCES = [1, 3e-3, 3e-5, 1e-6, 3e-8, 1e-9];
/** Beyond this many players an order keeps the share of the variance it has here. */
const SHARES_AT = 20;
/** Independent variance of every observation but the full set, relative to that of o: what has higher order. */
const NUGGET = 1e-9;
/** Sets to choose each next one from. */
const CHOICE = 384;
/** Pairs beyond which the operators would take more than they give (about 3 s and 16 MiB). */
export const MOST_PAIRS = 2048;

/** A set of kept players not observed yet, given the observations so far. */
interface Candidate {
  readonly mask: Uint32Array;
  /** Its row of L, as far as there are observations. */
  readonly row: Float64Array;
  /** var o(S) and cov(φ, o(S)) that are left. */
  variance: number;
  readonly cross: Float64Array;
  /** By how much its observation would lower Σ_u var φ_u. */
  gain: number;
}

/**
 * Bayesian quadrature of Shapley values. With s_u = +1 for a kept and −1 for an edited player a game is
 * v = Σ_A v̂(A) Π_{u∈A} s_u, and φ_u = Σ_{A∋u, |A| odd} 2 v̂(A)/|A| depends on its odd part
 * o(S) = (v(S) − v(Sᶜ))/2 alone (S: the kept players). Prior: independent v̂(A) ~ N(0, σ² λ_|A|), so that
 * cov(o(S), o(T)) is a function of |S △ T|. Observing o at the full set without error makes
 * Σ_u φ_u = v(all kept) − v(all edited) exact.
 *
 * With L Lᵀ the covariance of the observations and C theirs with φ, B = L⁻¹ C and y = L⁻¹ o give
 * φ = Bᵀ y and var φ_u = σ̂² (prior − Σ_n B_nu²). The y_n are how far o_n was from its prediction, in its
 * standard deviations, so σ̂² is the mean of y_n² over the later half: what is left to learn, not what was
 * easy. All of it is triangular, so further observations append; L and B depend on the masks only, so all
 * games of k players share them. The next set observed is the candidate that lowers Σ_u var φ_u most.
 */
export class Quadrature {
  /** Sets of kept players in the order in which they are observed; first all. */
  readonly masks: Uint32Array[] = [];
  /** Prior variance of each φ_u over σ². */
  readonly prior: number;
  /** Rows of B: one number per player. */
  readonly weights: Float64Array[] = [];
  /** Rows of L. */
  private readonly factor: Float64Array[] = [];
  /** cov(o(S), o(T)) at |S △ T|. */
  private readonly kernel: Float64Array;
  /** |cov(φ_u, o(S))| with its sign for a kept u, at the number of edited players among the others. */
  private readonly cross: Float64Array;
  private readonly candidates: Candidate[] = [];
  private readonly sequence: Generator<Uint32Array, never>;

  constructor(readonly k: number) {
    const variances = VARIANCES.map((own, t) => own * shareScale(2 * t + 1, k));
    const sum = (weigh: (order: number) => number): number =>
      variances.reduce((total, own, t) => total + own * weigh(2 * t + 1), 0);
    const spins = Array.from({ length: k + 1 }, (_, h) => elementary(k, h));
    const others = Array.from({ length: k }, (_, h) => elementary(k - 1, h));
    this.sequence = masksOf(k);
    this.kernel = Float64Array.from(spins, (e) => sum((order) => e[order]!));
    this.cross = Float64Array.from(others, (e) => sum((order) => (2 / order) * e[order - 1]!));
    this.prior = sum((order) => (4 / order ** 2) * others[0]![order - 1]!);
  }

  /** Observations there are operators for. */
  get size(): number {
    return this.factor.length;
  }

  /** Makes the operators of the first `count` observations. Every step follows from the state: calls may take turns. */
  async extend(count: number, pace: Pace): Promise<void> {
    while (this.size < count) {
      const known = this.size + this.candidates.length;
      if (this.candidates.length < CHOICE && known < 2 ** (this.k - 1)) this.draw();
      else this.append();
      if (pace.due()) await pace.pause();
    }
  }

  /** Posterior variance of each φ_u over σ² after the full set and `pairs` further observations. */
  variances(pairs: number): Float64Array {
    const left = new Float64Array(this.k).fill(this.prior);
    for (let n = 0; n <= pairs; n++) {
      const weights = this.weights[n]!;
      for (let u = 0; u < this.k; u++) left[u]! -= weights[u]! ** 2;
    }
    return left.map((v) => Math.max(0, v));
  }

  /** y_n of a game from its observation o_n and y_0 … y_{n−1}. */
  whiten(n: number, o: number, y: Float64Array): number {
    const row = this.factor[n]!;
    return (o - dot(row, 0, y, 0, n)) / row[n]!;
  }

  private draw(): void {
    const { k, kernel, sequence } = this;
    const mask = sequence.next().value;
    let edited = 0;
    for (let u = 0; u < k; u++) if (!has(mask, u)) edited++;
    const cross = Float64Array.from({ length: k }, (_, u) =>
      has(mask, u) ? this.cross[edited]! : 0 - this.cross[edited - 1]!,
    );
    const variance = kernel[0]! * (edited === 0 ? 1 : 1 + NUGGET);
    const candidate = { mask, row: new Float64Array(MOST_PAIRS + 1), variance, cross, gain: 0 };
    for (let n = 0; n < this.size; n++) this.condition(candidate, n);
    this.candidates.push(candidate);
  }

  private append(): void {
    const { candidates } = this;
    const n = this.size;
    const best = candidates.reduce((a, b) => (b.gain > a.gain ? b : a));
    const { mask, row, variance, cross } = best;
    const deviation = Math.sqrt(variance);
    row[n] = deviation;
    this.masks.push(mask);
    this.factor.push(row.slice(0, n + 1));
    this.weights.push(cross.map((c) => c / deviation));
    candidates.splice(candidates.indexOf(best), 1);
    for (const candidate of candidates) this.condition(candidate, n);
  }

  /** Takes observation n into account. */
  private condition(candidate: Candidate, n: number): void {
    const { row, cross } = candidate;
    const [before, weights] = [this.factor[n]!, this.weights[n]!];
    const known =
      (this.kernel[hamming(candidate.mask, this.masks[n]!)]! - dot(row, 0, before, 0, n)) / before[n]!;
    row[n] = known;
    candidate.variance = Math.max(candidate.variance - known * known, this.kernel[0]! * NUGGET);
    for (let u = 0; u < this.k; u++) cross[u]! -= known * weights[u]!;
    candidate.gain = dot(cross, 0, cross, 0, this.k) / candidate.variance;
  }
}

const RECENT = 8;
const recent = new Map<number, Quadrature>();

/** The operators for k players; those of the last few k are kept. */
export function quadratureOf(k: number): Quadrature {
  const quadrature = recent.get(k) ?? new Quadrature(k);
  recent.delete(k);
  recent.set(k, quadrature);
  for (const [oldest] of recent) if (recent.size > RECENT) recent.delete(oldest);
  return quadrature;
}

/** 1 up to SHARES_AT players; beyond, what keeps λ_d C(k, d) / k at its value there. */
function shareScale(order: number, k: number): number {
  if (k <= SHARES_AT) return 1;
  const coefficients = (n: number): number => elementary(n, 0)[order]! / n;
  return coefficients(SHARES_AT) / coefficients(k);
}

/** e_d of n spins of which h are −1, for d ≤ 11: the coefficients of (1 + t)^(n−h) (1 − t)^h. */
function elementary(n: number, h: number): Float64Array {
  const e = new Float64Array(12);
  e[0] = 1;
  for (let i = 0; i < n; i++) {
    const spin = i < h ? -1 : 1;
    for (let d = 11; d > 0; d--) e[d]! += spin * e[d - 1]!;
  }
  return e;
}
