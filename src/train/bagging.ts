import { finish, type Steps } from "../model/steps.ts";
import { type FittedTrees, treeModel } from "../model/trees/model.ts";
import type { Random } from "../num/random.ts";
import type { Matrix } from "../types.ts";
import { number, oneOf, resolveOptions, whole } from "./options.ts";
import { streamOf } from "./training.ts";
import { averageTrees, CART, type CartOptions, type MaxFeatures, maxFeaturesRule } from "./trees/average.ts";
import { prepare } from "./trees/prepare.ts";

export interface BaggingOptions extends CartOptions {
  /** Default 10. */
  readonly trees?: number;
  /** Rows of a tree are drawn with replacement. Default true. */
  readonly bootstrap?: boolean;
  /** Rows drawn for a tree, as a share of all. Default 1. */
  readonly maxSamples?: number;
  /** Default `all`. */
  readonly maxFeatures?: MaxFeatures;
}

/** Bagging (Breiman 1996): the average of unpruned trees, each grown on rows drawn with replacement. */
export function fitBagging(
  x: Matrix,
  y: ArrayLike<number>,
  options: BaggingOptions = {},
  random?: Random | number,
): FittedTrees {
  return finish(baggingSteps(x, y, options, random));
}

/** `fitBagging` in short steps. */
export function* baggingSteps(
  x: Matrix,
  y: ArrayLike<number>,
  options: BaggingOptions = {},
  random?: Random | number,
): Steps<FittedTrees> {
  const plan = resolveOptions("bagging", options, {
    ...CART,
    trees: whole(10, 1),
    bootstrap: oneOf<boolean>(true, false),
    maxSamples: number(1, 1e-9, 1),
    maxFeatures: maxFeaturesRule("all"),
  });
  const set = prepare("bagging", x, y, options);
  const forests = yield* averageTrees(set, plan, streamOf(random, "bagging"));
  return treeModel({ name: "bagging", outputs: set.outputs, cols: x.cols, forests });
}
