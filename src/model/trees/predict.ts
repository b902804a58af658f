import type { Matrix, Trees } from "../../types.ts";
import { COLUMN, MARKED, type PackedTrees, packedLeft, packTrees } from "./packed.ts";
import { walkInto, walkTrees } from "./walk.ts";
import { kernelWalk } from "./walk-kernel.ts";

/** Rows walked through one tree before the next tree is fetched. */
const BLOCK = 256;

/** margin(z) = Σ_trees value[leaf(z)] + base for each encoded row, summed in tree order. */
export function predictTrees(trees: Trees, rows: Matrix): Float64Array {
  const out = new Float64Array(rows.rows);
  predictTreesInto(trees, rows, out);
  return out;
}

/** The same, written to `out` (one margin per row). A row's margin does not depend on the other rows. */
function predictTreesInto(trees: Trees, rows: Matrix, out: Float64Array): void {
  const done = kernelWalk(trees, rows, out);
  if (done < rows.rows) walkPlain(trees, rows, done, out);
  for (let i = 0; i < rows.rows; i++) out[i]! += trees.base;
}

/** out[i] = Σ_trees value[leaf of row i] for the rows from `first` on. */
function walkPlain(trees: Trees, rows: Matrix, first: number, out: Float64Array): void {
  const plain = walkTrees(trees);
  const { roots } = plain ?? packTrees(trees);
  const cells = trees.float32 ? Float64Array.from(Float32Array.from(rows.data)) : rows.data;
  out.fill(0, first, rows.rows);
  for (let from = first; from < rows.rows; from += BLOCK) {
    const to = Math.min(rows.rows, from + BLOCK);
    for (const root of roots) {
      if (plain) walkInto(plain, root, cells, rows.cols, from, to, out);
      else addTree(packTrees(trees), root, cells, rows.cols, from, to, out);
    }
  }
}

function addTree(
  packed: PackedTrees,
  root: number,
  rows: Float64Array,
  cols: number,
  from: number,
  to: number,
  out: Float64Array,
): void {
  const { cells, words } = packed;
  for (let i = from; i < to; i++) {
    const start = i * cols;
    let node = root;
    for (let word = words[4 * node + 2]!; word >= 0; word = words[4 * node + 2]!) {
      const z = rows[start + (word & COLUMN)]!;
      const left = word < MARKED ? z <= cells[2 * node]! : packedLeft(packed, node, word, z);
      node = left ? node + 1 : words[4 * node + 3]!;
    }
    out[i]! += cells[2 * node]!;
  }
}
