import type { Cell, Feature, Kind, Matrix, Schema, Table } from "../basic-types.ts";
import { ColaError, checkKeys } from "../errors.ts";
import { meant } from "./nearby.ts";

const KINDS: readonly Kind[] = ["numeric", "integer", "ordinal", "categorical", "boolean"];

/** Does a cell of this feature hold the index of a level? */
export function hasLevels(feature: Feature): boolean {
  return feature.kind === "categorical" || feature.kind === "ordinal" || feature.kind === "boolean";
}

const BOOLEAN_LEVELS = ["false", "true"] as const;

/** Names of the levels of a feature; false and true for a boolean. */
export function levelsOf(feature: Feature): readonly string[] {
  return feature.kind === "boolean" ? (feature.categories ?? BOOLEAN_LEVELS) : (feature.categories ?? []);
}

/** Index of a level by its name, −1 when there is none. */
export function levelIndex(feature: Feature, level: unknown): number {
  return levelsOf(feature).indexOf(String(level));
}

/** What people call the feature. */
export function labelOf(feature: Feature): string {
  return feature.label ?? feature.name;
}

/** What may be said of a feature; a word beyond these would be without effect. */
const FEATURE_KEYS: readonly (keyof Feature)[] = [
  "name",
  "kind",
  "label",
  "unit",
  "categories",
  "immutable",
  "min",
  "max",
  "step",
  "allowed",
  "direction",
  "transitions",
  "editMissing",
  "missing",
  "cost",
  "tolerance",
  "derived",
];

/** Throws SCHEMA_INVALID or CONSTRAINT_INVALID unless the schema is consistent. */
export function checkSchema(schema: Schema): void {
  const wrong = (what: string, name?: unknown): ColaError =>
    new ColaError("SCHEMA_INVALID", `schema: ${what}.`, { name });
  if (!Array.isArray(schema?.features) || schema.features.length === 0)
    throw wrong("`features` must list at least one feature");
  checkKeys("schema", schema, ["features", "rules"]);
  const seen = new Set<string>();
  for (const feature of schema.features) {
    const { name, kind } = feature;
    checkKeys(`schema: feature ${name}`, feature, FEATURE_KEYS);
    if (typeof name !== "string" || name === "" || seen.has(name)) {
      const what = seen.has(name) ? "given twice" : "not a name";
      throw wrong(
        `feature names must be non-empty and different, but ${JSON.stringify(name)} is ${what}`,
        name,
      );
    }
    seen.add(name);
    if (!KINDS.includes(kind)) {
      throw wrong(`feature ${name} has kind ${JSON.stringify(kind)}; use one of ${KINDS.join(", ")}`, name);
    }
    const levels = levelsOf(feature);
    if (hasLevels(feature) && levels.length === 0)
      throw wrong(`${kind} feature ${name} needs its \`categories\``, name);
    if (kind === "boolean" && levels.length !== 2)
      throw wrong(`boolean feature ${name} needs two \`categories\` or none, but has ${levels.length}`, name);
    if (new Set(levels).size < levels.length) throw wrong(`feature ${name} lists a category twice`, name);
  }
}

/** The feature called `name`, or CONSTRAINT_INVALID with the names there are. */
export function featureIndex(schema: Schema, name: string, owner = "schema"): number {
  const k = schema.features.findIndex((f) => f.name === name);
  if (k >= 0) return k;
  throw new ColaError(
    "CONSTRAINT_INVALID",
    `${owner}: there is no feature ${JSON.stringify(name)}${meant(
      name,
      schema.features.map((f) => f.name),
    )}; the features are ${schema.features.map((f) => f.name).join(", ")}.`,
    { name },
  );
}

/** The number a cell is stored as: itself, the index of its level, or NaN when missing. */
export function encodeCell(feature: Feature, cell: Cell | undefined, row: number): number {
  if (cell === null || cell === undefined || cell === "" || Number.isNaN(cell)) return Number.NaN;
  if (hasLevels(feature)) {
    const index = levelCode(feature, cell);
    if (index >= 0) return index;
    throw new ColaError(
      "VALUE_INVALID",
      `table: row ${row} of ${feature.name} is ${JSON.stringify(cell)}, which is not one of its levels ${levelsOf(feature).slice(0, 12).join(", ")}; correct the cell or add the level to the schema.`,
      { row, feature: feature.name, value: cell },
    );
  }
  const value = typeof cell === "string" ? Number(cell.trim()) : Number(cell);
  if (Number.isFinite(value) && (feature.kind !== "integer" || Number.isInteger(value))) return value;
  throw new ColaError(
    "VALUE_INVALID",
    `table: row ${row} of ${feature.name} is ${typeof cell === "number" ? cell : JSON.stringify(cell)}, not ${feature.kind === "integer" ? "a whole" : "a finite"} number; correct the cell or change the kind in the schema.`,
    { row, feature: feature.name, value: String(cell) },
  );
}

