/** Every error the library raises. docs/ERRORS.md lists exactly these; a test compares both ways. */
export const ERRORS = {
  INPUT_EMPTY: "A table or matrix has no rows or no columns.",
  INPUT_SHAPE: "Two inputs that belong together have different shapes.",
  INPUT_NOT_FINITE: "A cell is +Infinity or −Infinity (NaN is allowed where it means a missing value).",
  COST_INVALID: "A cost is NaN or infinite, or cannot be computed from rows with missing values.",
  WEIGHTS_INVALID: "Weights are negative, not finite, sum to zero or do not sum to one.",
  PAIRS_INVALID: "Known pairs point outside the tables or leave a row without a partner.",
  OPTION_INVALID: "An option is outside its range or of the wrong kind.",
  BUDGET_INVALID: "A budget is negative, fractional or not a number.",
  NAME_UNKNOWN: "A name is not in the registry it was looked up in.",
  SCHEMA_INVALID: "A schema contradicts itself or does not fit its table.",
  CONSTRAINT_INVALID: "A constraint names something unknown or contradicts another.",
  STRICT_REFUSED:
    "With strict, what would otherwise only be noted is refused: a column that gives the outcome away, a level the model does not know.",
  LETTER_REFUSED:
    "No letter can be written for this row: it has no reasons or no refusal, or a protected attribute is among them.",
  VALUE_INVALID: "A table cell does not fit the kind of its column.",
  TABLE_INVALID: "A table file is empty, damaged or not in the format it was read as.",
  FILE_UNREADABLE: "A file does not exist, is not a regular file or may not be read.",
  FILE_UNWRITABLE: "A file cannot be written where it was asked for.",
  SIZE_LIMIT: "A file or table is larger than the limit set for it.",
  TARGET_INVALID: "A target names an output the model does not have, or an empty range.",
  FIT_FAILED:
    "A model cannot be fitted to these rows: one class only, a singular covariance, or training that diverges.",
  PREDICT_FAILED: "The model threw or rejected while scoring rows.",
  PREDICT_SHAPE: "The model returned another number of scores than it was given rows.",
  PREDICT_NAN: "The model returned a score that is not a finite number.",
  PREDICT_OVERFLOW: "Scores are finite, but so far apart that a difference or square of them is not.",
  PREDICT_TIMEOUT: "The model did not answer within the time limit.",
  LIMIT_TIME: "The wall-clock limit ran out.",
  LIMIT_MODEL_ROWS: "The limit on rows scored by the model ran out.",
  LIMIT_BYTES: "A stage would need more memory than the limit allows.",
  ABORTED: "The caller's AbortSignal fired.",
  MODEL_FILE_INVALID: "A model file is damaged or is not of the format it was read as.",
  MODEL_FILE_UNSUPPORTED: "A model file uses a feature this reader does not support.",
  PEER_MISSING: "An optional package that this feature needs is not installed.",
  BRIDGE_INVALID: "A message to `cola bridge` is malformed.",
  BRIDGE_ENDED: "The engine behind a bridge ended or did not start.",
  STORE_LOCKED: "A data folder is in use by another process.",
  STORE_UNREACHABLE: "The PostgreSQL server that keeps everything cannot be reached just now.",
  INTERNAL: "A post-condition of the library failed. This is a defect of ours, never of the input.",
} as const;

export type ErrorCode = keyof typeof ERRORS;

/** An error with a stable code; the message names the owner, the rule, the value and the remedy. */
export class ColaError extends Error {
  override readonly name = "ColaError";
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: ErrorCode,
    message: string,
    details: Readonly<Record<string, unknown>> = {},
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.details = details;
  }
}

export function isColaError(error: unknown): error is ColaError {
  return error instanceof ColaError;
}

/** Did a limit of the run run out? */
export function isLimit(error: unknown): error is ColaError {
  return isColaError(error) && error.code.startsWith("LIMIT_");
}

/** Did the model fail? */
export function isPredict(error: unknown): error is ColaError {
  return isColaError(error) && error.code.startsWith("PREDICT_");
}

/** Throws unless an option is what its rule says. */
export function checkOption(ok: boolean, owner: string, option: string, rule: string, value: unknown): void {
  if (ok) return;
  const shown = typeof value === "string" ? JSON.stringify(value) : String(value);
  throw new ColaError("OPTION_INVALID", `${owner}: ${option} must be ${rule}, but is ${shown}.`, {
    option,
    value: String(value),
  });
}

/** Throws unless an option is a whole number from `least` to `most`. */
export function checkWhole(
  owner: string,
  option: string,
  value: number,
  least: number,
  most = Number.POSITIVE_INFINITY,
): void {
  const ok = Number.isInteger(value) && value >= least && value <= most;
  const range = most === Number.POSITIVE_INFINITY ? `≥ ${least}` : `from ${least} to ${most}`;
  checkOption(ok, owner, option, `a whole number ${range}`, value);
}

/** Throws unless `name` is one of `names`. */
export function checkName(owner: string, what: string, name: unknown, names: readonly string[]): void {
  if (names.some((known) => known === name)) return;
  throw new ColaError(
    "NAME_UNKNOWN",
    `${owner}: there is no ${what} ${JSON.stringify(name) ?? "undefined"}; choose one of ${names.join(", ")}.`,
    { name, names },
  );
}

/** Throws unless every key is one of `names`: a misspelt one would be without effect, and unnoticed. */
export function checkKeys(owner: string, given: object | undefined, names: readonly string[]): void {
  for (const key of Object.keys(given ?? {})) checkName(owner, "option", key, names);
}

/** Throws unless a list has one entry for each of `count` things. */
export function checkCount(owner: string, list: string, length: number, count: number, what: string): void {
  if (length === count) return;
  throw new ColaError(
    "INPUT_SHAPE",
    `${owner}: ${list} has ${length} entries for ${count} ${what}; give one each.`,
    {
      list,
      length,
      count,
    },
  );
}

/** The message of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
