import type { Trees } from "../../types.ts";
import { edit, forkColumn, keep, keptIsLeft, nextFork, release, type TreePair, treePair } from "./pair.ts";
import { type SubsetPlaces, smallSubsetCount, subsetPlaces } from "./subsets.ts";

/**
 * margin(r on S, x elsewhere) for every set S of at most `maxSize` (1, 2 or 3) of the k players that
 * differ, for any k; numbers are placed as subsets.ts says. The walk takes at most `maxSize` turns to r and
 * adds each leaf to the small sets of its subcube. Same sums, same bits as treeCubeInto.
 */
export function treeSmallSubsets(
  trees: Trees,
  x: ArrayLike<number>,
  r: ArrayLike<number>,
  players: readonly (readonly number[])[],
  maxSize: number,
): Float64Array {
  const k = players.length;
  const walk: SmallWalk = {
    pair: treePair(trees, x, r, players),
    k,
    maxSize,
    places: subsetPlaces(k),
    decided: new Uint8Array(k),
    free: new Int32Array(k),
    out: new Float64Array(smallSubsetCount(k, maxSize)),
  };
  for (const root of walk.pair.packed.roots) descend(walk, root, 0, 0, 0, 0);
  for (let s = 0; s < walk.out.length; s++) walk.out[s]! += trees.base;
  return walk.out;
}

interface SmallWalk {
  readonly pair: TreePair;
  readonly k: number;
  readonly maxSize: number;
  readonly places: SubsetPlaces;
  readonly decided: Uint8Array;
  /** Scratch: the undecided players at a leaf, ascending. */
  readonly free: Int32Array;
  readonly out: Float64Array;
}

/** Adds every leaf below `from`, reached with `size` players turned to r: a < b < c as far as given. */
function descend(walk: SmallWalk, from: number, size: number, a: number, b: number, c: number): void {
  const { pair, decided } = walk;
  const node = nextFork(pair, from);
  const column = forkColumn(pair, node);
  if (column < 0) {
    addLeaf(walk, pair.packed.cells[2 * node]!, size, a, b, c);
    return;
  }
  const left = keptIsLeft(pair, node);
  const right = pair.packed.words[4 * node + 3]!;
  const u = pair.playerOf[column]!;
  decided[u] = 1;
  keep(pair, u, column);
  descend(walk, left ? node + 1 : right, size, a, b, c);
  if (size < walk.maxSize) {
    const next = left ? right : node + 1;
    edit(pair, u, column);
    if (size === 0) descend(walk, next, 1, u, 0, 0);
    else if (size === 1) descend(walk, next, 2, u < a ? u : a, u < a ? a : u, 0);
    else if (u < a) descend(walk, next, 3, u, a, b);
    else descend(walk, next, 3, a, u < b ? u : b, u < b ? b : u);
  }
  release(pair, u, column);
  decided[u] = 0;
}

function addLeaf(walk: SmallWalk, value: number, size: number, a: number, b: number, c: number): void {
  const { k, places, out, maxSize } = walk;
  if (size === 3) {
    out[places.triple[a * k + b]! + c]! += value;
    return;
  }
  const count = size < maxSize ? listFree(walk) : 0;
  if (size === 0) addAroundNone(walk, value, count);
  else if (size === 1) addAroundOne(walk, value, count, a);
  else addAroundTwo(walk, value, count, a, b);
}

function listFree(walk: SmallWalk): number {
  const { decided, free, k } = walk;
  let count = 0;
  for (let u = 0; u < k; u++) if (decided[u] === 0) free[count++] = u;
  return count;
}

function addAroundNone(walk: SmallWalk, value: number, count: number): void {
  const { free, out, k, maxSize } = walk;
  const { pair, triple } = walk.places;
  out[0]! += value;
  for (let s = 0; s < count; s++) {
    const a = free[s]!;
    out[1 + a]! += value;
    if (maxSize < 2) continue;
    for (let t = s + 1; t < count; t++) {
      const b = free[t]!;
      out[pair[a]! + b]! += value;
      if (maxSize < 3) continue;
      const start = triple[a * k + b]!;
      for (let w = t + 1; w < count; w++) out[start + free[w]!]! += value;
    }
  }
}

function addAroundOne(walk: SmallWalk, value: number, count: number, a: number): void {
  const { free, out, k, maxSize } = walk;
  const { pair, triple } = walk.places;
  out[1 + a]! += value;
  let below = 0;
  while (below < count && free[below]! < a) below++;
  for (let s = 0; s < count; s++) {
    const b = free[s]!;
    out[s < below ? pair[b]! + a : pair[a]! + b]! += value;
    if (maxSize < 3) continue;
    for (let t = s + 1; t < below; t++) out[triple[b * k + free[t]!]! + a]! += value;
    const start = s < below ? triple[b * k + a]! : triple[a * k + b]!;
    for (let t = Math.max(s + 1, below); t < count; t++) out[start + free[t]!]! += value;
  }
}

function addAroundTwo(walk: SmallWalk, value: number, count: number, a: number, b: number): void {
  const { free, out, k } = walk;
  const { pair, triple } = walk.places;
  out[pair[a]! + b]! += value;
  for (let s = 0; s < count; s++) {
    const u = free[s]!;
    if (u > b) out[triple[a * k + b]! + u]! += value;
    else out[(u > a ? triple[a * k + u]! : triple[u * k + a]!) + b]! += value;
  }
}
