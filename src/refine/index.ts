export type { Choices } from "../search/choices/knapsack.ts";
export { type MeanCurve, meanCurve } from "../search/choices/mean-curve.ts";
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
