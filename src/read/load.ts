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
import { parseJson } from "./json-limits.ts";
import { LIGHTGBM_FILE, loadLightgbmFile } from "./lightgbm.ts";
import { loadBound, loadEncoded } from "./load-table.ts";
import { loadXgboostFile, XGBOOST_FILE } from "./xgboost.ts";

/** Who opens which `type` of saved model. */
const loaders: Readonly<Record<string, (saved: Saved, json: unknown) => Model>> = {
  logistic: (saved) => loadLinear("logistic", saved),
  svm: loadSvm,
  mlp: loadMlp,
  rbf: loadRbf,
  qda: loadQda,
  gp: loadGp,
  trees: (_, json) => loadTrees(json),
  [XGBOOST_FILE]: (_, json) => loadXgboostFile(json),
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
