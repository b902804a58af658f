import { ColaError } from "../../errors.ts";

/** Options of the file readers. */
export interface ReadOptions {
  /** Names of the outputs, in the order of the file's classes. Default "0", "1", … or "score". */
  readonly outputs?: readonly string[];
}

/** The names of `count` outputs: the given ones, else `fallback`. */
export function outputNames(owner: string, fallback: readonly string[], given?: readonly string[]): string[] {
  if (given === undefined) return [...fallback];
  if (given.length === fallback.length && new Set(given).size === given.length) return given.map(String);
  throw new ColaError(
    "OPTION_INVALID",
    `${owner}: options.outputs names ${given.length} outputs (${given.join(", ")}), but the model has ${fallback.length}; name each once.`,
    { given: given.length, outputs: fallback.length },
  );
}

/** Names "0" … "count − 1". */
export function indexNames(count: number): string[] {
  return Array.from({ length: count }, (_, o) => String(o));
}
