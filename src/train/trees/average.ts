import type { Steps } from "../../model/steps.ts";
import type { Random } from "../../num/random.ts";
import type { Trees } from "../../types.ts";
import { number, oneOf, type Rule, whole } from "../options.ts";
import { Shape } from "./build.ts";
import { type Columns, codeColumns } from "./columns.ts";
import { type ExactSearch, exactFinder } from "./find-exact.ts";
import { fixedPoint } from "./fixed-point.ts";
import { during, type GrowRules, grow, type Leaf } from "./grow.ts";
import { meanLeaves } from "./leaves.ts";
import { limit, type TrainingSet, type TreeFitOptions } from "./prepare.ts";
import type { ScanRules } from "./scan.ts";
import { upTo } from "./up-to.ts";

/** How many columns a node looks at: all, ⌊√d⌋, ⌊log₂ d⌋, a share in (0, 1), or a number ≥ 1. */
export type MaxFeatures = "all" | "sqrt" | "log2" | number;

/** Options of single trees and of their averages. */
export interface CartOptions extends TreeFitOptions {
  /** What a split lowers. Regression lowers the variance. Default `gini`. */
  readonly criterion?: "gini" | "entropy";
  /** Default: no limit. */
  readonly maxDepth?: number;
  /** Default: no limit; with one, the leaf with most to gain is split next. */
  readonly maxLeaves?: number;
  /** Least rows of a node that is split. Default 2. */
  readonly minSamplesSplit?: number;
  /** Least rows of a leaf. Default 1. */
  readonly minSamplesLeaf?: number;
  /** Least decrease of impurity, weighted by the node's share of the rows. Default 0. */
  readonly minImpurityDecrease?: number;
  readonly maxFeatures?: MaxFeatures;
}

export const CART = {
  task: oneOf<"classification" | "regression">("classification", "regression"),
  criterion: oneOf<"gini" | "entropy">("gini", "entropy"),
  maxDepth: limit(Number.POSITIVE_INFINITY, 1),
  maxLeaves: limit(Number.POSITIVE_INFINITY, 2),
  minSamplesSplit: whole(2, 2),
  minSamplesLeaf: whole(1, 1),
  minImpurityDecrease: number(0, 0),
};

export function maxFeaturesRule(fallback: MaxFeatures): Rule<MaxFeatures> {
  return {
    fallback,
    says: '"all", "sqrt", "log2", a share in (0, 1) or a whole number ≥ 1',
    accepts: (v) =>
      v === "all" ||
      v === "sqrt" ||
      v === "log2" ||
      (typeof v === "number" && ((v > 0 && v < 1) || (Number.isInteger(v) && v >= 1))),
  };
}

/** All columns, and how many of them a node draws. */
export function nodeColumns(
  max: MaxFeatures,
  cols: number,
  random: Random,
): Pick<ExactSearch, "features" | "draw"> {
  const features = upTo(cols);
  const count = featureCount(max, cols);
  return count < cols ? { features, draw: { count, random } } : { features };
}

function featureCount(max: MaxFeatures, cols: number): number {
  if (max === "all") return cols;
  if (max === "sqrt") return Math.max(1, Math.floor(Math.sqrt(cols)));
  if (max === "log2") return Math.max(1, Math.floor(Math.log2(cols)));
  return max < 1 ? Math.max(1, Math.floor(max * cols)) : Math.min(cols, max);
}

/** `CartOptions` with every default filled in, and how many trees on which rows. */
interface AveragePlan {
  readonly criterion: "gini" | "entropy";
  readonly maxDepth: number;
  readonly maxLeaves: number;
  readonly minSamplesSplit: number;
  readonly minSamplesLeaf: number;
  readonly minImpurityDecrease: number;
  readonly maxFeatures: MaxFeatures;
  readonly trees: number;
  readonly bootstrap: boolean;
  /** Rows drawn for a tree, as a share of all. */
  readonly maxSamples: number;
}

/**
 * f(z) = (1/T) Σ_t mean of y over the leaf of z in tree t: class frequencies or means. Tree t draws its rows
 * and columns from `random.split("tree", t)` alone. Returns one forest per output (two classes: the
 * second's).
 */
