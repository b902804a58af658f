import { BOUND, ENCODED } from "../data/encode.ts";
import { loadLinear } from "../model/linear.ts";
import { openSaved, SAVED_VERSION, type Saved } from "../model/saved.ts";
import { loadTrees } from "../model/trees/model.ts";
import { loadGp } from "../train/gp.ts";
import { loadMlp } from "../train/mlp.ts";
import { loadQda } from "../train/qda.ts";
import { loadRbf } from "../train/rbf.ts";
import { loadSvm } from "../train/svm.ts";
import type { Model } from "../types.ts";
import { CATBOOST_FILE, loadCatboostFile } from "./catboost.ts";
import { CALIBRATED, LINEAR, loadCalibrated, loadLinearScore, loadMean, MEAN } from "./combined.ts";
import { EBM_FILE, loadEbmFile } from "./ebm.ts";
import { FOREST_FILE, loadForestFile } from "./forest-file.ts";
import { parseJson } from "./json-limits.ts";
import { LIGHTGBM_FILE, loadLightgbmFile } from "./lightgbm.ts";
import { loadBound, loadEncoded } from "./load-table.ts";
import { loadXgboostFile, XGBOOST_FILE } from "./xgboost.ts";

/** What opens each `type` of saved model. */
const loaders: Readonly<Record<string, (saved: Saved, json: unknown) => Model>> = {
  logistic: (saved) => loadLinear("logistic", saved),
  svm: loadSvm,
  mlp: loadMlp,
  rbf: loadRbf,
  qda: loadQda,
  gp: loadGp,
  trees: (_, json) => loadTrees(json),
  [FOREST_FILE]: (_, json) => loadForestFile(json),
  [LINEAR]: loadLinearScore,
  [MEAN]: (saved, json) => loadMean(saved, json, loadModel),
  [CALIBRATED]: (saved, json) => loadCalibrated(saved, json, loadModel),
  [XGBOOST_FILE]: (_, json) => loadXgboostFile(json),
  [CATBOOST_FILE]: (_, json) => loadCatboostFile(json),
  [EBM_FILE]: (_, json) => loadEbmFile(json),
  [LIGHTGBM_FILE]: (_, json) => loadLightgbmFile(json),
  [ENCODED]: (saved, json) => loadEncoded(saved, json, loadModel),
  [BOUND]: (_, json) => loadBound(json, loadModel),
};

/**
 * The model that `toJSON` saved, from its JSON value or text: it predicts the same bits. MODEL_FILE_INVALID when
 * anything in it is missing, of the wrong kind or of the wrong size.
 */
export function loadModel(saved: unknown): Model {
  const json = typeof saved === "string" ? parseJson("loadModel", saved) : saved;
  const opened = openSaved(json, "model");
  const type = opened.choice("type", Object.keys(loaders));
  opened.check(opened.number("version") === SAVED_VERSION, `must be of version ${SAVED_VERSION}`);
  return loaders[type]!(opened, json);
}
