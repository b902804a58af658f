import type { Trees } from "../../types.ts";
import { stepDown } from "./packed.ts";
import { isPlain } from "./structure.ts";

/**
 * A forest laid out for walking many rows: 16 bytes per node, siblings side by side. `cells[2v]` is the
 * threshold, `words[4v + 2]` the column, with a mark where missing goes right, and `words[4v + 3]` the left
 * child. A leaf leads to itself, so that a walk has no branch to mispredict but its end.
 */
interface WalkTrees {
  readonly roots: Int32Array;
  readonly cells: Float64Array;
  readonly words: Int32Array;
  readonly values: Float64Array;
}

const COLUMN = 0x3fffffff;
/** The mark, and how far it is shifted to be 1. */
const MARK = 30;

const known = new WeakMap<Trees, WalkTrees | "no">();

/** The layout of a forest, made once; none where splits are categorical or read missing cells otherwise. */
export function walkTrees(trees: Trees): WalkTrees | undefined {
  let made = known.get(trees);
  if (!made) {
    made = isPlain(trees) ? layOut(trees) : "no";
    known.set(trees, made);
  }
  return made === "no" ? undefined : made;
}

function layOut(trees: Trees): WalkTrees {
  const size = trees.feature.length;
  const buffer = new ArrayBuffer(16 * size);
  const cells = new Float64Array(buffer);
  const words = new Int32Array(buffer);
  const values = new Float64Array(size);
  const roots = trees.roots.slice();
  let next = 0;
  for (let t = 0; t < roots.length; t++) {
    roots[t] = next;
    const open = [trees.roots[t]!, next++];
    while (open.length > 0) {
      const at = open.pop()!;
      const node = open.pop()!;
      const column = trees.feature[node]!;
      if (column < 0) {
        cells[2 * at] = Number.POSITIVE_INFINITY;
        words[4 * at + 3] = at;
        values[at] = trees.value[node]!;
        continue;
      }
      const cell = trees.threshold[node]!;
      cells[2 * at] = trees.inclusive ? cell : stepDown(cell);
      words[4 * at + 2] = trees.flags[node] === 0 ? column | (1 << MARK) : column;
      words[4 * at + 3] = next;
      open.push(trees.right[node]!, next + 1, trees.left[node]!, next);
      next += 2;
    }
  }
  return { roots, cells, words, values };
}

/**
 * out[i] += value[leaf of row i] for rows from … to − 1 of `rows` (cells as the trees compare them). Four
 * rows walk at a time, their waits for memory overlapping; hence the repetition in the loop.
 */
export function walkInto(
  trees: WalkTrees,
  root: number,
  rows: Float64Array,
  cols: number,
  from: number,
  to: number,
  out: Float64Array,
): void {
  const { cells, words, values } = trees;
  let i = from;
  for (; i + 4 <= to; i += 4) {
    const rowA = i * cols;
    const rowB = rowA + cols;
    const rowC = rowB + cols;
    const rowD = rowC + cols;
    let a = root;
    let b = root;
    let c = root;
    let d = root;
    for (;;) {
      const wordA = words[4 * a + 2]!;
      const wordB = words[4 * b + 2]!;
      const wordC = words[4 * c + 2]!;
      const wordD = words[4 * d + 2]!;
      const nextA = words[4 * a + 3]! + side(rows[rowA + (wordA & COLUMN)]!, cells[2 * a]!, wordA);
      const nextB = words[4 * b + 3]! + side(rows[rowB + (wordB & COLUMN)]!, cells[2 * b]!, wordB);
      const nextC = words[4 * c + 3]! + side(rows[rowC + (wordC & COLUMN)]!, cells[2 * c]!, wordC);
      const nextD = words[4 * d + 3]! + side(rows[rowD + (wordD & COLUMN)]!, cells[2 * d]!, wordD);
      if (((a ^ nextA) | (b ^ nextB) | (c ^ nextC) | (d ^ nextD)) === 0) break;
      a = nextA;
      b = nextB;
      c = nextC;
      d = nextD;
    }
    out[i]! += values[a]!;
    out[i + 1]! += values[b]!;
    out[i + 2]! += values[c]!;
    out[i + 3]! += values[d]!;
  }
  for (; i < to; i++) out[i]! += values[walkOne(trees, root, rows, i * cols)]!;
}

/** 0 left, 1 right, without a branch. */
function side(z: number, cell: number, word: number): number {
  return +(z > cell) | (+!(z <= cell) & (word >> MARK));
}

function walkOne({ cells, words }: WalkTrees, root: number, rows: Float64Array, start: number): number {
  let node = root;
  for (;;) {
    const word = words[4 * node + 2]!;
    const next = words[4 * node + 3]! + side(rows[start + (word & COLUMN)]!, cells[2 * node]!, word);
    if (next === node) return node;
    node = next;
  }
}
