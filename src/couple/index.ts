/** A_Prob: the joint distribution of factuals and references. Nothing here has heard of a model. */

export { type CoarsenedOptions, coarsened } from "./coarsened.ts";
export { costOf, squaredEuclidean } from "./cost.ts";
export { fromDense, toDense } from "./dense.ts";
export { exact, type Pairs } from "./exact.ts";
export { likeliest } from "./likeliest.ts";
export { nearest } from "./nearest.ts";
export { transportByKernel } from "./point-reader.ts";
export { type RandomOptions, random } from "./random.ts";
export {
  type CouplingMethod,
  type CouplingName,
  type CouplingTask,
  couplingNamed,
  couplings,
  type OwnCoupling,
} from "./registry.ts";
export { type Conditionals, conditionals, rowStarts } from "./rows.ts";
export { type SinkhornOptions, sinkhorn } from "./sinkhorn.ts";
export { transport } from "./transport.ts";
export { uniform } from "./uniform.ts";
