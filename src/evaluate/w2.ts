import { w2Squared } from "../num/divergence.ts";
import { quantilePairs } from "./quantile-pairs.ts";
import { checkSamples, type SampleWeights } from "./sample.ts";

/** W2²(a, b) = min Σ p_ij (a_i − b_j)² of two samples on a line: the paper's OT divergence, no root. */
export function w2(a: ArrayLike<number>, b: ArrayLike<number>, options: SampleWeights = {}): number {
  const weights = checkSamples("w2", a, b, options);
  if (!weights) return w2Squared(a, b);
  return quantilePairs(a, weights.wa, b, weights.wb, (u, v) => (u - v) ** 2);
}
