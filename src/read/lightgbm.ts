import { softmaxInto } from "../model/loss.ts";
import { SAVED_VERSION } from "../model/saved.ts";
import { predictTrees } from "../model/trees/predict.ts";
import type { Model, Structure, Trees } from "../types.ts";
import { boostedModel } from "./boosted.ts";
import { type CategoryNames, lightgbmCategories, savedCategories } from "./category-names.ts";
import { refuseForeign } from "./foreign.ts";
import { joinTrees, scaleForest } from "./forest.ts";
import { type LightgbmObjective, lightgbmObjective } from "./lightgbm-objective.ts";
import { type LightgbmText, lightgbmText } from "./lightgbm-text.ts";
import { lightgbmTree } from "./lightgbm-trees.ts";
import { part } from "./part.ts";
import { checkContent, indexNames, outputNames, type ReadOptions } from "./read-options.ts";

const OWNER = "readLightgbm";
/** Written into the saved form of a model that was read from a file. */
export const LIGHTGBM_FILE = "lightgbm-file";
const MAX_OUTPUTS = 65536;

/**
 * A model from a LightGBM text file (`booster.save_model`), versions 2 to 4. Margins are LightGBM's raw
 * scores: double sums of leaves in tree order (their mean for random forests); scores follow the objective.
 */
export function readLightgbm(data: string | Uint8Array, options: ReadOptions = {}): Model {
  checkContent(OWNER, data);
  if (typeof data !== "string") refuseForeign(OWNER, data);
  return fromText(typeof data === "string" ? data : new TextDecoder().decode(data), options);
}

/** A model saved with `toJSON`. */
export function loadLightgbmFile(saved: unknown): Model {
  const at = part(OWNER, saved, "");
  return fromText(at.at("text").text(), { outputs: at.at("outputs").texts() }, savedCategories(at));
}

function fromText(text: string, options: ReadOptions, saved?: CategoryNames): Model {
  const file = lightgbmText(OWNER, text);
  const { header } = file;
  const cols = header.whole("max_feature_idx", 0, 2 ** 28) + 1;
  const margins = header.whole("num_tree_per_iteration", 1, MAX_OUTPUTS);
  const objective = lightgbmObjective(header.text("objective") ?? "", margins);
  const forests = readForests(file, cols, margins, objective);
  const names = margins > 1 ? indexNames(margins) : objective.binary ? ["0", "1"] : ["score"];
  const outputs = outputNames(OWNER, names, options.outputs);
  const inputs = header.text("feature_names")?.split(" ");
  if (inputs && inputs.length !== cols) {
    throw header.error("feature_names", `has ${inputs.length} names for ${cols} columns`);
  }
  // Numbers have a range, [0:1]; categories are listed, 2:0:1.
  const categorical = header
    .text("feature_infos")
    ?.split(" ")
    .map((info) => /^-?\d+(:-?\d+)*$/.test(info));
  return boostedModel({
    owner: OWNER,
    outputs,
    inputs,
    categorical,
    categoryNames: saved ?? lightgbmCategories(OWNER, text, categorical),
    cols,
    binary: objective.binary,
    margins: (rows, g) => predictTrees(forests[g]!, rows).map((sum) => sum / file.divisor),
    link: objective.link === "softmax" ? { softmax: (m) => softmaxInto(m, m) } : { score: objective.score },
    round: (score) => score,
    structure: (g) => structureOf(forests[g]!, objective, file.divisor),
    toJSON: () => ({ type: LIGHTGBM_FILE, version: SAVED_VERSION, outputs, text: file.kept }),
  });
}

/** Tree t belongs to margin t mod `margins`. */
function readForests(
  file: LightgbmText,
  cols: number,
  margins: number,
  objective: LightgbmObjective,
): Trees[] {
  if (file.trees.length % margins !== 0) {
    throw file.header.error(
      "num_tree_per_iteration",
      `is ${margins}, which does not divide ${file.trees.length} trees`,
    );
  }
  const link = objective.link ?? "identity";
  const trees = file.trees.map((tree) => lightgbmTree(tree, cols));
  return Array.from({ length: margins }, (_, g) =>
    joinTrees(
      trees.filter((_tree, t) => t % margins === g),
      { base: 0, link, inclusive: true, float32: false },
    ),
  );
}

/** The forest whose linked sum is the score; none where the objective's link is not one of ours. */
function structureOf(forest: Trees, objective: LightgbmObjective, divisor: number): Structure | undefined {
  if (objective.link === undefined) return undefined;
  return divisor === 1 ? forest : scaleForest(forest, 1 / divisor);
}
