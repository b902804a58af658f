import { bare } from "../src/data/bare-text.ts";
import { firstOf, Note } from "../src/data/notes.ts";
import { isNumberText } from "../src/data/number-texts.ts";
import type { OneHotGroup } from "../src/data/one-hot.ts";
import type { Cell, Kind, Schema, Table } from "../src/types.ts";

/** Features, and columns, that a notice names. */
const FEATURES = 40;
const COLUMNS = 20;

const READ_AS = {
  numeric: "featureNumeric",
  integer: "featureInteger",
  boolean: "featureBoolean",
  ordinal: "featureOrdinal",
  categorical: "featureCategorical",
} as const satisfies Readonly<Record<Kind, string>>;

/** How the columns of a table were read. */
export function readAs({ features }: Schema): Note {
  const shown = features.map(({ name, kind, categories }) =>
    categories
      ? new Note("featureLevels", { name, count: categories.length })
      : new Note(READ_AS[kind], { name }),
  );
  return new Note("readAs", { features: firstOf(shown, FEATURES) });
}

/** Rows from which on the ends of a column say how far its numbers go. */
const FEW_ROWS = 20;

/** That what numbers may become is known from few rows, where the schema does not say it. */
export function fewRows({ features }: Schema, count: number): Note[] {
  const guessed = features.some(
    ({ kind, immutable, derived, allowed, min, max }) =>
      (kind === "numeric" || kind === "integer") &&
      !(immutable || derived || allowed || (min !== undefined && max !== undefined)),
  );
  return guessed && count < FEW_ROWS ? [new Note("fewRows", { count })] : [];
}

/** Columns of the table that the schema does not speak of. */
export function unread(
  { names }: Table,
  { features }: Schema,
  roles: readonly (string | undefined)[],
): Note[] {
  const known = new Set([...features.map((f) => f.name), ...roles]);
  const others = names.filter((name) => !known.has(name));
  if (others.length === 0) return [];
  return [new Note("notRead", { names: firstOf(others, COLUMNS), count: others.length })];
}

/** Indicator columns that became one feature. */
export const mergedNote = ({ columns, feature }: OneHotGroup): Note =>
  new Note("merged", { columns, feature });

/** Columns that may be one feature. */
export const apartNote = ({ columns, feature }: OneHotGroup): Note => new Note("apart", { columns, feature });

/** Different numbers from which on an outcome is a quantity more likely than a class. */
const QUANTITY = 20;

/** Outcomes that look like a quantity. */
export function manyNumbers(label: string, classes: readonly string[]): Note[] {
  const quantity = classes.length > QUANTITY && classes.every(isNumberText);
  return quantity ? [new Note("manyNumbers", { label, count: classes.length })] : [];
}

/** Ids that more than one row has. */
export function repeatedIds(name: string, ids: readonly Cell[]): Note[] {
  const seen = new Set<Cell>();
  const repeated = ids.filter((id) => id !== null && seen.size === seen.add(id).size);
  if (repeated.length === 0) return [];
  return [new Note("repeatedIds", { name, count: repeated.length, example: String(repeated[0]) })];
}

/** Classes that are nearly the same. */
export function twins(classes: readonly string[]): Note[] {
  return classes.flatMap((one, k) =>
    classes
      .slice(k + 1)
      .filter((other) => bare(other) === bare(one))
      .map((other) => new Note("twinClasses", { one: JSON.stringify(one), other: JSON.stringify(other) })),
  );
}
