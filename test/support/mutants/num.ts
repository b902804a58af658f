/** Small wrong twins of the arithmetic in src/num. */
import { LANES, solveLowerLanes } from "../../../src/num/linalg.ts";
import type { ConvexFunction } from "../../../src/num/newton.ts";
import { finish } from "../../../src/num/steps.ts";

export const numMutants = {
  /** Cholesky that forgets to subtract the products before it. */
  cholesky(a: Float64Array, n: number): number {
    for (let i = 0; i < n; i++) {
      for (let j = 0; j <= i; j++)
        a[i * n + j] = i === j ? Math.sqrt(a[i * n + i]!) : a[i * n + j]! / a[j * n + j]!;
    }
    return -1;
  },
  /** Never finds a column that depends on the others. */
  blindCholesky(): number {
    return -1;
  },
  /** Solves with Lᵀ first. */
  solve(l: Float64Array, n: number, b: Float64Array): void {
    for (let i = 0; i < n; i++) b[i]! /= l[i * n + i]!;
  },
  /** Takes rows by pairs and forgets the last of an odd number. */
  lanes(l: Float64Array, n: number, b: Float64Array): void {
    const last = b.slice(LANES * (n - 1));
    solveLowerLanes(l, n, b);
    if (n % 2 === 1) b.set(last, LANES * (n - 1));
  },
  /** Unordered and unrotated: the diagonal. */
  eigen(a: Float64Array, n: number): { values: Float64Array; vectors: Float64Array } {
    const vectors = new Float64Array(n * n);
    for (let i = 0; i < n; i++) vectors[i * n + i] = 1;
    return { values: Float64Array.from({ length: n }, (_, i) => a[i * n + i]!), vectors };
  },
  /** Ties count as won. */
  auc(labels: ArrayLike<number>, scores: ArrayLike<number>): number {
    let won = 0;
    let pairs = 0;
    for (let i = 0; i < labels.length; i++) {
      for (let j = 0; j < labels.length; j++) {
        if (!(labels[i]! > 0 && labels[j]! <= 0)) continue;
        pairs++;
        if (scores[i]! >= scores[j]!) won++;
      }
    }
    return won / pairs;
  },
  /** The nearest order statistic instead of a line between two. */
  quantile(values: ArrayLike<number>, q: number): number {
    const all = Array.from(values).sort((a, b) => a - b);
    return all[Math.round(q * (all.length - 1))]!;
  },
  /** Abramowitz and Stegun 7.1.26: seven digits only. */
  erf(x: number): number {
    const t = 1 / (1 + 0.3275911 * Math.abs(x));
    const poly =
      t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
    return Math.sign(x) * (1 - poly * Math.exp(-x * x));
  },
  /** One step of steepest descent. */
  newton(f: ConvexFunction, theta: Float64Array): Float64Array {
    const first = new Float64Array(theta.length);
    finish(f(theta, first, new Float64Array(theta.length ** 2)));
    return theta.map((v, p) => v - 0.1 * first[p]!);
  },
  /** Adds the product with rows and columns of `b` swapped. */
  product(out: Float64Array, n: number, m: number, depth: number): void {
    out.fill(n * m * depth);
  },
};
