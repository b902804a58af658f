import type { Feature, Matrix, Schema } from "../types.ts";
import { bare } from "./bare-text.ts";
import { firstOf, Note, type NoteValue } from "./notes.ts";
import { levelsOf } from "./schema.ts";

/** Ways in which pipelines name an indicator column of feature `a` and level `b`: what stands between and behind. */
const BETWEEN = [
  ["_", ""],
  ["=", ""],
  ["__", ""],
  ["[", "]"],
  [".", ""],
] as const;

export const INDICATOR_NAMES = BETWEEN.map(
  ([between, behind]) =>
    (a: string, b: string): string =>
      `${a}${between}${b}${behind}`,
);

/** What follows the prefix a column transformer puts before a name (`cat__a_b` → `a_b`). */
export function withoutPrefix(name: string): string {
  const at = name.indexOf("__");
  return at > 0 ? name.slice(at + 2) : name;
}

/** LightGBM writes blanks in names as underscores. */
export const underscored = (name: string): string => name.replaceAll(" ", "_");

/** Levels that inputs name with underscores as the table writes them, with blanks. */
export function asInTable(levels: readonly string[], texts: readonly string[]): readonly string[] {
  return levels.map((level) => {
    if (texts.includes(level)) return level;
    const spaced = texts.filter((text) => underscored(text) === level);
    return spaced.length === 1 ? spaced[0]! : level;
  });
}

/** The column that an input reads as it is: of its name, without a prefix, or with blanks for underscores. */
export function columnOfInput(input: string, names: readonly string[]): string | undefined {
  const exact = [input, withoutPrefix(input)].find((name) => names.includes(name));
  if (exact !== undefined) return exact;
  const spaced = names.filter((name) => underscored(name) === input);
  return spaced.length === 1 ? spaced[0] : undefined;
}

/**
 * The levels a model's inputs name: of each of the columns `names` that is not an input itself, what its indicators are
 * of. An input belongs to the column with the longest name it begins with.
 */
export function levelsInInputs(
  inputs: readonly string[],
  names: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const direct = inputs.map((input) => columnOfInput(input, names));
  const columns = names.filter((name) => !direct.includes(name)).sort((a, b) => b.length - a.length);
  const found = new Map<string, string[]>();
  for (const [k, input] of inputs.entries()) {
    if (direct[k] !== undefined) continue;
    const own =
      indicatorIn(input, columns) ??
      indicatorIn(withoutPrefix(input), columns) ??
      indicatorIn(input, columns, underscored);
    if (own) found.set(own.name, [...(found.get(own.name) ?? []), own.level]);
  }
  return found;
}

/** The columns that inputs read: as they are, or their levels. */
export function columnsRead(inputs: readonly string[], names: readonly string[]): ReadonlySet<string> {
  const direct = inputs.flatMap((input) => columnOfInput(input, names) ?? []);
  return new Set([...direct, ...levelsInInputs(inputs, names).keys()]);
}

function indicatorIn(
  input: string,
  columns: readonly string[],
  written: (name: string) => string = (name) => name,
): { readonly name: string; readonly level: string } | undefined {
  for (const name of columns) {
    const start = written(name);
    for (const [between, behind] of BETWEEN) {
      // `a__b` is read before `a_` and `_b`.
      if (between === "_" && input.startsWith(`${start}__`)) continue;
      if (!input.startsWith(start + between) || !input.endsWith(behind)) continue;
      const level = input.slice(start.length + between.length, input.length - behind.length);
      if (level !== "") return { name, level };
    }
  }
  return undefined;
}

/** The levels of a column that a model's file names. */
export interface NamedLevels {
  readonly feature: string;
  readonly levels: readonly string[];
}

/** A feature with levels that a model's inputs do not name. */
export interface UnknownLevels {
  readonly feature: string;
  readonly known: readonly string[];
  readonly unknown: readonly string[];
  /** The one level is taken for that which the encoding left out. */
  readonly leftOut: boolean;
}

/**
 * The schema with the levels a model's inputs name beside its own, and the levels the inputs do not know. One level may
 * have no input, because encodings leave out the first in the order of the texts, but not where the file itself names
 * the levels (`ofFile`); an edit leads to known levels alone.
 */
export function withInputLevels(
  schema: Schema,
  inputs: readonly string[],
  ofFile: readonly NamedLevels[] = [],
): { readonly schema: Schema; readonly unknownLevels: readonly UnknownLevels[] } {
  const names = schema.features.map((feature) => feature.name);
  const named = new Map(levelsInInputs(inputs, names));
  const closed = new Set<string>();
  for (const { feature, levels } of ofFile) {
    const name = columnOfInput(feature, names);
    if (name === undefined) continue;
    named.set(name, levels);
    closed.add(name);
  }
  const unknownLevels: UnknownLevels[] = [];
  const features = schema.features.map((feature): Feature => {
    if (!named.has(feature.name) || feature.kind !== "categorical") return feature;
    const known = asInTable(named.get(feature.name)!, levelsOf(feature));
    const unknown = levelsOf(feature).filter((level) => !known.includes(level));
    const categories = [...new Set([...known, ...levelsOf(feature)])].sort(byText);
    if (unknown.length === 0) return { ...feature, categories };
    const misspelt = known.some((level) => bare(level) === bare(unknown[0]!));
    const leftOut =
      !closed.has(feature.name) && unknown.length === 1 && categories[0] === unknown[0] && !misspelt;
    unknownLevels.push({ feature: feature.name, known, unknown, leftOut });
    return { ...feature, categories, ...(leftOut ? {} : { allowed: feature.allowed ?? known }) };
  });
  return { schema: { ...schema, features }, unknownLevels };
}

/** Rows with a level the model does not know, with the feature and the level. */
export function unknownCells(
  schema: Schema,
  rows: Matrix,
  unknownLevels: readonly UnknownLevels[],
): readonly { readonly row: number; readonly feature: string; readonly level: string }[] {
  return unknownLevels.flatMap(({ feature, unknown, leftOut }) => {
    if (leftOut) return [];
    const k = schema.features.findIndex((f) => f.name === feature);
    const levels = levelsOf(schema.features[k]!);
    return Array.from({ length: rows.rows }, (_, row) => ({
      row,
      feature,
      level: levels[rows.data[row * rows.cols + k]!]!,
    })).filter(({ level }) => unknown.includes(level));
  });
}

/** Rows a note names. */
const SHOWN = 5;

/** A row by its number. */
export const rowNote = (row: number): Note => new Note("row", { row: String(row) });

/** What to know of levels that the model's inputs do not name. */
export function unknownNotes(
  unknownLevels: readonly UnknownLevels[],
  cells: ReturnType<typeof unknownCells>,
  nameOf: (row: number) => NoteValue = rowNote,
): Note[] {
  return unknownLevels.flatMap(({ feature, known, unknown, leftOut }) => {
    if (leftOut) return [new Note("levelLeftOut", { feature, level: JSON.stringify(unknown[0]) })];
    const own = cells.filter((cell) => cell.feature === feature);
    if (own.length === 0) return [];
    const shown = own.map(
      ({ row, level }) => new Note("cell", { row: nameOf(row), value: JSON.stringify(level) }),
    );
    return [
      new Note("levelUnknown", {
        feature,
        cells: firstOf(shown, SHOWN, "moreRows"),
        known,
        count: own.length,
      }),
    ];
  });
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
