import type { Schema } from "../basic-types.ts";
import { levelsOf } from "./schema.ts";

/** A word as other languages write it, and what stands before it. */
const BEFORE = /([\p{L}_][\p{L}\p{N}_.]*|`.*?`)\s*$/u;

/** What to write for a word that conditions do not have, as SQL and programs do; undefined for any other. */
export function wordFor(text: string, at: number): string | undefined {
  const word = /^(\p{L}+|&+|\|+|=)/u.exec(text.slice(at))?.[0] ?? "";
  const name = BEFORE.exec(text.slice(0, at))?.[1] ?? "job";
  if (/^(and|or|not)$/i.test(word))
    return word === word.toLowerCase() ? undefined : `write \`${word.toLowerCase()}\` in small letters`;
  if (word.startsWith("&")) return "write `and`";
  if (word.startsWith("|")) return "write `or`";
  if (word === "=") return "write `==`";
  if (/^in$/i.test(word)) return `write each value by itself: ${name} == 'a' or ${name} == 'b'`;
  if (/^between$/i.test(word)) return `write both ends: ${name} >= 1 and ${name} <= 3`;
  return undefined;
}

/** What to write for a name that is not a feature, but a level of one. */
export function levelFor(word: string, { features }: Schema): string | undefined {
  const owner = features.find((feature) => levelsOf(feature).includes(word));
  return owner && `write '${word}' in quotes, as it is a level of ${owner.name}`;
}
