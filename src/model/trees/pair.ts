import type { Trees } from "../../types.ts";
import { COLUMN, MARKED, type PackedTrees, packedLeft, packTrees } from "./packed.ts";
import { seen } from "./structure.ts";

/**
 * A pair (x, r) as a walk down a tree sees it. A player is kept (its columns hold x) or edited (they hold
 * r); `kept` and `edited` are the cells a node would compare in either case. Once a player's side is chosen
 * both hold the same, so a node where they part (a fork) always belongs to an undecided player.
 */
export interface TreePair {
  readonly packed: PackedTrees;
  readonly x: Float64Array;
  readonly r: Float64Array;
  readonly kept: Float64Array;
  readonly edited: Float64Array;
  /** Player of each column, −1 where a column belongs to none and holds x. */
  readonly playerOf: Int32Array;
  readonly players: readonly (readonly number[])[];
  /** Has some player several columns? */
  readonly grouped: boolean;
}

/** Encoded rows x and r (as given, not yet rounded) with the encoded columns of each player. */
export function treePair(
  trees: Trees,
  x: ArrayLike<number>,
  r: ArrayLike<number>,
  players: readonly (readonly number[])[],
): TreePair {
  const cols = x.length;
  const from = new Float64Array(cols);
  const to = new Float64Array(cols);
  const playerOf = new Int32Array(cols).fill(-1);
  for (let c = 0; c < cols; c++) from[c] = to[c] = seen(trees, x[c]!);
  for (let u = 0; u < players.length; u++) {
    for (const c of players[u]!) {
      to[c] = seen(trees, r[c]!);
      playerOf[c] = u;
    }
  }
  const grouped = players.some((own) => own.length > 1);
  const [kept, edited] = [from.slice(), to.slice()];
  return { packed: packTrees(trees), x: from, r: to, kept, edited, playerOf, players, grouped };
}

/** Chooses side x for player u, met at `column`. */
export function keep(pair: TreePair, u: number, column: number): void {
  if (pair.grouped) copyCells(pair.x, pair.edited, pair.players[u]!);
  else pair.edited[column] = pair.x[column]!;
}

/** Chooses side r for player u, which was kept. */
export function edit(pair: TreePair, u: number, column: number): void {
  if (pair.grouped) {
    copyCells(pair.r, pair.kept, pair.players[u]!);
    copyCells(pair.r, pair.edited, pair.players[u]!);
  } else pair.kept[column] = pair.edited[column] = pair.r[column]!;
}

/** Takes the choice for player u, kept or edited, back. */
export function release(pair: TreePair, u: number, column: number): void {
  if (pair.grouped) {
    copyCells(pair.x, pair.kept, pair.players[u]!);
    copyCells(pair.r, pair.edited, pair.players[u]!);
  } else {
    pair.kept[column] = pair.x[column]!;
    pair.edited[column] = pair.r[column]!;
  }
}

function copyCells(from: Float64Array, to: Float64Array, columns: readonly number[]): void {
  for (let s = 0; s < columns.length; s++) to[columns[s]!] = from[columns[s]!]!;
}

/** The first node from `from` down that is a leaf or a fork. */
export function nextFork(pair: TreePair, from: number): number {
  const { packed, kept, edited } = pair;
  const { words, cells } = packed;
  let node = from;
  for (let word = words[4 * node + 2]!; word >= 0; word = words[4 * node + 2]!) {
    const column = word & COLUMN;
    if (word < MARKED) {
      const threshold = cells[2 * node]!;
      if (kept[column]! <= threshold) {
        if (!(edited[column]! <= threshold)) return node;
        node++;
      } else {
        if (edited[column]! <= threshold) return node;
        node = words[4 * node + 3]!;
      }
      continue;
    }
    const left = packedLeft(packed, node, word, kept[column]!);
    if (left !== packedLeft(packed, node, word, edited[column]!)) return node;
    node = left ? node + 1 : words[4 * node + 3]!;
  }
  return node;
}

/** Column tested at a fork; −1 at a leaf. */
export function forkColumn(pair: TreePair, node: number): number {
  const word = pair.packed.words[4 * node + 2]!;
  return word < 0 ? -1 : word & COLUMN;
}

/** Is the left child of this fork the kept side? */
export function keptIsLeft(pair: TreePair, node: number): boolean {
  const word = pair.packed.words[4 * node + 2]!;
  return packedLeft(pair.packed, node, word, pair.kept[word & COLUMN]!);
}
