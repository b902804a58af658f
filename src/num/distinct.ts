import type { Matrix } from "../types.ts";
import { takeRows } from "./matrix.ts";

/** Rows without repetition, where each row went, and the first row equal to it; compared bit by bit through a hash table. */
export function distinctRows(rows: Matrix): { distinct: Matrix; place: Int32Array; first: Int32Array } {
  const { cols } = rows;
  const words = new Uint32Array(rows.data.slice().buffer);
  const width = 2 * cols;
  const mask = 2 ** Math.ceil(Math.log2(2 * rows.rows + 2)) - 1;
  const table = new Int32Array(mask + 1).fill(-1);
  const kept: number[] = [];
  const place = new Int32Array(rows.rows);
  const same = (i: number, j: number): boolean => {
    for (let w = 0; w < width; w++) if (words[i * width + w] !== words[j * width + w]) return false;
    return true;
  };
  for (let i = 0; i < rows.rows; i++) {
    let hash = 0;
    for (let w = i * width; w < (i + 1) * width; w++)
      hash = Math.imul(hash ^ words[w]!, 0x9e3779b1) ^ (hash >>> 15);
    let at = (hash ^ (hash >>> 13)) & mask;
    while (table[at]! >= 0 && !same(i, kept[table[at]!]!)) at = (at + 1) & mask;
    if (table[at]! < 0) table[at] = kept.push(i) - 1;
    place[i] = table[at]!;
  }
  const distinct = kept.length < rows.rows ? takeRows(rows, kept) : rows;
  return { distinct, place, first: place.map((t) => kept[t]!) };
}

/** Those of some rows that equal one before them, and which. */
export function twinsAmong(rows: Matrix, some: Iterable<number>): Map<number, number> {
  const { place } = distinctRows(rows);
  const first = new Map<number, number>();
  const twins = new Map<number, number>();
  for (const i of some) {
    const known = first.get(place[i]!);
    if (known === undefined) first.set(place[i]!, i);
    else twins.set(i, known);
  }
  return twins;
}
