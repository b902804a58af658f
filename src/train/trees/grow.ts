import type { Steps } from "../../model/steps.ts";
import type { Shape } from "./build.ts";
import { type Columns, threshold } from "./columns.ts";
import type { Split } from "./scan.ts";

/** A split of more rows than this is followed by a chance to stop. */
const ROWS_PER_PAUSE = 2048;

/** A leaf of the growing tree: it holds rows[start … end − 1]. */
export interface Leaf {
  readonly node: number;
  readonly start: number;
  readonly end: number;
  readonly depth: number;
  /** The split found for it, if it may be split. */
  split?: Split;
}

/** Looks for the best splits of leaves and writes them to `leaf.split`. */
export interface Finder {
  root(leaf: Leaf): void;
  /** After `parent` was split. Only the children that `mayGrow` need an answer. */
  children(parent: Leaf, left: Leaf, right: Leaf): void;
}

/** When a leaf stays one. */
export interface GrowRules {
  readonly maxDepth: number;
  /** Finite: the leaf of the largest gain is split next until so many leaves are there. */
  readonly maxLeaves: number;
  readonly minRowsToSplit: number;
}

/** The steps of a part of the work, told as those of the whole: `done` of `total` all the while. */
export function* during<T>(steps: Steps<T>, done: number, total: number): Steps<T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    yield [done, total];
  }
}

export function mayGrow(leaf: Leaf, rules: GrowRules): boolean {
  return leaf.depth < rules.maxDepth && leaf.end - leaf.start >= rules.minRowsToSplit;
}

/**
 * Grows one tree over `rows`, which it reorders (stably) so that every returned leaf holds one stretch of
 * them. Without a limit on leaves their order does not matter and depth comes first.
 */
export function* grow(
  shape: Shape,
  columns: Columns,
  rows: Int32Array,
  finder: Finder,
  rules: GrowRules,
): Steps<Leaf[]> {
  const root: Leaf = { node: shape.addRoot(), start: 0, end: rows.length, depth: 0 };
  if (mayGrow(root, rules)) finder.root(root);
  const spare = new Int32Array(rows.length);
  const open = [root];
  const done: Leaf[] = [];
  while (open.length > 0) {
    const leaf = takeNext(open, rules.maxLeaves);
    const { split } = leaf;
    if (!split || done.length + open.length + 2 > rules.maxLeaves) {
      done.push(leaf);
      continue;
    }
    const middle = partition(columns, rows, spare, leaf, split);
    const { feature, missingLeft } = split;
    const cut = { feature, missingLeft, threshold: threshold(columns, feature, split.left, split.right) };
    const node = shape.split(leaf.node, cut);
    const depth = leaf.depth + 1;
    const left: Leaf = { node, start: leaf.start, end: middle, depth };
    const right: Leaf = { node: node + 1, start: middle, end: leaf.end, depth };
    finder.children(leaf, left, right);
    if (leaf.end - leaf.start > ROWS_PER_PAUSE) yield [leaf.start, rows.length];
    open.push(right, left);
  }
  return done;
}

/** The last leaf, or with a limit the one of the largest gain (ties: the older node). */
function takeNext(open: Leaf[], maxLeaves: number): Leaf {
  if (maxLeaves === Number.POSITIVE_INFINITY) return open.pop()!;
  let best = 0;
  for (let i = 1; i < open.length; i++) {
    const a = open[i]!;
    const b = open[best]!;
    const difference = gainOf(a) - gainOf(b);
    if (difference > 0 || (!(difference < 0) && a.node < b.node)) best = i;
  }
  return open.splice(best, 1)[0]!;
}

function gainOf(leaf: Leaf): number {
  return leaf.split ? leaf.split.gain : Number.NEGATIVE_INFINITY;
}

/** Moves the rows of `leaf` that go left to the front, keeping the order on both sides; returns the first right one. */
function partition(columns: Columns, rows: Int32Array, spare: Int32Array, leaf: Leaf, split: Split): number {
  const codes = columns.codes[split.feature]!;
  const missing = columns.low[split.feature]!.length;
  const { left, missingLeft } = split;
  let to = leaf.start;
  let moved = 0;
  for (let i = leaf.start; i < leaf.end; i++) {
    const row = rows[i]!;
    const code = codes[row]!;
    if (code <= left || (missingLeft && code === missing)) rows[to++] = row;
    else spare[moved++] = row;
  }
  rows.set(spare.subarray(0, moved), to);
  return to;
}
