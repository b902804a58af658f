import { finish, type Steps } from "../model/steps.ts";
import { type FittedTrees, treeModel } from "../model/trees/model.ts";
import type { Random } from "../num/random.ts";
import type { Matrix, Trees } from "../types.ts";
import { number, oneOf, resolveOptions, whole } from "./options.ts";
import { streamOf } from "./training.ts";
import { CART, type CartOptions, cart, type MaxFeatures, maxFeaturesRule } from "./trees/average.ts";
import { Shape } from "./trees/build.ts";
import { codeColumns } from "./trees/columns.ts";
import { during, type Leaf } from "./trees/grow.ts";
import { meanLeaves } from "./trees/leaves.ts";
import { limit, prepare, type TrainingSet } from "./trees/prepare.ts";
import { upTo } from "./trees/up-to.ts";

export interface AdaboostOptions extends Omit<CartOptions, "task"> {
  /** Default 50. */
  readonly trees?: number;
  /** Default 1. */
  readonly learningRate?: number;
  /** `SAMME.R` (default) adds class log-shares, `SAMME` weighted votes. */
  readonly algorithm?: "SAMME.R" | "SAMME";
  /** Default 1. */
  readonly maxDepth?: number;
  /** Default `all`. */
  readonly maxFeatures?: MaxFeatures;
}

const { task: _, ...TREE } = CART;
const OPTIONS = {
  ...TREE,
  trees: whole(50, 1),
  learningRate: number(1, 1e-9),
  algorithm: oneOf<"SAMME.R" | "SAMME">("SAMME.R", "SAMME"),
  maxDepth: limit(1, 1),
  maxFeatures: maxFeaturesRule("all"),
};
type Resolved = ReturnType<typeof resolveOptions<typeof OPTIONS>>;

/**
 * AdaBoost over small trees (Zhu et al. 2009). The decision of class k is a sum over trees of leaf values:
 * SAMME.R (K−1)(ln p_k − mean_j ln p_j), SAMME w_t·1[k = argmax p]; divided by Σ w_t. Scores are
 * softmax(decision/(K−1)); for two classes σ of the difference of the decisions.
 */
export function fitAdaboost(
  x: Matrix,
  y: ArrayLike<number>,
  options: AdaboostOptions = {},
  random?: Random | number,
): FittedTrees {
  return finish(adaboostSteps(x, y, options, random));
}

/** `fitAdaboost` in short steps. */
export function* adaboostSteps(
  x: Matrix,
  y: ArrayLike<number>,
  options: AdaboostOptions = {},
  random?: Random | number,
): Steps<FittedTrees> {
  const o = resolveOptions("adaboost", options, OPTIONS);
  const set = prepare("adaboost", x, y, options);
  const forests = yield* boostWeights(set, o, streamOf(random, "adaboost"));
  return treeModel({ name: "adaboost", outputs: set.outputs, cols: x.cols, forests });
}

/** Trees on ever heavier mistakes; returns the forests of the decisions, scaled for their link. */
function* boostWeights(set: TrainingSet, o: Resolved, random: Random): Steps<Trees[]> {
  const columns = yield* codeColumns(set.x);
  const shape = new Shape(set.classes);
  const weights = set.weights.slice();
  let votes = 0;
  for (let t = 0; t < o.trees && normalise(weights); t++) {
    const rows = upTo(weights.length);
    const tree = cart(shape, columns, set, weights, rows, o, random.split("tree", t));
    const leaves = yield* during(tree, t, o.trees);
    shape.values.forEach((value, k) => {
      meanLeaves(leaves, rows, set.y, weights, value, k);
    });
    const vote = addVotes(shape, leaves, rows, set, weights, o);
    votes += vote.weight;
    yield [t + 1, o.trees];
    if (vote.last) break;
  }
  return decisions(shape, votes);
}

/** Σ w = 1 with no weight below machine precision; false when the weights have run over. */
function normalise(weights: Float64Array): boolean {
  const sum = weights.reduce((a, b) => a + b, 0);
  for (let i = 0; i < weights.length; i++) weights[i] = Math.max(Number.EPSILON, weights[i]! / sum);
  return sum > 0 && sum < Number.POSITIVE_INFINITY;
}

/** Turns the class shares of the newest tree into its part of the decisions, and reweights the rows. */
function addVotes(
  shape: Shape,
  leaves: readonly Leaf[],
  rows: Int32Array,
  set: TrainingSet,
  weights: Float64Array,
  o: Resolved,
): { readonly weight: number; readonly last: boolean } {
  const classes = shape.values.length;
  const shares = leaves.map((leaf) =>
    shape.values.map((value) => Math.max(Number.EPSILON, value[leaf.node]!)),
  );
  const winners = shares.map((p) => p.indexOf(Math.max(...p)));
  const error = errorOf(leaves, winners, rows, set, weights);
  const real = o.algorithm === "SAMME.R";
  if (!real && error >= 1 - 1 / classes) {
    shape.dropTree();
    return { weight: 0, last: true };
  }
  const odds = Math.log((1 - error) / error) + Math.log(classes - 1);
  const weight = real || error <= 0 ? 1 : o.learningRate * odds;
  leaves.forEach((leaf, l) => {
    const logs = shares[l]!.map(Math.log);
    const mean = logs.reduce((a, b) => a + b, 0) / classes;
    shape.values.forEach((value, k) => {
      value[leaf.node] = real ? (classes - 1) * (logs[k]! - mean) : weight * Number(k === winners[l]);
    });
    for (let i = leaf.start; i < leaf.end; i++) {
      const row = rows[i]!;
      const label = set.y[row]!;
      const wrong = real
        ? // −((K−1)/K) Σ_k code_k ln p_k with code 1 for the row's class and −1/(K−1) for the others.
          -o.learningRate * (logs[label]! - mean)
        : weight * Number(label !== winners[l]);
      weights[row]! *= Math.exp(wrong);
    }
  });
  return { weight, last: error <= 0 };
}

/** Share of the weight whose class its leaf does not name. */
function errorOf(
  leaves: readonly Leaf[],
  winners: readonly number[],
  rows: Int32Array,
  set: TrainingSet,
  weights: Float64Array,
): number {
  let wrong = 0;
  let all = 0;
  leaves.forEach((leaf, l) => {
    for (let i = leaf.start; i < leaf.end; i++) {
      const row = rows[i]!;
      all += weights[row]!;
      if (set.y[row] !== winners[l]) wrong += weights[row]!;
    }
  });
  return wrong / all;
}

function decisions(shape: Shape, votes: number): Trees[] {
  const classes = shape.values.length;
  if (classes > 2) {
    const forests = shape.toTrees("softmax", new Float64Array(classes));
    return forests.map((f) => ({ ...f, value: f.value.map((v) => v / (votes * (classes - 1))) }));
  }
  const [first, second] = shape.toTrees("logistic", [0, 0]);
  const value = second!.value.map((v, node) => (v - first!.value[node]!) / votes);
  return [{ ...second!, value }];
}
