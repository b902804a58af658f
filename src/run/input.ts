import { couplers } from "../couple/registry.ts";
import { checkKeys } from "../errors.ts";
import type { WorkOptions } from "../types.ts";
import type { ExplainInput, Given } from "./contract.ts";
import type { Rows } from "./options.ts";

const KEYS = [
  "model",
  "references",
  "schema",
  "training",
  "constraints",
  "metric",
  "modelDigest",
  "sturdy",
  "usual",
  "grid",
  "reasons",
  "targetRows",
  "x",
  "pairs",
  "ids",
  "goal",
  "coupling",
  "reuse",
  "capped",
  "value",
  "values",
  "only",
  "policy",
  "budget",
  "stop",
  "prune",
  "prefer",
  "objective",
  "maxDistance",
  "alternatives",
  "front",
  "candidates",
  "effort",
  "attribution",
  "epsilon",
  "bins",
  "background",
  "seed",
  "defaults",
  "signal",
  "onProgress",
  "limits",
  "within",
] as const;
/** A list of all keys there are; never one that leaves some out. */
type Whole<L extends readonly string[]> = Exclude<keyof ExplainInput, L[number]> extends never ? L : never;

const ATTRIBUTION_KEYS = ["space", "tolerance", "maxEvaluations", "maxEnumeration"];

/** What `coupling` may name. */
export const COUPLINGS: readonly string[] = ["match", "joint", ...Object.keys(couplers)];

/** Throws where a name is given that no part, option or question has. */
export function checkNames(input: Partial<ExplainInput>): void {
  checkKeys("explain", input, KEYS satisfies Whole<typeof KEYS>);
  checkKeys("explain: budget", input.budget, ["total", "perRow"]);
  checkKeys("explain: attribution", input.attribution, ATTRIBUTION_KEYS);
}

/** What a question may leave out: nothing of the question before it may stand in for that. */
const LEFT_OUT = {
  pairs: undefined,
  ids: undefined,
  signal: undefined,
  onProgress: undefined,
  limits: undefined,
  within: undefined,
};

/** What is given of a question in all. */
export function inputOf(shared: Given, rows: Rows, work: WorkOptions = {}): ExplainInput {
  return { ...(shared as object), ...(LEFT_OUT as object), ...rows, ...work } as ExplainInput;
}
