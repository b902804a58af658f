import type { Work } from "../budget.ts";
import type { Cost } from "../types.ts";
import { finiteRow } from "./finite-row.ts";

/**
 * An order of the rows and columns of a cost that follows their content. The key of a row is a sum of hashes of
 * its weight and of the pairs (cost, key of the column), which no permutation of the columns changes; columns
 * likewise; two rounds. So permuting rows or columns permutes the order with them, except among rows (or
 * columns) whose keys are equal, such as equal rows: these keep the order they came in. Rows and columns
 * of weight zero come last.
 */
interface Signature {
  readonly rows: Int32Array;
  readonly cols: Int32Array;
  /** max |c_ij|. */
  readonly largest: number;
}

const ROUNDS = 2;

export async function signature(
  owner: string,
  cost: Cost,
  a: Float64Array,
  b: Float64Array,
  work: Work,
): Promise<Signature> {
  const { n, m } = cost;
  const row = new Float64Array(m);
  const words = new Int32Array(row.buffer);
  let rowKeys = keysOf(a);
  let colKeys = keysOf(b);
  let largest = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const nextRows = new Int32Array(n);
    const nextCols = new Int32Array(m);
    for (let i = 0; i < n; i++) {
      if (work.due()) await work.pause(0, n);
      finiteRow(owner, cost, i, row);
      if (round === 0) largest = row.reduce((most, c) => Math.max(most, Math.abs(c)), largest);
      nextRows[i] = addRow(words, rowKeys[i]!, colKeys, nextCols);
    }
    rowKeys = nextRows;
    colKeys = nextCols;
  }
  return { rows: orderOf(rowKeys, a), cols: orderOf(colKeys, b), largest };
}

/** Adds the row's hashes to the keys of the columns; returns the new key of the row. */
function addRow(words: Int32Array, rowKey: number, colKeys: Int32Array, nextCols: Int32Array): number {
  let key = 0;
  for (let j = 0; j < colKeys.length; j++) {
    const cell = hash(words[2 * j]!, words[2 * j + 1]!);
    key = (key + hash(cell, colKeys[j]!)) | 0;
    nextCols[j]! += hash(cell, rowKey);
  }
  return key;
}

function hash(a: number, b: number): number {
  let h = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ b;
  h = Math.imul(h ^ (h >>> 15), 0xc2b2ae35);
  h = Math.imul(h ^ (h >>> 13), 0x27d4eb2f);
  return h ^ (h >>> 16);
}

function keysOf(weights: Float64Array): Int32Array {
  const words = new Int32Array(Float64Array.from(weights).buffer);
  return Int32Array.from(weights, (_, i) => hash(words[2 * i]!, words[2 * i + 1]!));
}

function orderOf(keys: Int32Array, weights: Float64Array): Int32Array {
  return Int32Array.from(keys, (_, i) => i).sort(
    (i, k) =>
      Number(weights[i] === 0) - Number(weights[k] === 0) ||
      keys[i]! - keys[k]! ||
      weights[i]! - weights[k]! ||
      i - k,
  );
}
