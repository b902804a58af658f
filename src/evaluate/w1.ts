import { w1 as evenW1 } from "../num/divergence.ts";
import { quantilePairs } from "./quantile-pairs.ts";
import { checkSamples, type SampleWeights } from "./sample.ts";

/** W1(a, b) = ∫ |F_a(t) − F_b(t)| dt = min Σ p_ij |a_i − b_j| of two samples on a line. */
export function w1(a: ArrayLike<number>, b: ArrayLike<number>, options: SampleWeights = {}): number {
  const weights = checkSamples("w1", a, b, options);
  if (!weights) return evenW1(a, b);
  return quantilePairs(a, weights.wa, b, weights.wb, (u, v) => Math.abs(u - v));
}
