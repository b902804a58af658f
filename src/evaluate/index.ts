/** What came of it: divergences and effect, edits, distances, validity, plausibility. */

export { type DistanceRatios, type Distances, distance, distanceRatio } from "./distance.ts";
export {
  type Divergence,
  type DivergenceName,
  type DivergenceOptions,
  divergence,
  divergences,
  labelsOf,
} from "./divergence.ts";
export { effect, reached } from "./effect.ts";
export { lof } from "./lof.ts";
export { margin } from "./margin.ts";
export { meanDifference } from "./mean-difference.ts";
export { medianDifference } from "./median-difference.ts";
export { type MmdOptions, medianGamma, mmd } from "./mmd.ts";
export { type Reaches, redundancy } from "./redundancy.ts";
export type { SampleWeights } from "./sample.ts";
export { type Sparsity, type SparsityOptions, sparsity } from "./sparsity.ts";
export { type Validity, type ValidityOptions, validity } from "./validity.ts";
export { w1 } from "./w1.ts";
export { w2 } from "./w2.ts";
export { type WassersteinOptions, wasserstein } from "./wasserstein.ts";
export { type NeighbourOptions, type YNN, yNN } from "./ynn.ts";
