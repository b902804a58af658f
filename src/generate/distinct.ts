import { fromRows } from "../num/matrix.ts";
import type { Matrix } from "../types.ts";

/** A string that is equal for rows of equal bytes only. */
export function bytesKey(row: Float64Array): string {
  return String.fromCharCode(...new Uint16Array(row.buffer, row.byteOffset, row.length * 4));
}

/** Rows seen so far: gives back those that are new, each once. */
export class Distinct {
  readonly #seen = new Set<string>();

  /** Is the row new? It is not new the next time. */
  add(row: Float64Array): boolean {
    const before = this.#seen.size;
    this.#seen.add(bytesKey(row));
    return this.#seen.size > before;
  }

  /** The new ones of these rows, as one matrix of `cols` columns. */
  matrix(rows: readonly Float64Array[], cols: number): Matrix {
    const fresh = rows.filter((row) => this.add(row));
    return fresh.length > 0 ? fromRows(fresh) : { data: new Float64Array(0), rows: 0, cols };
  }
}

/** Order of rows: by the first cell that differs; a missing value comes last. */
export function compareRows(a: Float64Array, b: Float64Array): number {
  for (let k = 0; k < a.length; k++) {
    if (a[k] === b[k] || (Number.isNaN(a[k]) && Number.isNaN(b[k]))) continue;
    if (Number.isNaN(a[k])) return 1;
    if (Number.isNaN(b[k])) return -1;
    return a[k]! - b[k]!;
  }
  return 0;
}
