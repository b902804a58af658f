import { ColaError } from "../errors.ts";
import { SAVED_VERSION } from "../model/saved.ts";
import type { Model } from "../types.ts";
import { boostedModel } from "./boosted.ts";
import { type CategoryNames, savedCategories, xgboostCategories } from "./category-names.ts";
import { float32Sigmoid, float32Softmax } from "./float32.ts";
import { refuseForeign } from "./foreign.ts";
import { parseJson } from "./json-limits.ts";
import { type Part, part } from "./part.ts";
import { checkContent, indexNames, outputNames, type ReadOptions } from "./read-options.ts";
import { parseUbjson } from "./ubjson.ts";
import { boosterOf } from "./xgboost-booster.ts";
import { baseMargins, type Objective, objectiveOf } from "./xgboost-objective.ts";

const OWNER = "readXgboost";
/** Written into the saved form of a model that was read from a file. */
export const XGBOOST_FILE = "xgboost-file";
const MAX_OUTPUTS = 65536;

export interface XgboostOptions extends ReadOptions {
  /**
   * Boosting rounds to use: a number, `all`, or `best` (up to the file's best_iteration). Default: what
   * Python does: `best` where the file was saved by the scikit-learn wrapper, else `all`.
   */
  readonly iterations?: number | "all" | "best";
}

/**
 * A model from an XGBoost file, JSON or UBJSON, of 1.0 and later: gbtree, dart and gblinear. Margins are the
 * float32 sums of XGBoost's CPU predictor bit for bit; scores follow the objective (probabilities for
 * binary:logistic and multi:*, means for the log-linked ones, margins for rank:*).
 */
export function readXgboost(data: string | Uint8Array, options: XgboostOptions = {}): Model {
  checkContent(OWNER, data);
  if (typeof data !== "string") refuseForeign(OWNER, data);
  const document =
    typeof data !== "string" && isUbjson(data) ? parseUbjson(OWNER, data) : parseJson(OWNER, textOf(data));
  return readXgboostDocument(document, options);
}

/** A model saved with `toJSON`. */
export function loadXgboostFile(saved: unknown): Model {
  const at = part(OWNER, saved, "");
  const outputs = at.at("outputs").texts();
  return readXgboostDocument(at.at("document").value, { outputs, iterations: "all" }, savedCategories(at));
}

/** JSON opens its first key with a quote, UBJSON with the type of its length. */
function isUbjson(bytes: Uint8Array): boolean {
  return bytes[0] === 0x7b && bytes.length > 1 && "LUiIl$#".includes(String.fromCharCode(bytes[1]!));
}

function textOf(data: string | Uint8Array): string {
  return typeof data === "string" ? data : new TextDecoder().decode(data);
}

/** The same from a file that is parsed already. */
export function readXgboostDocument(
  document: unknown,
  options: XgboostOptions = {},
  saved?: CategoryNames,
): Model {
  if (Array.isArray(document)) {
    throw new ColaError(
      "MODEL_FILE_UNSUPPORTED",
      `${OWNER}: this is a list, as booster.dump_model writes, which leaves out what scoring needs; save the model with booster.save_model('model.json').`,
      { feature: "dump_model" },
    );
  }
  const learner = part(OWNER, document, "").at("learner");
  const param = learner.at("learner_model_param");
  const name = learner.at("objective").at("name").text();
  const objective = objectiveOf(name);
  const cols = param.at("num_feature").whole(1, 2 ** 28);
  const count = (key: string): number => (param.has(key) ? param.at(key).whole(0, MAX_OUTPUTS) : 1);
  const margins = Math.max(1, count("num_class"), count("num_target"));
  const binary = objective.binary && margins === 1;
  const base = baseMargins(param.at("base_score"), objective, margins);
  const attributes = learner.has("attributes") ? learner.at("attributes") : undefined;
  const body = boosterOf(learner.at("gradient_booster"), {
    base,
    wrapped: attributes?.has("scikit_learn") === true,
    cols,
    link: objective.link === "step" ? "identity" : objective.link,
    iterations: roundsOf(learner, options),
  });
  const inputs = inputNames(learner, cols);
  const types = learner.has("feature_types") ? learner.at("feature_types").texts() : [];
  const names = margins > 1 ? indexNames(margins) : binary ? ["0", "1"] : ["score"];
  const outputs = outputNames(OWNER, names, options.outputs);
  const kept = {
    feature_names: inputs ?? [],
    feature_types: types,
    learner_model_param: copyOf(param, ["base_score", "num_class", "num_feature", "num_target"]),
    objective: { name },
  };
  return boostedModel({
    owner: OWNER,
    outputs,
    inputs,
    categorical: types.map((type) => type === "c"),
    categoryNames: saved ?? xgboostCategories(learner.at("gradient_booster"), cols),
    cols,
    binary,
    margins: body.margins,
    link: objective.link === "softmax" ? { softmax: float32Softmax } : { score: scoreOf(objective) },
    round: Math.fround,
    structure: objective.link === "step" ? () => undefined : body.structure,
    toJSON: () => {
      const document = { learner: { ...kept, gradient_booster: body.document() } };
      return { type: XGBOOST_FILE, version: SAVED_VERSION, outputs, document };
    },
  });
}

function copyOf(at: Part, keys: readonly string[]): object {
  return Object.fromEntries(keys.filter((key) => at.has(key)).map((key) => [key, plain(at.at(key).value)]));
}

function plain(value: unknown): unknown {
  return value instanceof Float64Array ? Array.from(value) : value;
}

function scoreOf(objective: Objective): (margin: number) => number {
  if (objective.link === "logistic") return float32Sigmoid;
  if (objective.link === "exp") return Math.exp;
  return objective.link === "step" ? (m) => (m > 0 ? 1 : 0) : (m) => m;
}

function inputNames(learner: Part, cols: number): string[] | undefined {
  const names = learner.has("feature_names") ? learner.at("feature_names").texts() : [];
  if (names.length === 0) return undefined;
  if (names.length === cols) return names;
  throw learner.at("feature_names").error(`has ${names.length} names for ${cols} columns`);
}

/** Boosting rounds to keep, Infinity for all. */
function roundsOf(learner: Part, { iterations }: XgboostOptions): number {
  const attributes = learner.has("attributes") ? learner.at("attributes") : undefined;
  const wanted = iterations ?? (attributes?.has("scikit_learn") ? "best" : "all");
  if (typeof wanted === "number") {
    if (Number.isInteger(wanted) && wanted >= 1) return wanted;
    throw new ColaError(
      "OPTION_INVALID",
      `${OWNER}: options.iterations must be a whole number ≥ 1, "best" or "all", not ${wanted}.`,
    );
  }
  if (wanted === "all" || !attributes?.has("best_iteration")) return Number.POSITIVE_INFINITY;
  return attributes.at("best_iteration").whole(0, 2 ** 31 - 1) + 1;
}
