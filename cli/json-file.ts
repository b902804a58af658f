import { readFileBytes } from "../node/files.ts";
import { ColaError, isColaError, messageOf } from "../src/errors.ts";
import type { Shape } from "../study/shapes.ts";
import { repeatedKey } from "./json-keys.ts";

/** Bytes a JSON file may have. */
const MAX_BYTES = 2 ** 28;

/** A JSON file as T, refused where it is not of the shape; without one it is checked where it is used. */
export function readJsonFile<T>(path: string, what: string, shape?: Shape): T {
  const value = parsed(path, what);
  const problem = shape?.(value, what);
  if (problem) throw new ColaError("OPTION_INVALID", `${path}: ${problem}.`, { path });
  return value as T;
}

/** The value of a JSON file in which no object has a key twice: one of both would be lost. */
function parsed(path: string, what: string): unknown {
  const bytes = readFileBytes(path, MAX_BYTES);
  const wrong = (problem: string, cause?: unknown): ColaError =>
    new ColaError("OPTION_INVALID", `${path}: ${problem}`, { path }, cause);
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    const key = repeatedKey(text);
    if (key !== undefined)
      throw wrong(`${key} is in the ${what} twice, and only one of them could count; write it once.`);
    return value;
  } catch (error) {
    throw isColaError(error)
      ? error
      : wrong(
          `the ${what} file is not JSON (${messageOf(error)}); correct it there, or name another.`,
          error,
        );
  }
}
