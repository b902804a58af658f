import { meanGap } from "../num/divergence.ts";
import { checkSamples, type SampleWeights } from "./sample.ts";

/** |E a − E b|: the paper's MeanD. */
export function meanDifference(
  a: ArrayLike<number>,
  b: ArrayLike<number>,
  options: SampleWeights = {},
): number {
  const weights = checkSamples("meanDifference", a, b, options);
  if (!weights) return meanGap(a, b);
  return Math.abs(weightedMean(a, weights.wa) - weightedMean(b, weights.wb));
}

function weightedMean(values: ArrayLike<number>, weights: Float64Array): number {
  return weights.reduce((sum, w, i) => sum + w * values[i]!, 0);
}
