import { ColaError } from "../errors.ts";
import { sigmoid } from "../model/link.ts";
import type { Link } from "../types.ts";

/** How raw scores become scores. */
export interface LightgbmObjective {
  /** The link of the raw score; undefined where we do not have it (sqrt, sigmoid ≠ 1, …). */
  readonly link: Link | undefined;
  /** Two outputs, the second with the raw score of the file. */
  readonly binary: boolean;
  score(raw: number): number;
}

const IDENTITY = [
  "regression",
  "regression_l1",
  "huber",
  "fair",
  "quantile",
  "mape",
  "lambdarank",
  "rank_xendcg",
  "custom",
  "none",
  "",
];
const EXP = ["poisson", "gamma", "tweedie"];
const LOGISTIC = ["binary", "multiclassova", "cross_entropy"];

/** The objective line: a name and parameters, as in "binary sigmoid:1". No line means raw scores. */
export function lightgbmObjective(line: string, margins: number): LightgbmObjective {
  const [name = "", ...rest] = line.trim().split(" ");
  const binary = name === "binary" && margins === 1;
  const plain = { binary: false, score: (raw: number) => raw };
  if (name === "multiclass") return { ...plain, link: "softmax" };
  if (LOGISTIC.includes(name)) {
    const scale = name === "cross_entropy" ? 1 : sigmoidOf(rest);
    return { link: scale === 1 ? "logistic" : undefined, binary, score: (raw) => sigmoid(scale * raw) };
  }
  if (name === "cross_entropy_lambda")
    return { ...plain, link: undefined, score: (raw) => Math.log1p(Math.exp(raw)) };
  if (EXP.includes(name)) return { ...plain, link: "exp", score: Math.exp };
  if (!IDENTITY.includes(name)) throw unknown(name);
  // reg_sqrt: the model was trained on sign(y)·√|y|.
  if (rest.includes("sqrt")) return { ...plain, link: undefined, score: (raw) => Math.sign(raw) * raw * raw };
  return { ...plain, link: "identity" };
}

function sigmoidOf(parameters: readonly string[]): number {
  const given = parameters.find((word) => word.startsWith("sigmoid:"));
  const scale = given === undefined ? 1 : Number(given.slice("sigmoid:".length) || Number.NaN);
  if (scale > 0 && Number.isFinite(scale)) return scale;
  throw new ColaError(
    "MODEL_FILE_INVALID",
    `readLightgbm: the objective's ${given} must be a positive number; the file is damaged.`,
    { where: "objective" },
  );
}

function unknown(name: string): ColaError {
  return new ColaError(
    "MODEL_FILE_UNSUPPORTED",
    `readLightgbm: the objective ${JSON.stringify(name.slice(0, 60))} is not known here, so raw scores cannot be turned into scores; known are multiclass, ${[...LOGISTIC, ...EXP, ...IDENTITY.filter(Boolean)].join(", ")}. commandModel and httpModel can call LightGBM itself.`,
    { objective: name.slice(0, 60) },
  );
}
