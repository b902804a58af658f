import type { Random } from "../../num/random.ts";
import type { Columns } from "./columns.ts";
import { type Finder, type GrowRules, type Leaf, mayGrow } from "./grow.ts";
import { NodeSums, type Sample } from "./node-sums.ts";
import { noSplit, type ScanRules, scanClasses, scanScalar } from "./scan.ts";

/** What a node looks at. */
export interface ExactSearch {
  /** Number of classes for criteria over class weights, 0 for scalar targets. */
  readonly classes: number;
  /** Columns of the tree, ascending. */
  readonly features: Int32Array;
  /** Columns drawn from them for each node; all of them, in order, where this is not given. */
  readonly draw?: { readonly count: number; readonly random: Random };
  /** A node whose rows all have the same value here is left alone. */
  readonly purity?: ArrayLike<number>;
}

/**
 * Finds the best split of a node among all thresholds of the columns drawn for it; while all drawn are
 * constant, one more is drawn.
 */
export function exactFinder(
  columns: Columns,
  sample: Sample,
  scan: ScanRules,
  growth: GrowRules,
  search: ExactSearch,
): Finder {
  const { classes, draw, purity } = search;
  const sums = new NodeSums(columns, sample, classes, scan.minRows > 1);
  const features = search.features.slice();
  const count = draw?.count ?? features.length;
  const find = (leaf: Leaf): void => {
    if (!mayGrow(leaf, growth) || (purity && isPure(purity, sample.rows, leaf))) return;
    const split = noSplit(scan);
    sums.open(leaf.start, leaf.end);
    let varying = 0;
    for (let i = 0; i < features.length && (i < count || varying === 0); i++) {
      const k = draw ? drawColumn(features, i, draw.random) : features[i]!;
      if (!sums.collect(k)) continue;
      varying++;
      if (classes > 0) scanClasses(split, k, sums.column, sums.totals, sums.h, sums.n, scan);
      else scanScalar(split, k, sums.column, sums.g, sums.h, sums.n, scan);
    }
    if (split.feature >= 0) leaf.split = split;
  };
  return {
    root: find,
    children: (_, left, right) => {
      find(left);
      find(right);
    },
  };
}

/** One more column: step i of a Fisher–Yates shuffle. */
function drawColumn(features: Int32Array, i: number, random: Random): number {
  const j = i + random.int(features.length - i);
  const drawn = features[j]!;
  features[j] = features[i]!;
  features[i] = drawn;
  return drawn;
}

function isPure(purity: ArrayLike<number>, rows: Int32Array, leaf: Leaf): boolean {
  const first = purity[rows[leaf.start]!]!;
  for (let i = leaf.start + 1; i < leaf.end; i++) if (purity[rows[i]!] !== first) return false;
  return true;
}
