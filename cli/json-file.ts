import { readFileBytes } from "../node/files.ts";
import { ColaError, messageOf } from "../src/errors.ts";
import type { Shape } from "./shapes.ts";

/** Bytes a JSON file may have. */
const MAX_BYTES = 2 ** 28;

/** A JSON file as T, refused where it is not of the shape; without one it is checked where it is used. */
export function readJsonFile<T>(path: string, what: string, shape?: Shape): T {
  const value = parsed(path, what);
  const problem = shape?.(value, what);
  if (problem) throw new ColaError("OPTION_INVALID", `${path}: ${problem}.`, { path });
  return value as T;
}

function parsed(path: string, what: string): unknown {
  const bytes = readFileBytes(path, MAX_BYTES);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    throw new ColaError(
      "OPTION_INVALID",
      `${path}: the ${what} is not JSON: ${messageOf(error)}`,
      { path },
      error,
    );
  }
}
