export type {
  Budget,
  CurvePoint,
  Policy,
  Problem,
  References,
  Refined,
  RefinedRow,
  RefineOptions,
  Selection,
  Values,
} from "./contract.ts";
export type { Choices } from "./knapsack.ts";
export { type MeanCurve, meanCurve } from "./mean-curve.ts";
export { policies } from "./policies.ts";
export { refine } from "./refine.ts";
