import { finish, type Steps } from "../model/steps.ts";
import { type FittedTrees, treeModel } from "../model/trees/model.ts";
import type { Random } from "../num/random.ts";
import type { Matrix } from "../types.ts";
import { number, oneOf, resolveOptions, whole } from "./options.ts";
import { streamOf } from "./training.ts";
import { averageTrees, CART, type CartOptions, type MaxFeatures, maxFeaturesRule } from "./trees/average.ts";
import { prepare } from "./trees/prepare.ts";

export interface ForestOptions extends CartOptions {
  /** Default 100. */
  readonly trees?: number;
  /** Rows of a tree are drawn with replacement. Default true. */
  readonly bootstrap?: boolean;
  /** Rows drawn for a tree, as a share of all. Default 1. */
  readonly maxSamples?: number;
  /** Default `sqrt` for classification, `all` for regression. */
  readonly maxFeatures?: MaxFeatures;
}

/**
 * Random forest (Breiman 2001): the average of unpruned trees, each grown on rows drawn with replacement,
 * each node looking at a few columns drawn anew.
 */
export function fitForest(
  x: Matrix,
  y: ArrayLike<number>,
  options: ForestOptions = {},
  random?: Random | number,
): FittedTrees {
  return finish(forestSteps(x, y, options, random));
}

/** `fitForest` in short steps. */
export function* forestSteps(
  x: Matrix,
  y: ArrayLike<number>,
  options: ForestOptions = {},
  random?: Random | number,
): Steps<FittedTrees> {
  const plan = resolveOptions("forest", options, {
    ...CART,
    trees: whole(100, 1),
    bootstrap: oneOf<boolean>(true, false),
    maxSamples: number(1, 1e-9, 1),
    maxFeatures: maxFeaturesRule(options.task === "regression" ? "all" : "sqrt"),
  });
  const set = prepare("forest", x, y, options);
  const forests = yield* averageTrees(set, plan, streamOf(random, "forest"));
  return treeModel({ name: "forest", outputs: set.outputs, cols: x.cols, forests });
}
