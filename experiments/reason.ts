import { isColaError } from "../src/errors.ts";

/** Why a part of the work came to nothing; an interruption and files that cannot be read end all of it. */
export function reasonOf(error: unknown): string {
  if (isColaError(error)) {
    if (error.code === "ABORTED" || error.code.startsWith("FILE_")) throw error;
    return error.message;
  }
  return `a defect of the program: ${error}`;
}