export function* averageTrees(set: TrainingSet, plan: AveragePlan, random: Random): Steps<Trees[]> {
  const columns = yield* codeColumns(set.x);
  const margins = set.classes > 2 ? set.classes : 1;
  const base = set.classes === 2 ? 0.5 : 0;
  const shape = new Shape(margins);
  for (let t = 0; t < plan.trees; t++) {
    const own = random.split("tree", t);
    const weights = drawWeights(set.weights, plan, own);
    const rows = upTo(weights.length).filter((i) => weights[i]! > 0);
    const leaves = yield* during(cart(shape, columns, set, weights, rows, plan, own), t, plan.trees);
    for (let k = 0; k < margins; k++) {
      const value = shape.values[k]!;
      meanLeaves(leaves, rows, set.y, weights, value, set.classes > 2 ? k : undefined);
      for (const leaf of leaves)
        value[leaf.node] = share(value[leaf.node]! - base, plan.trees, set.classes > 0);
    }
    yield [t + 1, plan.trees];
  }
  return shape.toTrees("identity", new Float64Array(margins).fill(base));
}

const GRID = 2 ** 52;

/**
 * value/T, what the average starts from apart. Shares of probabilities are multiples of 2^−52 and the same for every
 * tree: sums over trees are then exact and in [0, 1], as many votes give the same score whoever casts them, and a
 * tie of two classes, counted from ½, is ½ to the last bit.
 */
function share(value: number, trees: number, probability: boolean): number {
  if (!probability) return value / trees;
  return Math.trunc(value * Math.floor(GRID / trees)) / GRID;
}

/** Row weights times how often each row is drawn. */
function drawWeights(weights: Float64Array, plan: AveragePlan, random: Random): Float64Array {
  const n = weights.length;
  const count = Math.max(1, Math.round(plan.maxSamples * n));
  if (!plan.bootstrap && count === n) return weights;
  const times = new Float64Array(n);
  if (plan.bootstrap) for (let i = 0; i < count; i++) times[random.int(n)]! += 1;
  else for (const i of random.sample(n, count)) times[i] = 1;
  return times.map((c, i) => c * weights[i]!);
}

/** Grows one classification or regression tree on weighted rows; rows are reordered leaf by leaf. */
export function cart(
  shape: Shape,
  columns: Columns,
  set: TrainingSet,
  weights: Float64Array,
  rows: Int32Array,
  plan: Omit<AveragePlan, "trees" | "bootstrap" | "maxSamples">,
  random: Random,
): Steps<Leaf[]> {
  const byClass = set.classes > 2 || (set.classes === 2 && plan.criterion === "entropy");
  const h = fixedPoint(weights);
  const g = byClass ? h : fixedPoint(centred(set, weights));
  const growth: GrowRules = {
    maxDepth: plan.maxDepth,
    maxLeaves: plan.maxLeaves,
    minRowsToSplit: Math.max(plan.minSamplesSplit, 2 * plan.minSamplesLeaf),
  };
  const sample = { rows, g, h, ...(byClass ? { labels: Int32Array.from(set.y) } : {}) };
  const finder = exactFinder(columns, sample, scanRules(plan, byClass, set, h), growth, {
    classes: byClass ? set.classes : 0,
    ...nodeColumns(plan.maxFeatures, set.x.cols, random),
    purity: set.y,
  });
  return grow(shape, columns, rows, finder, growth);
}

/** w·y, with y centred where its offset would drown its variance. */
function centred(set: TrainingSet, weights: Float64Array): Float64Array {
  if (set.classes > 0) return weights.map((w, i) => w * set.y[i]!);
  const total = weights.reduce((a, b) => a + b, 0);
  const mean = weights.reduce((sum, w, i) => sum + w * set.y[i]!, 0) / total;
  return weights.map((w, i) => w * (set.y[i]! - mean));
}

/**
 * Binary Gini is twice the variance of the labels, so both share one criterion; the least decrease of
 * impurity becomes a least gain.
 */
function scanRules(
  plan: Pick<AveragePlan, "criterion" | "minSamplesLeaf" | "minImpurityDecrease">,
  byClass: boolean,
  set: TrainingSet,
  weights: Float64Array,
): ScanRules {
  const total = weights.reduce((a, b) => a + b, 0);
  const perGain = byClass || set.classes === 0 ? 1 : 2;
  const bits = plan.criterion === "entropy" ? Math.LN2 : 1;
  const least = (plan.minImpurityDecrease * total * bits) / perGain;
  return {
    criterion: byClass ? plan.criterion : "squared",
    lambda: 0,
    alpha: 0,
    minWeight: Number.MIN_VALUE,
    minRows: plan.minSamplesLeaf,
    minGain: least > 0 ? least * (1 - 1e-12) : Number.NEGATIVE_INFINITY,
  };
}
