import { fromRows } from "../num/matrix.ts";
import type { Matrix } from "../types.ts";

/** A string that is equal for rows of equal bytes only. */
export function bytesKey(row: Float64Array): string {
  return String.fromCharCode(...new Uint16Array(row.buffer, row.byteOffset, row.length * 4));
}

/** Rows seen so far: gives back those that are new, each once; rows are the same if their bytes are. */
export class Distinct {
  readonly #seen = new Map<number, Uint32Array[]>();

  /** Is the row new? It is not new the next time. */
  add(row: Float64Array): boolean {
    const words = new Uint32Array(row.buffer, row.byteOffset, 2 * row.length);
    const hash = hashOf(words);
    const alike = this.#seen.get(hash);
    if (alike?.some((other) => sameWords(other, words))) return false;
    if (alike) alike.push(words.slice());
    else this.#seen.set(hash, [words.slice()]);
    return true;
  }

  /** The new ones of these rows, as one matrix of `cols` columns. */
  matrix(rows: readonly Float64Array[], cols: number): Matrix {
    const fresh = rows.filter((row) => this.add(row));
    return fresh.length > 0 ? fromRows(fresh) : { data: new Float64Array(0), rows: 0, cols };
  }
}

function hashOf(words: Uint32Array): number {
  let hash = words.length;
  for (let w = 0; w < words.length; w++) hash = Math.imul(hash ^ words[w]! ^ (hash >>> 15), 0x9e3779b1);
  return hash;
}

function sameWords(a: Uint32Array, b: Uint32Array): boolean {
  if (a.length !== b.length) return false;
  for (let w = 0; w < a.length; w++) if (a[w] !== b[w]) return false;
  return true;
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
