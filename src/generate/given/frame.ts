import type { Constraints } from "../../data/constraints.ts";
import { encodeCell, hasLevels, levelsOf } from "../../data/schema.ts";
import { ColaError } from "../../errors.ts";
import type { Cell, Feature, Matrix } from "../../types.ts";

/** Rows with named columns. */
export interface Frame {
  /** Who is speaking in an error: `table`, `dice`, `alibi`, `carla`. */
  readonly owner: string;
  readonly names: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

/** How a scaled number is brought back: v·(max − min) + min, or v·sd + mean. */
export type Scaling =
  | { readonly min: number; readonly max: number }
  | { readonly mean: number; readonly sd: number };

export interface FrameOptions {
  /** Columns that are not features: the outcome, row numbers, whatever a program left there. */
  readonly ignore?: readonly string[];
  /** How numbers were scaled, by feature. */
  readonly scaling?: Readonly<Record<string, Scaling>>;
  /** Level columns hold the number of the level instead of its name. */
  readonly codes?: boolean;
}

/** How one feature is read from the columns of a frame. */
type Reader = (row: readonly Cell[], i: number) => number;

/**
 * Table rows from a frame, columns bound by name in whatever order they come. A feature with levels may also
 * come as 0/1 columns called `feature_level` or `feature=level` (one of two levels may be left out), of which
 * the largest counts. Unknown columns, missing features and levels that do not exist are errors.
 */
export function readFrame(
  { schema, nearest }: Constraints,
  frame: Frame,
  options: FrameOptions = {},
): Matrix {
  const { features } = schema;
  const used = new Set(options.ignore);
  const readers = features.map((feature, k): Reader => {
    const { columns, read } = readerOf(feature, frame, options);
    for (const name of columns) used.add(name);
    const scaled = options.scaling?.[feature.name] !== undefined;
    return scaled ? (row, i) => nearest(k, read(row, i)) : read;
  });
  const unknown = frame.names.filter((name) => !used.has(name));
  if (unknown.length > 0) {
    throw new ColaError(
      "SCHEMA_INVALID",
      `${frame.owner}: the columns ${unknown.join(", ")} are not features of the schema (${features.map((f) => f.name).join(", ")}); correct their names, add the features, or list them in \`ignore\`.`,
      { columns: unknown },
    );
  }
  const data = new Float64Array(frame.rows.length * features.length);
  frame.rows.forEach((row, i) => {
    readers.forEach((read, k) => {
      data[i * features.length + k] = read(row, i);
    });
  });
  return { data, rows: frame.rows.length, cols: features.length };
}

function readerOf(
  feature: Feature,
  frame: Frame,
  options: FrameOptions,
): { columns: readonly string[]; read: Reader } {
  const at = frame.names.indexOf(feature.name);
  if (at >= 0) {
    const read: Reader = (row, i) => cellOf(frame.owner, feature, row[at] ?? null, i, options);
    return { columns: [feature.name], read };
  }
  if (feature.derived) return { columns: [], read: () => Number.NaN };
  const levels = hasLevels(feature) ? levelsOf(feature) : [];
  const columns = levels.map((level) =>
    frame.names.findIndex(
      (name) => name === `${feature.name}_${level}` || name === `${feature.name}=${level}`,
    ),
  );
  const known = columns.filter((c) => c >= 0).length;
  if (known > 0 && (known === levels.length || levels.length === 2)) {
    return { columns: columns.filter((c) => c >= 0).map((c) => frame.names[c]!), read: largest(columns) };
  }
  throw new ColaError(
    "SCHEMA_INVALID",
    `${frame.owner}: the feature ${JSON.stringify(feature.name)} of the schema has no column; the columns are ${frame.names.join(", ")}. Add the column, or take the feature out of the schema.`,
    { feature: feature.name, columns: frame.names },
  );
}

/** Index of the largest of the 0/1 columns; one that is left out holds what the other lacks to 1. */
function largest(columns: readonly number[]): Reader {
  return (row) => {
    const shares = columns.map((c) => (c < 0 ? Number.NaN : row[c] === null ? Number.NaN : Number(row[c])));
    const known = shares.filter((v) => !Number.isNaN(v));
    if (known.length === 0) return Number.NaN;
    const full = shares.map((v, level) => (columns[level]! < 0 ? 1 - known[0]! : v));
    return full.indexOf(Math.max(...full));
  };
}

function cellOf(owner: string, feature: Feature, cell: Cell, row: number, options: FrameOptions): number {
  const scaling = options.scaling?.[feature.name];
  if (scaling && typeof cell === "number") {
    return "min" in scaling
      ? scaling.min + cell * (scaling.max - scaling.min)
      : scaling.mean + cell * scaling.sd;
  }
  const named = options.codes && hasLevels(feature) ? levelNamed(feature, cell) : cell;
  try {
    return encodeCell(feature, named, row);
  } catch (error) {
    if (!(error instanceof ColaError)) throw error;
    throw new ColaError(error.code, error.message.replace(/^table:/, `${owner}:`), error.details, error);
  }
}

/** The level of a number; anything else is left for the cell to complain about. */
function levelNamed(feature: Feature, cell: Cell): Cell {
  return typeof cell === "number" && Number.isInteger(cell) ? (levelsOf(feature)[cell] ?? cell) : cell;
}
