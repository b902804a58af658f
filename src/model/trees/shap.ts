import type { Trees } from "../../types.ts";
import { COLUMN, MARKED, type PackedTrees, packedLeft } from "./packed.ts";
import { edit, keep, release, type TreePair, treePair } from "./pair.ts";

/**
 * φ_u of the game v(S) = margin(x on S, r elsewhere), exactly. A leaf that needs P kept and Q edited
 * players (sizes p, q) is worth its value times [P ⊆ S, Q ∩ S = ∅], whose Shapley value is
 * (p−1)! q! / (p+q)! for a player of P and −p! (q−1)! / (p+q)! for one of Q. One depth-first walk per tree
 * visits the leaves some hybrid of x and r can reach; sums over the leaves below are handed upwards, so a
 * fork adds to one player only. O(visited nodes).
 *
 * x, r: encoded rows; players: encoded columns of each player (a column of none holds x); φ is written to
 * `out` (one number per player).
 */
export function treePairShapInto(
  trees: Trees,
  x: ArrayLike<number>,
  r: ArrayLike<number>,
  players: readonly (readonly number[])[],
  out: Float64Array,
): void {
  out.fill(0);
  const pair = treePair(trees, x, r, players);
  const stride = Math.min(players.length, pair.packed.depth) + 1;
  const { packed, kept, edited } = pair;
  const { words, cells } = packed;
  const below = new Float64Array(2);
  const walk: ShapWalk = {
    words,
    cells,
    kept,
    edited,
    pair,
    weights: leafWeights(stride),
    stride,
    out,
    below,
  };
  for (const root of packed.roots) descend(walk, root, 0, 0);
}

/** Arrays of the pair and its forest lie here too: every step of the walk reads them. */
interface ShapWalk extends Pick<TreePair, "kept" | "edited">, Pick<PackedTrees, "words" | "cells"> {
  readonly pair: TreePair;
  /** See leafWeights. */
  readonly weights: Float64Array;
  readonly stride: number;
  readonly out: Float64Array;
  /** What `descend` hands upwards: Σ value·(p−1)!q!/(p+q)! and Σ value·p!(q−1)!/(p+q)!. */
  readonly below: Float64Array;
}

/**
 * Walks on from a node reached with p players kept and q edited. Comparisons are written out as branches
 * instead of calling nextFork: a fifth of the time of the whole attribution.
 */
function descend(walk: ShapWalk, from: number, p: number, q: number): void {
  const { words, cells, kept, edited } = walk;
  let node = from;
  for (let word = words[4 * node + 2]!; word >= 0; word = words[4 * node + 2]!) {
    const column = word & COLUMN;
    const right = words[4 * node + 3]!;
    let keptLeft: boolean;
    if (word < MARKED) {
      const threshold = cells[2 * node]!;
      if (kept[column]! <= threshold) {
        if (edited[column]! <= threshold) {
          node++;
          continue;
        }
        keptLeft = true;
      } else {
        if (!(edited[column]! <= threshold)) {
          node = right;
          continue;
        }
        keptLeft = false;
      }
    } else {
      keptLeft = packedLeft(walk.pair.packed, node, word, kept[column]!);
      if (keptLeft === packedLeft(walk.pair.packed, node, word, edited[column]!)) {
        node = keptLeft ? node + 1 : right;
        continue;
      }
    }
    fork(walk, column, keptLeft ? node + 1 : right, keptLeft ? right : node + 1, p, q);
    return;
  }
  const value = cells[2 * node]!;
  walk.below[0] = value * walk.weights[p * walk.stride + q]!;
  walk.below[1] = value * walk.weights[q * walk.stride + p]!;
}

/** Both sides of a fork at `column`, and what its player gains. */
function fork(
  walk: ShapWalk,
  column: number,
  keptChild: number,
  editedChild: number,
  p: number,
  q: number,
): void {
  const { pair, below, out } = walk;
  const player = pair.playerOf[column]!;
  keep(pair, player, column);
  descend(walk, keptChild, p + 1, q);
  const keptP = below[0]!;
  const keptQ = below[1]!;
  edit(pair, player, column);
  descend(walk, editedChild, p, q + 1);
  release(pair, player, column);
  out[player]! += keptP - below[1]!;
  below[0]! += keptP;
  below[1]! += keptQ;
}

const tables = new Map<number, Float64Array>();

/** Table of (own−1)! other! / (own+other)! at own·stride + other; 0 where own = 0. */
export function leafWeights(stride: number): Float64Array {
  const known = tables.get(stride);
  if (known) return known;
  const table = new Float64Array(stride * stride);
  for (let own = 1; own < stride; own++) {
    let weight = 1 / own;
    for (let other = 0; other < stride; other++) {
      table[own * stride + other] = weight;
      weight *= (other + 1) / (own + other + 1);
    }
  }
  tables.set(stride, table);
  return table;
}
