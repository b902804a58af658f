export { boundOf, scoreRange } from "./model/bound.ts";
export { type CalibrationTable, calibrate } from "./model/calibrate.ts";
export { asModel, defaultOutput, type OpenModel, openModel, outputIndex } from "./model/contract.ts";
export { linearKernels } from "./model/linear-kernels.ts";
export { applyLink, invertLink, sigmoid } from "./model/link.ts";
export type { FittedModel, SmoothModel } from "./model/row-model.ts";
export { type Scorer, scorer } from "./model/scorer.ts";
export { rowsShortOf } from "./model/short-of.ts";
export { finish, pursue, type Steps } from "./model/steps.ts";
export { reachOf } from "./model/target.ts";
export { treeKernels } from "./model/trees/kernels.ts";
export { predictTrees } from "./model/trees/predict.ts";
export { goesLeft, leafOf, NODE, seen } from "./model/trees/structure.ts";
export { readLightgbm } from "./read/lightgbm.ts";
export { loadModel } from "./read/load.ts";
export type { ReadOptions } from "./read/read-options.ts";
export { readXgboost, type XgboostOptions as ReadXgboostOptions } from "./read/xgboost.ts";
export type { GridSearch, ReasonRows, Sturdy } from "./run/contract.ts";
export { gridSearch } from "./run/grid.ts";
export { nearestReasons } from "./run/reasons.ts";
export { sturdyWith } from "./run/sturdy.ts";
export { type AdaboostOptions, fitAdaboost } from "./train/adaboost.ts";
export { type BaggingOptions, fitBagging } from "./train/bagging.ts";
export { type ForestOptions, fitForest } from "./train/forest.ts";
export { fitGp, type GpOptions } from "./train/gp.ts";
export { fitGradboost, type GradboostOptions } from "./train/gradboost.ts";
export { fitIsolation, type IsolationOptions } from "./train/isolation.ts";
export { fitLightgbm, type LightgbmOptions } from "./train/lightgbm.ts";
export { fitLogistic, type LogisticOptions } from "./train/logistic.ts";
export { fitMlp, type MlpOptions } from "./train/mlp.ts";
export { fitQda, type QdaOptions } from "./train/qda.ts";
export { fitRbf, type RbfOptions } from "./train/rbf.ts";
export {
  encodingFor,
  fit,
  type ModelEntry,
  type ModelName,
  type ModelOptions,
  models,
} from "./train/registry.ts";
export { fitSvm, type SvmOptions } from "./train/svm.ts";
export type { FitOptions } from "./train/training.ts";
export { fitTree, type TreeOptions } from "./train/tree.ts";
export type { TreeFitOptions } from "./train/trees/prepare.ts";
export { fitXgboost, type XgboostOptions } from "./train/xgboost.ts";
export type { Condition, Reach } from "./types.ts";
