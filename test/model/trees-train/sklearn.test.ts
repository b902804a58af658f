import { describe, expect, test } from "vitest";
import { sigmoid } from "../../../src/model/link.ts";
import { treeKernels } from "../../../src/model/trees/kernels.ts";
import { predictTrees } from "../../../src/model/trees/predict.ts";
import { fromRows, takeRows } from "../../../src/num/matrix.ts";
import { fitAdaboost } from "../../../src/train/adaboost.ts";
import { fitXgboost } from "../../../src/train/xgboost.ts";
import type { Matrix, Trees } from "../../../src/types.ts";
import { fixture, hasFixture } from "../../support/fixtures.ts";

interface SklearnTree {
  left: number[];
  right: number[];
  feature: number[];
  threshold: number[];
  value: number[][];
}

/** scikit-learn's arrays, tree after tree; cells are compared as float32 with z ≤ threshold. */
function forestOf(trees: readonly SklearnTree[], leaf: (value: readonly number[]) => number): Trees {
  const starts = trees.map((_, t) => trees.slice(0, t).reduce((sum, tree) => sum + tree.feature.length, 0));
  const all = (of: (tree: SklearnTree, start: number) => number[]): number[] =>
    trees.flatMap((tree, t) => of(tree, starts[t]!));
  const children = (v: number, start: number): number => (v < 0 ? -1 : v + start);
  return {
    kind: "trees",
    kernels: treeKernels,
    base: 0,
    link: "identity",
    roots: Int32Array.from(starts),
    feature: Int32Array.from(all((tree) => tree.feature.map((k) => Math.max(k, -1)))),
    threshold: Float64Array.from(all((tree) => tree.threshold)),
    left: Int32Array.from(all((tree, start) => tree.left.map((v) => children(v, start)))),
    right: Int32Array.from(all((tree, start) => tree.right.map((v) => children(v, start)))),
    value: Float64Array.from(all((tree) => tree.value.map(leaf))),
    flags: new Uint8Array(all((tree) => tree.feature).length),
    inclusive: true,
    float32: true,
  };
}

describe("scikit-learn's trees", () => {
  const name = "sklearn_trees_german.json";
  interface File {
    X: number[][];
    random_forest: { trees: SklearnTree[]; proba: number[] };
    gradient_boosting: {
      trees: SklearnTree[];
      init_log_odds: number;
      learning_rate: number;
      raw: number[];
      proba: number[];
    };
  }
  test.skipIf(!hasFixture(name))(`as Trees score as there (needs ${name})`, () => {
    const file = fixture<File>(name);
    const x = fromRows(file.X);
    const { random_forest: forest, gradient_boosting: boosted } = file;
    const shares = forestOf(forest.trees, ([no, yes]) => yes! / (no! + yes!) / forest.trees.length);
    expectClose(predictTrees(shares, x), forest.proba, 1e-12);
    const steps = forestOf(boosted.trees, ([value]) => boosted.learning_rate * value!);
    const raw = predictTrees({ ...steps, base: boosted.init_log_odds }, x);
    expectClose(raw, boosted.raw, 1e-12);
    expectClose(raw.map(sigmoid), boosted.proba, 1e-12);
  });
});

function expectClose(ours: ArrayLike<number>, theirs: readonly number[], tolerance: number): void {
  expect(ours.length).toBe(theirs.length);
  theirs.forEach((v, i) => void expect(Math.abs(ours[i]! - v)).toBeLessThanOrEqual(tolerance));
}

interface Data {
  X: number[][];
  y: number[];
  train_idx: number[];
  test_idx: number[];
  mean: number[];
  std: number[];
}

const german = (): { train: Matrix; y: number[]; test: Matrix } => {
  const data = fixture<Data>("data_german.json");
  const x = fromRows(data.X.map((row) => row.map((v, k) => (v - data.mean[k]!) / data.std[k]!)));
  return {
    train: takeRows(x, data.train_idx),
    y: data.train_idx.map((i) => data.y[i]!),
    test: takeRows(x, data.test_idx),
  };
};

describe("trained on the German data", () => {
  const models = "models_german.json";
  test.skipIf(!hasFixture(models))(`SAMME gives scikit-learn's probabilities (needs ${models})`, () => {
    const { train, y, test } = german();
    interface File {
      models: { AdaBoost_SAMME: { proba_test_seed0: number[] } };
    }
    const theirs = fixture<File>(models).models.AdaBoost_SAMME.proba_test_seed0;
    expectClose(fitAdaboost(train, y, { algorithm: "SAMME" }).predict(test), theirs, 1e-12);
  });

  const margins = "xgb_german_default.expected.json";
  test.skipIf(!hasFixture(margins))(`exact xgboost gives XGBoost's margins (needs ${margins})`, () => {
    const { train, y } = german();
    const single = { ...train, data: Float64Array.from(Float32Array.from(train.data)) };
    const file = fixture<{ X: number[][]; margin: number[] }>(margins);
    const ours = fitXgboost(single, y, { method: "exact" }).margin!(fromRows(file.X));
    // XGBoost sums gradients in float32, so a near-tie among 3,600 nodes may fall to the other side.
    const same = file.margin.filter((m, i) => Math.abs(m - ours[i]!) < 1e-5).length;
    expect(same / file.margin.length).toBeGreaterThan(0.8);
  });
});
