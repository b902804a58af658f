export type { Choices } from "../num/choices/knapsack.ts";
export { type MeanCurve, meanCurve } from "../num/choices/mean-curve.ts";
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
export { policies } from "./policies.ts";
export { refine } from "./refine.ts";
