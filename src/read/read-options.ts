import { ColaError } from "../errors.ts";

/** Options of the file readers. */
export interface ReadOptions {
  /** Names of the outputs, in the order of the file's classes. Default "0", "1", … or "score". */
  readonly outputs?: readonly string[];
}

/** OPTION_INVALID unless the content of a file was given. */
export function checkContent(owner: string, data: unknown): asserts data is string | Uint8Array {
  if (typeof data === "string" || data instanceof Uint8Array) return;
  throw new ColaError(
    "OPTION_INVALID",
    `${owner}: give the content of the file as text or Uint8Array, not ${data === null ? "null" : typeof data}.`,
  );
}

/** The names of `count` outputs: the given ones, else `fallback`. */
export function outputNames(owner: string, fallback: readonly string[], given?: readonly string[]): string[] {
  if (given === undefined) return [...fallback];
  if (given.length === fallback.length && new Set(given).size === given.length) return given.map(String);
  throw new ColaError(
    "OPTION_INVALID",
    `${owner}: options.outputs names ${given.join(", ")}, but the model has ${fallback.length} outputs; name each once, in their order.`,
    { given: given.length, outputs: fallback.length },
  );
}

/** Names "0" … "count − 1". */
export function indexNames(count: number): string[] {
  return Array.from({ length: count }, (_, o) => String(o));
}
