import type { Trees } from "../../types.ts";
import { edit, forkColumn, keep, keptIsLeft, nextFork, release, type TreePair, treePair } from "./pair.ts";

/**
 * out[S] = margin(r on S, x elsewhere) for every set S of edited players: bit b of S set means player b
 * takes r's value. A leaf that needs P kept and Q edited players is added to its subcube
 * { S : Q ⊆ S, P ∩ S = ∅ }; the subcubes of one tree partition the cube, so a tree costs 2^k additions.
 *
 * x, r: encoded rows; players: encoded columns of the k ≤ 30 players that differ (a column of none holds
 * x); out: 2^k margins. Every margin is Σ leaves in tree order, then + base: the bits of predictTrees.
 */
export function treeCubeInto(
  trees: Trees,
  x: ArrayLike<number>,
  r: ArrayLike<number>,
  players: readonly (readonly number[])[],
  out: Float64Array,
): void {
  out.fill(0);
  const pair = treePair(trees, x, r, players);
  const all = (1 << players.length) - 1;
  for (const root of pair.packed.roots) addSubcubes(pair, root, 0, all, out);
  for (let s = 0; s < out.length; s++) out[s]! += trees.base;
}

/** Adds every leaf below `from` to its masks: the players of `edited` and any of `free`. */
function addSubcubes(pair: TreePair, from: number, edited: number, free: number, out: Float64Array): void {
  const { cells, words } = pair.packed;
  const node = nextFork(pair, from);
  const column = forkColumn(pair, node);
  if (column < 0) {
    const value = cells[2 * node]!;
    let any = free;
    while (any !== 0) {
      out[edited | any]! += value;
      any = (any - 1) & free;
    }
    out[edited]! += value;
    return;
  }
  const player = pair.playerOf[column]!;
  const bit = 1 << player;
  const left = keptIsLeft(pair, node);
  const right = words[4 * node + 3]!;
  keep(pair, player, column);
  addSubcubes(pair, left ? node + 1 : right, edited, free & ~bit, out);
  edit(pair, player, column);
  addSubcubes(pair, left ? right : node + 1, edited | bit, free & ~bit, out);
  release(pair, player, column);
}
