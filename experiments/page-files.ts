import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ColaError, messageOf } from "../src/errors.ts";

/** What a results file has at least. */
const HOLDS: Readonly<Record<string, readonly string[]>> = {
  "table.json": ["scenarios", "table", "best"],
  "table-authors.json": ["scenarios", "table", "best"],
  "check-authors.json": ["draws", "germanKnn", "agreement"],
  "savings.json": ["savings"],
  "optimality.json": ["scenarios"],
  "benchmark.json": ["scenarios"],
  "contest.json": ["results", "why"],
  "plans.json": ["results", "why", "judges"],
};

/** A results file of a folder; undefined where there is none. */
export function read<T>(folder: string, name: string): T | undefined {
  const path = join(folder, name);
  if (!existsSync(path)) return undefined;
  let found: unknown;
  try {
    found = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw damaged(path, `cannot be read as JSON (${messageOf(error)})`, error);
  }
  const own = (HOLDS[name] ?? []).every((key) => Object.hasOwn(Object(found), key));
  if (!own) throw damaged(path, `is not what the command writes, which has ${HOLDS[name]!.join(", ")}`);
  return found as T;
}

/** TABLE_INVALID where a results file is not what `cola reproduce` writes, however deep the damage is. */
export function readable<T>(folder: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw damaged(folder, `a results file does not hold what the command writes (${error.message})`, error);
  }
}

function damaged(path: string, what: string, cause?: unknown): ColaError {
  return new ColaError(
    "TABLE_INVALID",
    `reproduce page: ${path}: ${what}; delete the file and run its command again.`,
    { path },
    cause,
  );
}
