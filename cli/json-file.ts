import { readFileBytes } from "../node/files.ts";
import { ColaError, messageOf } from "../src/errors.ts";

/** A JSON file as T; its shape is checked where it is used. */
export function readJsonFile<T>(path: string, what: string): T {
  try {
    return JSON.parse(new TextDecoder().decode(readFileBytes(path, 2 ** 26))) as T;
  } catch (error) {
    if (error instanceof ColaError) throw error;
    throw new ColaError(
      "OPTION_INVALID",
      `${path}: the ${what} is not JSON: ${messageOf(error)}`,
      { path },
      error,
    );
  }
}
