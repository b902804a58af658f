import { treeKernels } from "../model/trees/kernels.ts";
import { NODE } from "../model/trees/structure.ts";
import type { Link, Trees } from "../types.ts";
import type { Part } from "./part.ts";

/** One tree as a file states it, node by node; children are indices into the same tree, the root is 0. */
export interface FileTree {
  /** Column tested, −1 at a leaf. */
  readonly feature: Int32Array;
  readonly threshold: Float64Array;
  readonly left: Int32Array;
  readonly right: Int32Array;
  readonly value: Float64Array;
  readonly flags: Uint8Array;
  /** Bit sets of the categorical nodes. */
  readonly words: ReadonlyMap<number, Uint32Array>;
}

export function emptyTree(nodes: number): FileTree {
  return {
    feature: new Int32Array(nodes).fill(-1),
    threshold: new Float64Array(nodes),
    left: new Int32Array(nodes),
    right: new Int32Array(nodes),
    value: new Float64Array(nodes),
    flags: new Uint8Array(nodes),
    words: new Map(),
  };
}

/**
 * A tree is a tree: from the root every node is met at most once, children exist, tests read one of `cols`
 * columns, leaves are finite, thresholds are numbers.
 */
export function checkTree(at: Part, tree: FileTree, cols: number): void {
  const nodes = tree.feature.length;
  if (nodes === 0) throw at.error("has no nodes");
  const met = new Uint8Array(nodes);
  const open = [0];
  while (open.length > 0) {
    const node = open.pop()!;
    if (!(node >= 0 && node < nodes))
      throw at.error(`points to node ${node}, but has nodes 0 … ${nodes - 1}`);
    if (met[node] === 1)
      throw at.error(`meets node ${node} twice: its children form a cycle or share a child`);
    met[node] = 1;
    const column = tree.feature[node]!;
    if (column < 0) {
      if (!Number.isFinite(tree.value[node]!)) {
        throw at.error(`has the value ${tree.value[node]} at leaf ${node}; leaves must be finite`);
      }
      continue;
    }
    if (column >= cols)
      throw at.error(`tests column ${column} at node ${node}, but the model reads ${cols} columns`);
    if (Number.isNaN(tree.threshold[node]!) && (tree.flags[node]! & NODE.categorical) === 0) {
      throw at.error(`has no threshold at node ${node}`);
    }
    open.push(tree.right[node]!, tree.left[node]!);
  }
}

/** What is common to all trees of one output. */
interface ForestRule {
  readonly base: number;
  readonly link: Link;
  readonly inclusive: boolean;
  readonly float32: boolean;
  /** Sums and scores are rounded to float32. */
  readonly single?: boolean;
}

/** The trees of one output as one flat forest; node v of tree t becomes roots[t] + v. */
export function joinTrees(trees: readonly FileTree[], rule: ForestRule): Trees {
  const roots = new Int32Array(trees.length);
  let nodes = 0;
  trees.forEach((tree, t) => {
    roots[t] = nodes;
    nodes += tree.feature.length;
  });
  const flat = emptyTree(nodes);
  const categoryStart = new Int32Array(nodes + 1);
  const sets: Uint32Array[] = [];
  let words = 0;
  trees.forEach((tree, t) => {
    const from = roots[t]!;
    flat.feature.set(tree.feature, from);
    flat.threshold.set(tree.threshold, from);
    flat.value.set(tree.value, from);
    flat.flags.set(tree.flags, from);
    for (let v = 0; v < tree.feature.length; v++) {
      flat.left[from + v] = tree.left[v]! + from;
      flat.right[from + v] = tree.right[v]! + from;
      const set = tree.words.get(v);
      if (set) sets.push(set);
      words += set?.length ?? 0;
      categoryStart[from + v + 1] = words;
    }
  });
  const { feature, threshold, left, right, value, flags } = flat;
  const rules = { kind: "trees", ...rule, kernels: treeKernels } as const;
  const forest: Trees = { ...rules, roots, feature, threshold, left, right, value, flags };
  return trees.every((tree) => tree.words.size === 0)
    ? forest
    : { ...forest, categoryStart, categoryWords: joinWords(sets, words) };
}

function joinWords(sets: readonly Uint32Array[], words: number): Uint32Array {
  const out = new Uint32Array(words);
  let from = 0;
  for (const set of sets) {
    out.set(set, from);
    from += set.length;
  }
  return out;
}

/** The same forest with base and leaves times `factor` (−1: the other class of two). */
export function scaleForest(trees: Trees, factor: number): Trees {
  return { ...trees, base: trees.base * factor, value: trees.value.map((v) => v * factor) };
}

/** Words of all bit sets of one file: 128 MiB, far above any table's categories. */
const MAX_WORDS = 2 ** 25;

/** Makes the bit sets of one file; a few huge categories per node cannot exhaust the memory. */
export function bitSets(): (at: Part, categories: Int32Array) => Uint32Array {
  let used = 0;
  return (at, categories) => {
    const words = (categories.reduce((top, c) => Math.max(top, c), 0) >> 5) + 1;
    used += words;
    if (used > MAX_WORDS) throw at.error(`brings the bit sets of categories above ${MAX_WORDS} words`);
    const set = new Uint32Array(words);
    for (const c of categories) set[c >> 5]! |= 1 << (c & 31);
    return set;
  };
}
