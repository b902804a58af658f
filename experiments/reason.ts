import { type ErrorCode, isColaError } from "../src/errors.ts";

/** What a data set, model and generator may come to as such; everything else is a fault of files or programs. */
const EXPECTED: readonly ErrorCode[] = [
  "FIT_FAILED",
  "INPUT_EMPTY",
  "PAIRS_INVALID",
  "LIMIT_MODEL_ROWS",
  "LIMIT_BYTES",
];

/**
 * Why a part of the work came to nothing, where that is a result to keep. Any other error ends all of the work, so
 * that nothing of it is taken for a result later. `also`: what else is expected of this part.
 */
export function reasonOf(error: unknown, also: readonly ErrorCode[] = []): string {
  if (isColaError(error) && [...EXPECTED, ...also].includes(error.code)) return error.message;
  throw error;
}