/** Index of the level that a cell names, −1 when there is none. */
export function levelCode(feature: Feature, cell: Cell): number {
  const name = feature.kind === "boolean" ? booleanName(feature, cell) : String(cell).trim();
  const exact = levelIndex(feature, name);
  if (exact >= 0) return exact;
  // An apostrophe before a level is how files say that it is not a formula (formats/csv).
  return levelIndex(feature, name.startsWith("'") ? name.slice(1) : plainLevel(name));
}

/** A level as models write it: 10 where pandas writes 10.0, and true where it writes True. */
export function plainLevel(text: string): string {
  return /^true$|^false$/i.test(text) ? text.toLowerCase() : text.replace(/^(-?\d+)\.0+$/, "$1");
}

function booleanName(feature: Feature, cell: Cell): string {
  if (feature.categories) return String(cell);
  const text = plainLevel(String(cell).trim().toLowerCase());
  if (text === "1" || text === "yes" || text === "true") return "true";
  if (text === "0" || text === "no" || text === "false") return "false";
  return String(cell);
}

/** What people wrote: the inverse of `encodeCell`. */
export function decodeCell(feature: Feature, value: number): Cell {
  if (Number.isNaN(value)) return null;
  if (!hasLevels(feature)) return value;
  const level = levelsOf(feature)[value];
  if (level === undefined) {
    throw new ColaError("INTERNAL", `schema: ${value} is not a level of ${feature.name}.`, {
      feature: feature.name,
      value,
    });
  }
  return feature.kind === "boolean" && !feature.categories ? value === 1 : level;
}

/** Table rows as numbers: one column per feature, in schema order; columns are bound by name. */
export function tableToMatrix(schema: Schema, table: Table): Matrix {
  checkSchema(schema);
  const places = new Map(table.names.map((name, k) => [name, k]));
  const columns = schema.features.map((feature) => {
    const at = places.get(feature.name);
    if (at !== undefined || feature.derived) return table.columns[at ?? -1];
    throw new ColaError(
      "SCHEMA_INVALID",
      `table: column ${JSON.stringify(feature.name)} of the schema is missing; the table has ${table.names.join(", ")}. Rename the column, or take the feature out of the schema.`,
      { feature: feature.name, columns: table.names },
    );
  });
  const d = columns.length;
  const data = new Float64Array(table.rows * d);
  columns.forEach((column, k) => {
    const code = encoderOf(schema.features[k]!);
    for (let i = 0; i < table.rows; i++) data[i * d + k] = code(column?.[i], i);
  });
  return { data, rows: table.rows, cols: d };
}

/** Texts of a column that are remembered: cells of most columns are few, written again and again. */
const REMEMBERED = 4096;

/** `encodeCell` for the cells of one column. */
function encoderOf(feature: Feature): (cell: Cell | undefined, row: number) => number {
  const known = new Map<string, number>();
  return (cell, row) => {
    if (typeof cell !== "string") return encodeCell(feature, cell, row);
    const before = known.get(cell);
    if (before !== undefined) return before;
    const code = encodeCell(feature, cell, row);
    if (known.size < REMEMBERED) known.set(cell, code);
    return code;
  };
}

export function matrixToTable(schema: Schema, rows: Matrix): Table {
  const columns = schema.features.map((feature, k) => {
    const cells = new Array<Cell>(rows.rows);
    for (let i = 0; i < rows.rows; i++) cells[i] = decodeCell(feature, rows.data[i * rows.cols + k]!);
    return cells;
  });
  return { names: schema.features.map((f) => f.name), columns, rows: rows.rows };
}

/** A schema of plain numbers for a matrix without one. */
export function plainSchema(cols: number): Schema {
  return { features: Array.from({ length: cols }, (_, k) => ({ name: `x${k}`, kind: "numeric" as const })) };
}
