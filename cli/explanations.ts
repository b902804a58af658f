import { readFileBytes, readFileHead } from "../node/files.ts";
import { beginsLines, explanationOfLines, linesOf } from "../show/lines.ts";
import { contentDigest } from "../src/digest.ts";
import { ColaError, isColaError, messageOf } from "../src/errors.ts";
import type { Explanation } from "../src/explanation.ts";
import { upgradeExplanation } from "../src/upgrade.ts";
import { readJsonFile } from "./json-file.ts";

/** Bytes in which the first line of an explanation ends: it holds the schema. */
const HEAD_BYTES = 2 ** 24;

/** A stored explanation of any version, as JSON or as lines; `-` is standard input. */
export function readExplanation(file: string): Explanation {
  const lines = file !== "-" && beginsLines(readFileHead(file, HEAD_BYTES));
  const value = lines ? undefined : readJsonFile<Partial<Explanation>>(file, "explanation");
  try {
    const explanation = upgradeExplanation(lines ? explanationOfLines(linesOf(readFileBytes(file))) : value);
    if (explanation) return unchanged(file, explanation);
  } catch (error) {
    if (isColaError(error)) throw error;
    throw damaged(file, error);
  }
  throw new ColaError(
    "OPTION_INVALID",
    `${file}: this is not an explanation of version 1 or 2; write one with cola explain.`,
  );
}

/** What was changed after it was written is not told on as if it were whole. */
function unchanged(file: string, explanation: Explanation): Explanation {
  if (explanation.digest === undefined || contentDigest(explanation) === explanation.digest)
    return explanation;
  throw new ColaError(
    "OPTION_INVALID",
    `${file}: the explanation was changed after it was written (its digest is another); write it again with cola explain, or see what fits by cola verify.`,
    { file },
  );
}

/** Nothing is computed here, so what cannot be rendered was not written by us. */
export function damaged(file: string, cause: unknown): ColaError {
  return new ColaError(
    "OPTION_INVALID",
    `${file}: the explanation is damaged (${messageOf(cause).slice(0, 200)}); write it again with cola explain.`,
    { file },
    cause,
  );
}
