import { finish, type Steps } from "../model/steps.ts";
import { type FittedTrees, treeModel } from "../model/trees/model.ts";
import type { Random } from "../num/random.ts";
import type { Matrix } from "../types.ts";
import { resolveOptions } from "./options.ts";
import { streamOf } from "./training.ts";
import { averageTrees, CART, type CartOptions, type MaxFeatures, maxFeaturesRule } from "./trees/average.ts";
import { prepare } from "./trees/prepare.ts";

export interface TreeOptions extends CartOptions {
  /** Default `all`. */
  readonly maxFeatures?: MaxFeatures;
}

/**
 * One decision tree (CART, Breiman et al. 1984), unpruned by default: at each node the threshold that lowers
 * the impurity most; leaves answer with class shares or means.
 */
export function fitTree(
  x: Matrix,
  y: ArrayLike<number>,
  options: TreeOptions = {},
  random?: Random | number,
): FittedTrees {
  return finish(treeSteps(x, y, options, random));
}

/** `fitTree` in short steps. */
export function* treeSteps(
  x: Matrix,
  y: ArrayLike<number>,
  options: TreeOptions = {},
  random?: Random | number,
): Steps<FittedTrees> {
  const resolved = resolveOptions("tree", options, { ...CART, maxFeatures: maxFeaturesRule("all") });
  const set = prepare("tree", x, y, options);
  const plan = { ...resolved, trees: 1, bootstrap: false, maxSamples: 1 };
  const forests = yield* averageTrees(set, plan, streamOf(random, "tree"));
  return treeModel({ name: "tree", outputs: set.outputs, cols: x.cols, forests });
}
