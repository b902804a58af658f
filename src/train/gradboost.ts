import { finish, type Steps } from "../model/steps.ts";
import { type FittedTrees, treeModel } from "../model/trees/model.ts";
import type { Random } from "../num/random.ts";
import type { Matrix } from "../types.ts";
import { number, resolveOptions, whole } from "./options.ts";
import { streamOf } from "./training.ts";
import { CART, type CartOptions, type MaxFeatures, maxFeaturesRule, nodeColumns } from "./trees/average.ts";
import { type BoostPlan, boost, constantMargins } from "./trees/boost.ts";
import { codeColumns } from "./trees/columns.ts";
import { exactFinder } from "./trees/find-exact.ts";
import { limit, prepare } from "./trees/prepare.ts";
import type { ScanRules } from "./trees/scan.ts";

export interface GradboostOptions extends Omit<CartOptions, "criterion" | "minImpurityDecrease"> {
  /** Rounds; a round grows one tree, or one per class of three and more. Default 100. */
  readonly trees?: number;
  /** Default 0.1. */
  readonly learningRate?: number;
  /** Share of the rows a round sees, drawn without replacement. Default 1. */
  readonly subsample?: number;
  /** Default 3. */
  readonly maxDepth?: number;
  /** Default `all`. */
  readonly maxFeatures?: MaxFeatures;
}

const { task, maxLeaves, minSamplesLeaf, minSamplesSplit } = CART;
const OPTIONS = {
  task,
  maxLeaves,
  minSamplesLeaf,
  minSamplesSplit,
  trees: whole(100, 1),
  learningRate: number(0.1, 1e-9),
  subsample: number(1, 1e-9, 1),
  maxDepth: limit(3, 1),
  maxFeatures: maxFeaturesRule("all"),
};

/** scikit-learn keeps shares so far from 0 and 1 before it takes their log-odds. */
const LEAST_SHARE = 2 ** -23;

/**
 * Gradient boosting (Friedman 2001): least-squares trees on the residuals of the logistic, softmax or squared
 * loss, each leaf corrected by one Newton step, from the best constant. (Friedman's split gain orders the
 * splits of a node as least squares does.)
 */
export function fitGradboost(
  x: Matrix,
  y: ArrayLike<number>,
  options: GradboostOptions = {},
  random?: Random | number,
): FittedTrees {
  return finish(gradboostSteps(x, y, options, random));
}

/** `fitGradboost` in short steps. */
export function* gradboostSteps(
  x: Matrix,
  y: ArrayLike<number>,
  options: GradboostOptions = {},
  random?: Random | number,
): Steps<FittedTrees> {
  const resolved = resolveOptions("gradboost", options, OPTIONS);
  const set = prepare("gradboost", x, y, options);
  const columns = yield* codeColumns(set.x);
  const growth = {
    maxDepth: resolved.maxDepth,
    maxLeaves: resolved.maxLeaves,
    minRowsToSplit: Math.max(resolved.minSamplesSplit, 2 * resolved.minSamplesLeaf),
  };
  const scan: ScanRules = {
    criterion: "squared",
    lambda: 0,
    alpha: 0,
    minWeight: Number.MIN_VALUE,
    minRows: resolved.minSamplesLeaf,
    minGain: Number.NEGATIVE_INFINITY,
  };
  const plan: BoostPlan = {
    rounds: resolved.trees,
    learningRate: resolved.learningRate,
    subsample: resolved.subsample,
    lambda: 0,
    alpha: 0,
    softmaxCurvature: set.classes / (set.classes - 1),
    secondOrder: false,
    dropRoots: false,
    growth,
    columns,
    finder: (sample, purity, own) =>
      exactFinder(columns, sample, scan, growth, {
        classes: 0,
        purity,
        ...nodeColumns(resolved.maxFeatures, x.cols, own),
      }),
  };
  const forests = yield* boost(set, plan, constantMargins(set, LEAST_SHARE), streamOf(random, "gradboost"));
  return treeModel({ name: "gradboost", outputs: set.outputs, cols: x.cols, forests });
}
