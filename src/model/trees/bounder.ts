import type { Bounder, EncodedPair, Trees } from "../../types.ts";
import { goesLeft, seen } from "./structure.ts";

/**
 * Seen from a pair, a tree is a list of leaves, each needing some members edited and others kept. With
 * `left` edits to go, a tree contributes at most its largest leaf whose kept members are not edited and
 * whose needed members are edited or undecided, at most `left` of them undecided; the forest at most the
 * sum. With nothing left to edit the sum is the margin itself.
 */
export function treeBounder(trees: Trees, pair: EncodedPair): Bounder {
  const { value, start, missing, needs, bans } = leavesOf(trees, pair);
  const broken = new Int32Array(value.length);
  const add = (cells: Int32Array, leaves: Int32Array, by: number): void => {
    for (let t = 0; t < leaves.length; t++) cells[leaves[t]!]! += by;
  };
  return {
    edit(b, by) {
      add(missing, needs[b]!, -by);
      add(broken, bans[b]!, by);
    },
    keep: (b, by) => add(broken, needs[b]!, by),
    rangeInto(left, at, low, high) {
      let [least, most] = [0, 0];
      for (let tree = 0; tree + 1 < start.length; tree++) {
        let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
        for (let leaf = start[tree]!; leaf < start[tree + 1]!; leaf++) {
          if (broken[leaf] !== 0 || missing[leaf]! > left) continue;
          const v = value[leaf]!;
          if (v < min) min = v;
          if (v > max) max = v;
        }
        least += min;
        most += max;
      }
      low[at] = least + trees.base;
      high[at] = most + trees.base;
    },
  };
}

interface Leaves {
  /** Leaf values, tree by tree; tree t owns start[t] … start[t + 1]. */
  readonly value: Float64Array;
  readonly start: Int32Array;
  /** Members a leaf needs edited that are not yet. */
  readonly missing: Int32Array;
  /** For each member, the leaves that need it edited, and those that need it kept. */
  readonly needs: readonly Int32Array[];
  readonly bans: readonly Int32Array[];
}

function leavesOf(trees: Trees, pair: EncodedPair): Leaves {
  const value: number[] = [];
  const missing: number[] = [];
  const needs: number[][] = pair.columns.map(() => []);
  const bans: number[][] = pair.columns.map(() => []);
  const leaf = (at: number, edited: readonly number[], kept: readonly number[]): void => {
    for (const b of edited) needs[b]!.push(value.length);
    for (const b of kept) bans[b]!.push(value.length);
    missing.push(edited.length);
    value.push(at);
  };
  const visit = leafVisitor(trees, pair, leaf);
  const start = [0];
  for (const root of trees.roots) {
    visit(root);
    start.push(value.length);
  }
  return {
    value: Float64Array.from(value),
    start: Int32Array.from(start),
    missing: Int32Array.from(missing),
    needs: needs.map((list) => Int32Array.from(list)),
    bans: bans.map((list) => Int32Array.from(list)),
  };
}

/** Calls `leaf` for every leaf below a node that some mixture of the pair ends in. */
function leafVisitor(
  trees: Trees,
  pair: EncodedPair,
  leaf: (value: number, edited: readonly number[], kept: readonly number[]) => void,
): (node: number) => void {
  const memberOf = new Int32Array(pair.from.length).fill(-1);
  pair.columns.forEach((columns, b) => {
    for (const c of columns) memberOf[c] = b;
  });
  const x = pair.from.map((v) => seen(trees, v));
  const r = pair.to.map((v) => seen(trees, v));
  const edited: number[] = [];
  const kept: number[] = [];
  const visit = (node: number): void => {
    const column = trees.feature[node]!;
    if (column < 0) {
      leaf(trees.value[node]!, edited, kept);
      return;
    }
    const member = memberOf[column]!;
    const leftOfX = goesLeft(trees, node, x[column]!);
    const leftOfR = goesLeft(trees, node, r[column]!);
    const child = (left: boolean): number => (left ? trees.left : trees.right)[node]!;
    if (leftOfX === leftOfR || member < 0 || kept.includes(member) || edited.includes(member)) {
      visit(child(edited.includes(member) ? leftOfR : leftOfX));
      return;
    }
    kept.push(member);
    visit(child(leftOfX));
    kept.pop();
    edited.push(member);
    visit(child(leftOfR));
    edited.pop();
  };
  return visit;
}
