/** The front door, in pipeline order. Each stage is also a subpath of its own. */

export { type Constraints, compileConstraints } from "./data/constraints.ts";
export { bind, type Encoder, fitEncoder } from "./data/encode.ts";
export { loanClasses, loans } from "./data/loans.ts";
export { matrixToTable, tableToMatrix } from "./data/schema.ts";
export { ColaError, ERRORS, type ErrorCode, isColaError } from "./errors.ts";
export { explain } from "./explain.ts";
export type {
  CurvePoint,
  Domain,
  Edit,
  ExplainedRow,
  Explanation,
  FrontPoint,
  Plan,
  SafeValues,
  SturdyPlan,
  Survival,
} from "./explanation.ts";
export type { Box, Cells } from "./model/kernels.ts";
export { fromRows, matrix, toRows } from "./num/matrix.ts";
export {
  type Explainer,
  type ExplainerState,
  loadExplainer,
  type PrepareInput,
  type PrepareOptions,
  prepare,
} from "./prepare.ts";
export type { ExplainInput } from "./run/open.ts";
export type {
  Attribution,
  Bound,
  Cell,
  Cost,
  Coupling,
  Feature,
  Goal,
  Limits,
  Matrix,
  Model,
  ModelLike,
  PredictFunction,
  Progress,
  Proof,
  RowStatus,
  Schema,
  Table,
  Target,
  WorkOptions,
} from "./types.ts";
export { upgradeExplanation } from "./upgrade.ts";
export { VERSION } from "./version.ts";
