export { type PlainAmounts, plainAmounts } from "./amounts.ts";
export { bindInputs, type EncodingSpec, type InputSpec } from "./binding.ts";
export { checkNames } from "./column-names.ts";
export {
  type Constraints,
  compileConstraints,
  type Domain,
} from "./constraints.ts";
export { type CsvOptions, decodeText, MISSING_TEXTS, readCsv } from "./csv.ts";
export { bind, type EncodeOptions, type Encoder, encodeRows, fitEncoder } from "./encode.ts";
export { compileExpression, type Expression } from "./expression.ts";
export { type InferOptions, type Inferred, inferSchema } from "./infer.ts";
export { type UnknownLevels, unknownCells, unknownNotes, withInputLevels } from "./input-levels.ts";
export { type Leak, leakage, leakNote } from "./leakage.ts";
export { loanClasses, loanSchema, loans } from "./loans.ts";
export {
  embed,
  fitMetric,
  type Metric,
  metricCost,
  restrict,
  scaledRows,
  squaredDistance,
} from "./metric.ts";
export { collapseOneHot, type OneHotGroup } from "./one-hot.ts";
export { type Overlay, withConstraints } from "./overlay.ts";
export {
  checkSchema,
  decodeCell,
  encodeCell,
  featureIndex,
  hasLevels,
  labelOf,
  levelIndex,
  levelsOf,
  matrixToTable,
  plainSchema,
  tableToMatrix,
} from "./schema.ts";
export type { DataSet, DataSetInfo, PresetSet, ProductSet } from "./sets/contract.ts";
export { dataSet, dataSets, type PreparedSet, type Preset, prepareSet } from "./sets/registry.ts";
export { type Split, splitRows } from "./split.ts";
export { parseTarget } from "./target-text.ts";
