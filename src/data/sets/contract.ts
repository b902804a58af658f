import type { Matrix, Schema, Table } from "../../types.ts";

/** A public data set of the paper: what it is, where it is published, under which terms. */
export interface DataSetInfo {
  readonly name: string;
  readonly title: string;
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly published: string;
  /** The page from which people get it. */
  readonly address: string;
  readonly terms: string;
  readonly rows: number;
}

/** The data set as the product reads it: business features, index 1 is the outcome a person would want. */
export interface ProductSet {
  readonly schema: Schema;
  readonly rows: Matrix;
  readonly labels: Int32Array;
  readonly classes: readonly [string, string];
}

/** The data set as the paper's experiments read it: encoded columns, the authors' label coding. */
export interface PresetSet {
  readonly names: readonly string[];
  readonly x: Matrix;
  readonly labels: Int32Array;
  /** Columns that are standardised. */
  readonly standardise: readonly number[];
  /** Encoded columns of each business feature. */
  readonly groups: readonly (readonly number[])[];
}

/** One loader per file: `table` is the file's content, cells as text. */
export interface DataSet {
  readonly info: DataSetInfo;
  product(table: Table): ProductSet;
  preset(table: Table): PresetSet;
}

/** The cells of a column as text, with `missing` where a cell is missing. */
export function textColumn(table: Table, name: string, missing = ""): string[] {
  return table.columns[table.names.indexOf(name)]!.map((cell) => (cell === null ? missing : String(cell)));
}

/** Column-wise numbers → a matrix. */
export function fromColumns(columns: readonly ArrayLike<number>[]): Matrix {
  const rows = columns[0]!.length;
  const data = new Float64Array(rows * columns.length);
  columns.forEach((column, k) => {
    for (let i = 0; i < rows; i++) data[i * columns.length + k] = column[i]!;
  });
  return { data, rows, cols: columns.length };
}

/** Codes of a text column in alphabetical order of its levels. */
export function alphabeticalCodes(cells: readonly string[]): { codes: Float64Array; levels: string[] } {
  const levels = [...new Set(cells)].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const index = new Map(levels.map((level, code) => [level, code]));
  return { codes: Float64Array.from(cells, (cell) => index.get(cell)!), levels };
}

/** Numbers of a text column; gaps are NaN. */
export function numberColumn(table: Table, name: string): Float64Array {
  return Float64Array.from(textColumn(table, name, "NaN"), Number);
}

/** Gaps replaced by the median of the rest. */
export function fillMedian(values: Float64Array): Float64Array {
  const present = values.filter((v) => !Number.isNaN(v)).sort();
  const half = present.length >> 1;
  const median = present.length % 2 === 1 ? present[half]! : (present[half - 1]! + present[half]!) / 2;
  return values.map((v) => (Number.isNaN(v) ? median : v));
}
