import { ColaError } from "../errors.ts";
import type { Link } from "../types.ts";
import type { Part } from "./part.ts";

/** How margins become scores and how the file's base_score becomes a margin. */
export interface Objective {
  /** `step`: 1 where the margin is positive, else 0. */
  readonly link: Link | "step";
  readonly base: "identity" | "logit" | "log";
  /** Two outputs, the second with the margin of the file. */
  readonly binary: boolean;
}

const IDENTITY: Objective = { link: "identity", base: "identity", binary: false };
const EXP: Objective = { link: "exp", base: "log", binary: false };
const SOFTMAX: Objective = { link: "softmax", base: "identity", binary: false };

const OBJECTIVES: Readonly<Record<string, Objective>> = {
  "binary:logistic": { link: "logistic", base: "logit", binary: true },
  "binary:hinge": { link: "step", base: "identity", binary: true },
  "binary:logitraw": IDENTITY,
  "multi:softprob": SOFTMAX,
  "multi:softmax": SOFTMAX,
  "reg:logistic": { link: "logistic", base: "logit", binary: false },
  "reg:squarederror": IDENTITY,
  "reg:linear": IDENTITY,
  "reg:squaredlogerror": IDENTITY,
  "reg:pseudohubererror": IDENTITY,
  "reg:absoluteerror": IDENTITY,
  "reg:quantileerror": IDENTITY,
  "count:poisson": EXP,
  "reg:gamma": EXP,
  "reg:tweedie": EXP,
  "survival:cox": EXP,
  "survival:aft": EXP,
  "rank:pairwise": IDENTITY,
  "rank:ndcg": IDENTITY,
  "rank:map": IDENTITY,
};

export function objectiveOf(name: string): Objective {
  if (Object.hasOwn(OBJECTIVES, name)) return OBJECTIVES[name]!;
  throw new ColaError(
    "MODEL_FILE_UNSUPPORTED",
    `readXgboost: the objective ${JSON.stringify(name.slice(0, 60))} is not known here, so its margins cannot be turned into scores; known are ${Object.keys(OBJECTIVES).join(", ")}. commandModel and httpModel can call XGBoost itself.`,
    { objective: name.slice(0, 60) },
  );
}

/** Distance of a base score from 0 and 1 that XGBoost keeps since its base scores are lists. */
const EDGE = Math.fround(1e-6);

/**
 * The margins every row starts from, in float32: base_score is a number, a text ("5E-1") or, since 3.1, a
 * list ("[5E-1]", one number or one per margin); a probability with logistic objectives, a mean with exp.
 */
export function baseMargins(at: Part, objective: Objective, margins: number): Float32Array {
  const isText = typeof at.value === "string";
  const listed = isText ? at.text().trim().startsWith("[") : typeof at.value === "object";
  const given = isText ? textNumbers(at) : listed ? at.numbers() : Float64Array.of(at.number());
  if (given.length !== 1 && given.length !== margins) {
    throw at.error(`has ${given.length} numbers for ${margins} outputs`);
  }
  return Float32Array.from({ length: margins }, (_, g) => {
    const score = Math.fround(given[given.length === 1 ? 0 : g]!);
    const atEdge = listed || score === 0 || score === 1;
    const margin = toMargin(objective.base, atEdge ? inside(objective.base, score) : score);
    if (Number.isFinite(margin)) return margin;
    throw at.error(`is ${score}, which is outside the range of the objective`);
  });
}

function textNumbers(at: Part): Float64Array {
  const numbers = at
    .text()
    .trim()
    .replace(/^\[|\]$/g, "")
    .split(",");
  if (numbers.some((n) => n.trim() === "")) throw at.error("is an empty list");
  return Float64Array.from(numbers, Number);
}

function inside(base: Objective["base"], score: number): number {
  return base === "logit" ? Math.min(Math.max(score, EDGE), Math.fround(1 - EDGE)) : score;
}

function toMargin(base: Objective["base"], score: number): number {
  if (base === "logit") return -Math.fround(Math.log(Math.fround(Math.fround(1 / score) - 1)));
  return base === "log" ? Math.fround(Math.log(score)) : score;
}
