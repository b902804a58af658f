import type { Matrix } from "../basic-types.ts";
import { ColaError } from "../errors.ts";

/** A rows × cols matrix over `data` (zeros when not given). */
export function matrix(rows: number, cols: number, data?: Float64Array): Matrix {
  const cells = data ?? new Float64Array(rows * cols);
  if (cells.length !== rows * cols) {
    throw new ColaError(
      "INPUT_SHAPE",
      `matrix: ${rows} × ${cols} needs ${rows * cols} cells, but data has ${cells.length}.`,
      { rows, cols, length: cells.length },
    );
  }
  return { data: cells, rows, cols };
}

/** A matrix from an array of equally long rows; null and undefined become NaN (missing). */
export function fromRows(rows: readonly ArrayLike<number | null | undefined>[]): Matrix {
  const cols = rows[0]?.length ?? 0;
  const data = new Float64Array(rows.length * cols);
  rows.forEach((row, i) => {
    if (row.length !== cols) {
      throw new ColaError(
        "INPUT_SHAPE",
        `fromRows: row ${i} has ${row.length} cells where row 0 has ${cols}; give every row the same length.`,
        { row: i, length: row.length, cols },
      );
    }
    for (let k = 0; k < cols; k++) data[i * cols + k] = row[k] ?? Number.NaN;
  });
  return { data, rows: rows.length, cols };
}

export function toRows(m: Matrix): number[][] {
  return Array.from({ length: m.rows }, (_, i) => Array.from(rowOf(m, i)));
}

/** A view of row i (not a copy). */
export function rowOf(m: Matrix, i: number): Float64Array {
  return m.data.subarray(i * m.cols, (i + 1) * m.cols);
}

/** A view of rows from … to − 1 (not a copy). */
export function rowsBetween({ data, cols }: Matrix, from: number, to: number): Matrix {
  return { data: data.subarray(from * cols, to * cols), rows: to - from, cols };
}

/** Tables of as many columns below each other. */
export function stacked(parts: readonly Matrix[], cols = parts[0]!.cols): Matrix {
  if (parts.length === 1) return parts[0]!;
  const data = new Float64Array(parts.reduce((sum, part) => sum + part.data.length, 0));
  let at = 0;
  for (const part of parts) {
    data.set(part.data, at);
    at += part.data.length;
  }
  return { data, rows: data.length / cols, cols };
}

/** The rows named by `indices`, copied. */
export function takeRows(m: Matrix, indices: ArrayLike<number>): Matrix {
  const out = new Float64Array(indices.length * m.cols);
  for (let i = 0; i < indices.length; i++) out.set(rowOf(m, indices[i]!), i * m.cols);
  return { data: out, rows: indices.length, cols: m.cols };
}

/** The columns named by `indices`, copied. */
export function takeCols(m: Matrix, indices: ArrayLike<number>): Matrix {
  const out = new Float64Array(m.rows * indices.length);
  for (let i = 0; i < m.rows; i++) {
    for (let k = 0; k < indices.length; k++) {
      out[i * indices.length + k] = m.data[i * m.cols + indices[k]!]!;
    }
  }
  return { data: out, rows: m.rows, cols: indices.length };
}

export function copyOf(m: Matrix): Matrix {
  return { data: m.data.slice(), rows: m.rows, cols: m.cols };
}

/** Two cells hold the same value: equal, or both missing. −0 equals 0. */
export function sameValue(a: number, b: number): boolean {
  return a === b || (Number.isNaN(a) && Number.isNaN(b));
}

/** Lexicographic order of rows a and b by their content, missing values last; 0 where they are the same. */
export function compareRows({ data, cols }: Matrix, a: number, b: number): number {
  for (let c = 0; c < cols; c++) {
    const [u, v] = [data[a * cols + c]!, data[b * cols + c]!];
    if (!sameValue(u, v)) return u < v || Number.isNaN(v) ? -1 : 1;
  }
  return 0;
}

/** Throws unless m is a well-formed, non-empty matrix without ±Infinity (and without NaN if `noMissing`). */
export function checkMatrix(owner: string, name: string, m: Matrix, noMissing = false): void {
  if (!(m?.data instanceof Float64Array) || m.data.length !== m.rows * m.cols) {
    throw new ColaError(
      "INPUT_SHAPE",
      `${owner}: ${name} must be { data: Float64Array(rows × cols), rows, cols }; make one with fromRows().`,
      { name },
    );
  }
  if (m.rows === 0 || m.cols === 0) {
    throw new ColaError(
      "INPUT_EMPTY",
      `${owner}: ${name} is ${m.rows} × ${m.cols}; give at least one row and one column.`,
      { name, rows: m.rows, cols: m.cols },
    );
  }
  for (let c = 0; c < m.data.length; c++) {
    const v = m.data[c]!;
    if (v - v === 0 || (Number.isNaN(v) && !noMissing)) continue;
    throw new ColaError(
      "INPUT_NOT_FINITE",
      `${owner}: ${name} holds ${v} in row ${Math.floor(c / m.cols)}, column ${c % m.cols}; ${
        Number.isNaN(v)
          ? "missing values are not allowed here"
          : "only finite numbers and NaN (missing) are allowed"
      }.`,
      { name, row: Math.floor(c / m.cols), column: c % m.cols, value: String(v) },
    );
  }
}

/** Throws unless both have the same number of columns. */
export function checkSameCols(owner: string, a: Matrix, b: Matrix, names = "x and r"): void {
  if (a.cols !== b.cols) {
    throw new ColaError(
      "INPUT_SHAPE",
      `${owner}: ${names} must have the same columns, but have ${a.cols} and ${b.cols}.`,
      { left: a.cols, right: b.cols },
    );
  }
}
