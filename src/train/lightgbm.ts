import { finish, type Steps } from "../model/steps.ts";
import { type FittedTrees, treeModel } from "../model/trees/model.ts";
import type { Random } from "../num/random.ts";
import type { Matrix } from "../types.ts";
import { number, resolveOptions, whole } from "./options.ts";
import { streamOf } from "./training.ts";
import { CART } from "./trees/average.ts";
import { type BoostPlan, boost, constantMargins, drawColumns } from "./trees/boost.ts";
import { binColumns, codeColumns } from "./trees/columns.ts";
import { binTable, histogramFinder } from "./trees/find-histogram.ts";
import type { GrowRules } from "./trees/grow.ts";
import { limit, prepare, type TrainingSet, type TreeFitOptions } from "./trees/prepare.ts";
import type { ScanRules } from "./trees/scan.ts";

export interface LightgbmOptions extends TreeFitOptions {
  /** Rounds; a round grows one tree, or one per class of three and more. Default 100. */
  readonly trees?: number;
  /** Default 0.1. */
  readonly learningRate?: number;
  /** Default 31. */
  readonly maxLeaves?: number;
  /** Default: no limit. */
  readonly maxDepth?: number;
  /** Least rows of a leaf. Default 20. */
  readonly minSamplesLeaf?: number;
  /** Least curvature Σ w·∂²loss of a leaf. Default 0.001. */
  readonly minChildWeight?: number;
  /** L2 penalty of leaf values. Default 0. */
  readonly lambda?: number;
  /** L1 penalty of leaf values. Default 0. */
  readonly alpha?: number;
  /** Least gain of a split. Default 0. */
  readonly gamma?: number;
  /** Share of the rows a round sees, drawn without replacement. Default 1. */
  readonly subsample?: number;
  /** Share of the columns a tree sees. Default 1. */
  readonly colsample?: number;
  /** Default 255. */
  readonly bins?: number;
  /** Least weight of a bin. Default 3. */
  readonly minBinWeight?: number;
}

const OPTIONS = {
  task: CART.task,
  trees: whole(100, 1),
  learningRate: number(0.1, 1e-9),
  maxLeaves: whole(31, 2),
  maxDepth: limit(Number.POSITIVE_INFINITY, 1),
  minSamplesLeaf: whole(20, 1),
  minChildWeight: number(1e-3, 0),
  lambda: number(0, 0),
  alpha: number(0, 0),
  gamma: number(0, 0),
  subsample: number(1, 1e-9, 1),
  colsample: number(1, 1e-9, 1),
  bins: whole(255, 2, 65535),
  minBinWeight: number(3, 0),
};
type Resolved = ReturnType<typeof resolveOptions<typeof OPTIONS>>;

/** LightGBM keeps shares so far from 0 and 1 before it takes their log-odds. */
const LEAST_SHARE = 1e-15;

/**
 * LightGBM (Ke et al. 2017): second-order trees over binned columns, grown leaf by leaf (the one with most to
 * gain next), from the best constant.
 */
export function fitLightgbm(
  x: Matrix,
  y: ArrayLike<number>,
  options: LightgbmOptions = {},
  random?: Random | number,
): FittedTrees {
  return finish(lightgbmSteps(x, y, options, random));
}

/** `fitLightgbm` in short steps. */
export function* lightgbmSteps(
  x: Matrix,
  y: ArrayLike<number>,
  options: LightgbmOptions = {},
  random?: Random | number,
): Steps<FittedTrees> {
  const resolved = resolveOptions("lightgbm", options, OPTIONS);
  const set = prepare("lightgbm", x, y, options);
  const base = constantMargins(set, LEAST_SHARE);
  const forests = yield* boost(set, yield* planOf(set, resolved), base, streamOf(random, "lightgbm"));
  return treeModel({ name: "lightgbm", outputs: set.outputs, cols: x.cols, forests });
}

function* planOf(set: TrainingSet, o: Resolved): Steps<BoostPlan> {
  const columns = yield* binColumns(yield* codeColumns(set.x), set.weights, o.bins, o.minBinWeight);
  const table = binTable(columns);
  const growth: GrowRules = {
    maxDepth: o.maxDepth,
    maxLeaves: o.maxLeaves,
    minRowsToSplit: Math.max(2, 2 * o.minSamplesLeaf),
  };
  const scan: ScanRules = {
    criterion: "squared",
    lambda: o.lambda,
    alpha: o.alpha,
    minWeight: Math.max(o.minChildWeight, Number.MIN_VALUE),
    minRows: o.minSamplesLeaf,
    minGain: o.gamma,
  };
  return {
    ...o,
    rounds: o.trees,
    softmaxCurvature: set.classes / (set.classes - 1),
    secondOrder: true,
    dropRoots: true,
    growth,
    columns,
    finder: (sample, _, random) =>
      histogramFinder(table, sample, scan, growth, drawColumns(set.x.cols, o.colsample, random)),
  };
}
