import { hasLevels } from "../src/data/schema.ts";
import { ColaError } from "../src/errors.ts";
import type { Cell } from "../src/types.ts";
import type { Data } from "./parts.ts";

/** An attribute by which people are grouped, with the edges of its ranges where it is a number. */
export interface ByAttribute {
  readonly name: string;
  readonly cuts: readonly number[];
}

/** `sex`, `age:25,45`: a number goes on with the edges of the attribute before it. */
export function byOf(words: readonly string[]): ByAttribute[] {
  const found: { name: string; cuts: number[] }[] = [];
  for (const word of cutAtCommas(words)) {
    const last = found.at(-1);
    if (last && last.cuts.length > 0 && isNumber(word)) {
      last.cuts.push(Number(word));
      continue;
    }
    const at = word.lastIndexOf(":");
    if (at > 0 && isNumber(word.slice(at + 1)))
      found.push({ name: word.slice(0, at), cuts: [Number(word.slice(at + 1))] });
    else found.push({ name: word, cuts: [] });
  }
  return found.map(({ name, cuts }) => ({ name, cuts: [...new Set(cuts)].sort((a, b) => a - b) }));
}

/** The words as the command line cuts them: `age:25,45` of a JSON list are two. */
export function cutAtCommas(words: readonly string[]): string[] {
  return words.flatMap((word) => {
    const at = word.lastIndexOf(":");
    const [first = "", ...more] = word.slice(at + 1).split(",");
    const ranges = at > 0 && [first, ...more].every(isNumber);
    return ranges ? [word.slice(0, at + 1) + first, ...more] : [word];
  });
}

const isNumber = (word: string): boolean => word.trim() !== "" && Number.isFinite(Number(word));

/** Names that must not change in plans because people are grouped by them, as far as they are features. */
export const frozenBy = (by: readonly string[] = [], names: readonly string[]): string[] =>
  byOf(by)
    .map(({ name }) => name)
    .filter((name) => names.includes(name));

/** Where the values of an attribute stand: a feature, or another column of the table, whose rows are found by their ids. */
interface Placed {
  readonly feature: number;
  readonly column?: readonly Cell[];
  readonly numeric: boolean;
}

/** Finds an attribute; refuses one that is not there, or whose groups cannot be told. */
export function placed({ schema, table, ids }: Data, { name, cuts }: ByAttribute): Placed {
  const k = schema.features.findIndex((feature) => feature.name === name);
  const own = schema.features[k];
  const column = table.columns[table.names.indexOf(name)];
  if (!own && !column)
    throw refused(
      name,
      `there is no column ${JSON.stringify(name)}; the columns are ${table.names.slice(0, 40).join(", ")}.`,
    );
  if (!own && (!ids || new Set(ids).size < ids.length))
    throw refused(
      name,
      ids
        ? `${name} is not a feature, so that its rows are found by their ids, and some rows have the same id; give each its own.`
        : `${name} is not a feature, so that its rows are found by their ids; name the column of ids (options.id).`,
    );
  const known = own ? [] : column!.filter((cell) => cell !== null);
  const numeric = own ? !hasLevels(own) : known.length > 0 && known.every((cell) => typeof cell === "number");
  if (cuts.length > 0 !== numeric)
    throw refused(
      name,
      numeric
        ? `${name} is a number; give the edges of its ranges, as ${name}:25,45.`
        : `${name} has levels, not numbers; leave out the edges behind it.`,
    );
  return { feature: k, numeric, ...(own ? {} : { column: column! }) };
}

const refused = (name: string, why: string): ColaError =>
  new ColaError("OPTION_INVALID", `options.by: ${why}`, { name });
