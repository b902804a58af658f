import type { Trees } from "../../types.ts";
import { goesLeft, NODE } from "./structure.ts";

/**
 * A forest laid out for walking: 16 bytes per node in depth-first order, so that the left child of node v
 * is v + 1 and mostly on the same cache line. `cells[2v]` is the threshold (a leaf: its value; a special
 * node: its index in the forest), `words[4v + 2]` the column with its marks (a leaf: −1) and
 * `words[4v + 3]` the right child. Thresholds of strict forests are stepped down, so z ≤ threshold is the
 * rule everywhere.
 */
export interface PackedTrees {
  readonly trees: Trees;
  readonly roots: Int32Array;
  readonly cells: Float64Array;
  readonly words: Int32Array;
  /** Tests on the longest path. */
  readonly depth: number;
}

/** The column in a word. */
export const COLUMN = 0x1fffffff;
/** Words from here on carry marks; below it z goes left iff z ≤ threshold, missing values right. */
export const MARKED = 0x20000000;
const MISSING_LEFT = MARKED;
const SPECIAL = 0x40000000;

const packed = new WeakMap<Trees, PackedTrees>();

/** The packed twin of a forest, made once. */
export function packTrees(trees: Trees): PackedTrees {
  const known = packed.get(trees);
  if (known) return known;
  const made = pack(trees);
  packed.set(trees, made);
  return made;
}

/** The node rule on a packed node (see goesLeft): `word` is the node's, not a leaf's. */
export function packedLeft(packed: PackedTrees, node: number, word: number, z: number): boolean {
  const cell = packed.cells[2 * node]!;
  if (word < MISSING_LEFT) return z <= cell;
  if (word < SPECIAL) return z <= cell || Number.isNaN(z);
  return goesLeft(packed.trees, cell, z);
}

function pack(trees: Trees): PackedTrees {
  const buffer = new ArrayBuffer(16 * trees.feature.length);
  const cells = new Float64Array(buffer);
  const words = new Int32Array(buffer);
  const roots = new Int32Array(trees.roots.length);
  let depth = 0;
  let next = 0;
  for (let t = 0; t < roots.length; t++) {
    roots[t] = next;
    const open = [{ node: trees.roots[t]!, level: 0, parent: -1 }];
    for (let at = open.pop(); at; at = open.pop(), next++) {
      const { node, level, parent } = at;
      if (parent >= 0) words[4 * parent + 3] = next;
      words[4 * next + 2] = wordOf(trees, node);
      cells[2 * next] = cellOf(trees, node);
      depth = Math.max(depth, level);
      if (trees.feature[node]! < 0) continue;
      open.push({ node: trees.right[node]!, level: level + 1, parent: next });
      open.push({ node: trees.left[node]!, level: level + 1, parent: -1 });
    }
  }
  return { trees, roots, cells, words, depth };
}

function wordOf(trees: Trees, node: number): number {
  const column = trees.feature[node]!;
  if (column < 0) return -1;
  const flags = trees.flags[node]!;
  if ((flags & ~NODE.missingLeft) !== 0) return column | SPECIAL;
  return (flags & NODE.missingLeft) !== 0 ? column | MISSING_LEFT : column;
}

function cellOf(trees: Trees, node: number): number {
  if (trees.feature[node]! < 0) return trees.value[node]!;
  if ((trees.flags[node]! & ~NODE.missingLeft) !== 0) return node;
  return trees.inclusive ? trees.threshold[node]! : stepDown(trees.threshold[node]!);
}

const stepNumber = new Float64Array(1);
const stepBits = new BigInt64Array(stepNumber.buffer);

/** The largest double below t, so that z < t is z ≤ stepDown(t). */
export function stepDown(t: number): number {
  if (t === 0) return -Number.MIN_VALUE;
  if (Number.isNaN(t) || t === Number.NEGATIVE_INFINITY) return t;
  stepNumber[0] = t;
  stepBits[0]! += t > 0 ? -1n : 1n;
  return stepNumber[0]!;
}
