import { ColaError } from "../errors.ts";
import type { Matrix, Schema } from "../types.ts";

/** A cell as it leaves for a model outside: a number, a level name, true or false, or what stands for missing. */
export type Cell = number | string | boolean | null;

/** How table rows are told to a model outside. */
export interface CellOptions {
  /** Names of the columns, in order. Default: those of `schema`, else none are sent. */
  readonly inputs?: readonly string[];
  /** With a schema, cells of features with categories leave as level names, booleans as true and false. */
  readonly schema?: Schema;
  /** What a missing value leaves as. Default null. */
  readonly missing?: number | string | null;
}

export interface CellWriter {
  readonly names: readonly string[] | undefined;
  cell(value: number, column: number): Cell;
  /** Rows from … to − 1. */
  rows(table: Matrix, from: number, to: number): Cell[][];
}

export function cellWriter(owner: string, options: CellOptions): CellWriter {
  const features = options.schema?.features;
  const names = options.inputs ?? features?.map((feature) => feature.name);
  if (features && names && features.length !== names.length) {
    throw new ColaError(
      "OPTION_INVALID",
      `${owner}: options.inputs names ${names.length} columns, options.schema has ${features.length} features; give one of them, or both alike.`,
      { inputs: names.length, features: features.length },
    );
  }
  const missing = options.missing === undefined ? null : options.missing;
  const cell = (value: number, k: number): Cell => {
    if (Number.isNaN(value)) return missing;
    const feature = features?.[k];
    if (feature?.categories) return feature.categories[value] ?? badLevel(owner, feature.name, value);
    return feature?.kind === "boolean" ? value !== 0 : value;
  };
  return {
    names,
    cell,
    rows: (table, from, to) => {
      if (names && names.length !== table.cols) {
        throw new ColaError(
          "INPUT_SHAPE",
          `${owner}: the model reads ${names.length} columns (${names.slice(0, 5).join(", ")}${names.length > 5 ? ", …" : ""}), but the rows have ${table.cols}.`,
          { cols: table.cols, expected: names.length },
        );
      }
      return Array.from({ length: to - from }, (_, i) =>
        Array.from(table.data.subarray((from + i) * table.cols, (from + i + 1) * table.cols), cell),
      );
    },
  };
}

function badLevel(owner: string, name: string, value: number): never {
  throw new ColaError(
    "VALUE_INVALID",
    `${owner}: the cell ${value} of ${name} is not an index of one of its categories.`,
    { feature: name, value },
  );
}
