import type { withWork } from "../../../cli/run.ts";
import { type writeFilesWhole, writeFileWhole } from "../../../node/files.ts";

type Keys = (text: string) => string | undefined;

/** Readers of JSON that see other keys than there are. */
export const keyMutants: Readonly<Record<string, Keys>> = {
  "one set of keys for the whole file": (text) => repeated(keysOf(text)),
  "keys as they are written, escapes and all": (text) =>
    repeated(keysOf(text).map((key) => `"${key}"`)) && undefined,
  "the outermost object alone": (text) => repeated(keysOf(text.replace(/:\s*[{[].*[}\]]/s, ": 0"))),
};

function keysOf(text: string): string[] {
  return [...text.matchAll(/"((?:[^"\\]|\\.)*)"\s*:/g)].map((match) => match[1]!);
}

function repeated(keys: readonly string[]): string | undefined {
  return keys.find((key, i) => keys.indexOf(key) < i);
}

/** Replaces each file as soon as it is written. */
export const writeOneByOne: typeof writeFilesWhole = (files) => {
  for (const [path, content] of files) writeFileWhole(path, content);
};

/** Gives every stage the whole time anew. */
export const anewForEach: typeof withWork = ({ timeout }, run) =>
  run(timeout === undefined ? {} : { limits: { timeMs: timeout * 1000 } });
