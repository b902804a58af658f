import { COLUMN, type PackedTrees, packedLeft, packTrees } from "../model/trees/packed.ts";
import { walkInto, walkTrees } from "../model/trees/walk.ts";
import type { Matrix, Trees } from "../types.ts";

/** Rows walked through one tree before the next tree is fetched. */
const BLOCK = 256;

/** Cells as XGBoost sees them. */
export function float32Cells(rows: Matrix): Float64Array {
  return Float64Array.from(Float32Array.from(rows.data));
}

/**
 * margin(z) = base ⊕ v_1 ⊕ v_2 ⊕ …, each ⊕ a float32 addition, in tree order: bit for bit what XGBoost's
 * CPU predictor sums. (Adding two float32 numbers in double and rounding is a float32 addition.)
 */
export function float32Margins(trees: Trees, cells: Float64Array, rows: number, cols: number): Float64Array {
  const plain = walkTrees(trees);
  const { roots } = plain ?? packTrees(trees);
  const out = new Float64Array(rows).fill(trees.base);
  for (let from = 0; from < rows; from += BLOCK) {
    const to = Math.min(rows, from + BLOCK);
    for (const root of roots) {
      if (plain) walkInto(plain, root, cells, cols, from, to, out);
      else packedInto(packTrees(trees), root, cells, cols, from, to, out);
      for (let i = from; i < to; i++) out[i] = Math.fround(out[i]!);
    }
  }
  return out;
}

/** out[i] += value[leaf of row i], for trees with categorical splits. */
function packedInto(
  packed: PackedTrees,
  root: number,
  cells: Float64Array,
  cols: number,
  from: number,
  to: number,
  out: Float64Array,
): void {
  const { words } = packed;
  for (let i = from; i < to; i++) {
    let node = root;
    for (let word = words[4 * node + 2]!; word >= 0; word = words[4 * node + 2]!) {
      const left = packedLeft(packed, node, word, cells[i * cols + (word & COLUMN)]!);
      node = left ? node + 1 : words[4 * node + 3]!;
    }
    out[i]! += packed.cells[2 * node]!;
  }
}

/** σ in float32, with the guard against overflow that XGBoost has. */
export function float32Sigmoid(margin: number): number {
  const e = Math.fround(Math.exp(Math.min(-margin, Math.fround(88.7))));
  return Math.fround(1 / Math.fround(e + 1));
}

/** Softmax of one row of margins in float32 (the sum in double), written over them. */
export function float32Softmax(margins: Float64Array): void {
  const top = margins.reduce((a, b) => Math.max(a, b));
  let sum = 0;
  for (let g = 0; g < margins.length; g++) {
    margins[g] = Math.fround(Math.exp(Math.fround(margins[g]! - top)));
    sum += margins[g]!;
  }
  for (let g = 0; g < margins.length; g++) margins[g] = Math.fround(margins[g]! / Math.fround(sum));
}
