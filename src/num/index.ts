export {
  type DivergenceName,
  divergences,
  meanGap,
  medianGap,
  mmd,
  type RunningDivergence,
  runningDivergence,
  w1,
  w2Squared,
} from "./divergence.ts";
export { Heap } from "./heap.ts";
export { kmeans } from "./kmeans.ts";
export { type Box, minimiseInBox, type SmoothFunction } from "./lbfgs.ts";
export {
  addOuter,
  addScaled,
  choleskyInPlace,
  choleskySolve,
  choleskySteps,
  dot,
  LANES,
  solveLower,
  solveLowerLanes,
  solveLowerTransposed,
  squaredDistance,
  symmetricEigen,
} from "./linalg.ts";
export {
  checkMatrix,
  checkSameCols,
  copyOf,
  fromRows,
  matrix,
  rowOf,
  sameValue,
  takeCols,
  takeRows,
  toRows,
} from "./matrix.ts";
export { type Near, type Neighbours, neighbours } from "./neighbours.ts";
export { type ConvexFunction, type NewtonOptions, newton, newtonSteps } from "./newton.ts";
export { addProduct, type Strided } from "./product.ts";
export { type Random, rowKeys, stream } from "./random.ts";
export { erf, mean, median, quantile, quantileSorted, rocAuc, sd, sorted } from "./stats.ts";
export { finish, type Steps } from "./steps.ts";
