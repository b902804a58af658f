import { finish, type Steps } from "../model/steps.ts";
import { type FittedTrees, treeModel } from "../model/trees/model.ts";
import type { Random } from "../num/random.ts";
import type { Matrix } from "../types.ts";
import { number, oneOf, resolveOptions, whole } from "./options.ts";
import { streamOf } from "./training.ts";
import { CART } from "./trees/average.ts";
import { type BoostPlan, boost, constantMargins, drawColumns } from "./trees/boost.ts";
import { binColumns, codeColumns } from "./trees/columns.ts";
import { exactFinder } from "./trees/find-exact.ts";
import { binTable, histogramFinder } from "./trees/find-histogram.ts";
import type { GrowRules } from "./trees/grow.ts";
import { limit, prepare, type TrainingSet, type TreeFitOptions } from "./trees/prepare.ts";
import type { ScanRules } from "./trees/scan.ts";

export interface XgboostOptions extends TreeFitOptions {
  /** Rounds; a round grows one tree, or one per class of three and more. Default 100. */
  readonly trees?: number;
  /** η. Default 0.3. */
  readonly learningRate?: number;
  /** Default 6. */
  readonly maxDepth?: number;
  /** Default: no limit; with one, the leaf with most to gain is split next. */
  readonly maxLeaves?: number;
  /** L2 penalty of leaf values. Default 1. */
  readonly lambda?: number;
  /** L1 penalty of leaf values. Default 0. */
  readonly alpha?: number;
  /** Least gain of a split. Default 0. */
  readonly gamma?: number;
  /** Least curvature Σ w·∂²loss of a leaf. Default 1. */
  readonly minChildWeight?: number;
  /** Share of the rows a round sees, drawn without replacement. Default 1. */
  readonly subsample?: number;
  /** Share of the columns a tree sees. Default 1. */
  readonly colsample?: number;
  /** `hist` (default) tries the edges of at most `bins` bins, `exact` every value. */
  readonly method?: "hist" | "exact";
  /** Default 256. */
  readonly bins?: number;
}

const OPTIONS = {
  task: CART.task,
  trees: whole(100, 1),
  learningRate: number(0.3, 1e-9),
  maxDepth: limit(6, 1),
  maxLeaves: limit(Number.POSITIVE_INFINITY, 2),
  lambda: number(1, 0),
  alpha: number(0, 0),
  gamma: number(0, 0),
  minChildWeight: number(1, 0),
  subsample: number(1, 1e-9, 1),
  colsample: number(1, 1e-9, 1),
  method: oneOf<"hist" | "exact">("hist", "exact"),
  bins: whole(256, 2, 65535),
};

/** Gains below this are noise. */
const LEAST_GAIN = 1e-6;

/**
 * XGBoost (Chen and Guestrin 2016): trees on first and second derivatives, grown level by level from score 0.5 (or
 * the mean); a split gains G_L²/(H_L+λ) + G_R²/(H_R+λ) − G²/(H+λ), a leaf answers η·G/(H+λ), missing cells go where they gain more.
 */
export function fitXgboost(
  x: Matrix,
  y: ArrayLike<number>,
  options: XgboostOptions = {},
  random?: Random | number,
): FittedTrees {
  return finish(xgboostSteps(x, y, options, random));
}

/** `fitXgboost` in short steps. */
export function* xgboostSteps(
  x: Matrix,
  y: ArrayLike<number>,
  options: XgboostOptions = {},
  random?: Random | number,
): Steps<FittedTrees> {
  const resolved = resolveOptions("xgboost", options, OPTIONS);
  const set = prepare("xgboost", x, y, options);
  const base =
    set.classes === 0 ? constantMargins(set, 0) : new Float64Array(set.classes === 2 ? 1 : set.classes);
  const forests = yield* boost(set, yield* planOf(set, resolved), base, streamOf(random, "xgboost"));
  return treeModel({ name: "xgboost", outputs: set.outputs, cols: x.cols, forests });
}

function* planOf(set: TrainingSet, o: Resolved): Steps<BoostPlan> {
  const exact = yield* codeColumns(set.x);
  const columns = o.method === "exact" ? exact : yield* binColumns(exact, set.weights, o.bins, 0);
  const table = o.method === "exact" ? undefined : binTable(columns);
  const growth: GrowRules = { maxDepth: o.maxDepth, maxLeaves: o.maxLeaves, minRowsToSplit: 2 };
  const scan: ScanRules = {
    criterion: "squared",
    lambda: o.lambda,
    alpha: o.alpha,
    minWeight: Math.max(o.minChildWeight, Number.MIN_VALUE),
    minRows: 1,
    minGain: Math.max(LEAST_GAIN, o.gamma),
  };
  return {
    ...o,
    rounds: o.trees,
    softmaxCurvature: 2,
    secondOrder: true,
    dropRoots: false,
    growth,
    columns,
    finder: (sample, _, random) => {
      const features = drawColumns(set.x.cols, o.colsample, random);
      if (table) return histogramFinder(table, sample, scan, growth, features);
      return exactFinder(columns, sample, scan, growth, { classes: 0, features });
    },
  };
}

type Resolved = ReturnType<typeof resolveOptions<typeof OPTIONS>>;
