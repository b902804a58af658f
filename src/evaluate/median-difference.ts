import { medianGap } from "../num/divergence.ts";
import { checkSamples, risingOrder, type SampleWeights } from "./sample.ts";

/** Weights that add up to a half within rounding. */
const HALF_TOLERANCE = 1e-12;

/** |median a − median b|: the paper's MedianD. A median between two values is their mean. */
export function medianDifference(
  a: ArrayLike<number>,
  b: ArrayLike<number>,
  options: SampleWeights = {},
): number {
  const weights = checkSamples("medianDifference", a, b, options);
  if (!weights) return medianGap(a, b);
  return Math.abs(weightedMedian(a, weights.wa) - weightedMedian(b, weights.wb));
}

/** The value at which the cumulated weight passes ½; where it is ½, the mean with the next value that has weight. */
function weightedMedian(values: ArrayLike<number>, weights: Float64Array): number {
  const order = risingOrder(values).filter((i) => weights[i]! > 0);
  let sum = 0;
  let t = 0;
  while (t < order.length - 1 && sum + weights[order[t]!]! < 0.5 - HALF_TOLERANCE)
    sum += weights[order[t++]!]!;
  const here = values[order[t]!]!;
  const half = Math.abs(sum + weights[order[t]!]! - 0.5) <= HALF_TOLERANCE && t + 1 < order.length;
  return half ? (here + values[order[t + 1]!]!) / 2 : here;
}
