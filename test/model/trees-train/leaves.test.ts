import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { leafOf } from "../../../src/model/trees/structure.ts";
import { rowOf } from "../../../src/num/matrix.ts";
import { fitBagging } from "../../../src/train/bagging.ts";
import { fitForest } from "../../../src/train/forest.ts";
import { fitGradboost } from "../../../src/train/gradboost.ts";
import { fitLightgbm } from "../../../src/train/lightgbm.ts";
import { fitTree } from "../../../src/train/tree.ts";
import type { Matrix, Trees } from "../../../src/types.ts";
import { sampleClasses } from "../../support/classes.ts";
import {
  forgetsFirstRow,
  shallow,
  type TreeFit,
  unevenShares,
  unweighted,
} from "../../support/mutants/trees.ts";
import { refuses } from "../../support/refuses.ts";
import { smallTables } from "../../support/tables.ts";

const leavesOf = (trees: Trees, x: Matrix, tree = 0): number[] =>
  Array.from({ length: x.rows }, (_, i) => leafOf(trees, trees.roots[tree]!, rowOf(x, i)));
const depthOf = (trees: Trees, node: number): number =>
  trees.feature[node]! < 0
    ? 0
    : 1 + Math.max(depthOf(trees, trees.left[node]!), depthOf(trees, trees.right[node]!));
const leafValues = (trees: Trees, node: number): number[] =>
  trees.feature[node]! < 0
    ? [trees.value[node]!]
    : [...leafValues(trees, trees.left[node]!), ...leafValues(trees, trees.right[node]!)];
const leafCount = (trees: Trees): number => trees.feature.filter((k) => k < 0).length;

describe("an unpruned tree", () => {
  const law = (fit: TreeFit): void =>
    fc.assert(
      fc.property(fc.integer(), fc.constantFrom(2 as const, 3 as const), (seed, classes) => {
        const { x, y } = sampleClasses(40, 2, classes, seed);
        const model = fit(x, y);
        for (let k = 0; k < classes; k++) {
          expect(Array.from(model.predict(x, k))).toEqual(Array.from(y, (label) => Number(label === k)));
        }
      }),
      { numRuns: 20 },
    );
  test("has pure leaves where rows differ", () => law(fitTree));
  test("a shallow one is refused", () => refuses(() => law(shallow(fitTree))));

  test("splits even where the first split gains nothing", () => {
    const x = { data: Float64Array.of(0, 0, 0, 1, 1, 0, 1, 1), rows: 4, cols: 2 };
    expect(Array.from(fitTree(x, [0, 1, 1, 0]).predict(x))).toEqual([0, 1, 1, 0]);
  });
});

describe("leaves", () => {
  const shareLaw = (fit: TreeFit): void =>
    fc.assert(
      fc.property(smallTables(3), fc.integer({ min: 1, max: 3 }), ({ x, y, weights }, maxDepth) => {
        const model = fit(x, y, { maxDepth, weights });
        const leaves = leavesOf(model.structure(0), x);
        for (let k = 0; k < 3; k++) {
          model.predict(x, k).forEach((score, i) => {
            const mates = leaves.flatMap((leaf, j) => (leaf === leaves[i] ? [j] : []));
            const sum = (of: (j: number) => number): number => mates.reduce((a, j) => a + of(j), 0);
            const share = sum((j) => weights[j]! * Number(y[j] === k)) / sum((j) => weights[j]!);
            expect(score).toBeCloseTo(share, 12);
          });
        }
      }),
      { endOnFailure: true },
    );
  test("answer with class shares", () => shareLaw(fitTree));
  test("shares without weights are refused", () => refuses(() => shareLaw(unweighted(fitTree))));

  const meanLaw = (fit: TreeFit): void =>
    fc.assert(
      fc.property(fc.integer(), fc.constantFrom(0, 1e6), (seed, offset) => {
        const { x } = sampleClasses(40, 3, 2, seed);
        const y = Float64Array.from({ length: 40 }, (_, i) => offset + x.data[3 * i]! ** 2);
        const model = fit(x, y, { task: "regression", maxDepth: 3 });
        const leaves = leavesOf(model.structure(0), x);
        model.predict(x).forEach((value, i) => {
          const mates = y.filter((_, j) => leaves[j] === leaves[i]);
          expect(value - offset).toBeCloseTo(mates.reduce((a, b) => a + b, 0) / mates.length - offset, 8);
        });
      }),
      { numRuns: 30, endOnFailure: true },
    );
  const oneRound: TreeFit = (x, y, o) => fitGradboost(x, y, { trees: 1, learningRate: 1, ...o });
  test.each([
    ["tree", fitTree],
    ["one round of gradboost", oneRound],
  ] as [string, TreeFit][])("answer with means: %s", async (_, fit) => {
    meanLaw(fit);
    await refuses(() => meanLaw(forgetsFirstRow(fit)));
  });
});

describe("an average", () => {
  test("as many votes are the same score whoever casts them, and a tie is one half to the last bit", async () => {
    const { x, y } = sampleClasses(200, 2, 2, 1);
    const votes = (fit: TreeFit): void => {
      const trees = fit(x, y, { trees: 10 }, 1).structure(1);
      const sure = Array.from(trees.roots, (root) => {
        const values = leafValues(trees, root);
        return [Math.min(...values), Math.max(...values)] as const;
      });
      const scores = Array.from({ length: 2 ** 10 }, (_, set) =>
        sure.reduce((sum, [no, yes], t) => sum + ((set >> t) & 1 ? yes : no), trees.base),
      );
      scores.forEach((score, set) => {
        const yes = set.toString(2).replaceAll("0", "").length;
        expect(score).toBe(scores[2 ** yes - 1]);
        if (yes === 5) expect(score).toBe(0.5);
      });
    };
    votes(fitBagging);
    await refuses(() => votes(unevenShares(fitBagging)));
  });

  test("of sure trees is sure to 2^−51 a tree, and two classes are exact complements", () => {
    const { x, y } = sampleClasses(60, 2, 2, 1);
    for (const trees of [7, 49, 100]) {
      const model = fitForest(x, y, { trees }, 1);
      const [no, yes] = [model.predict(x, 0), model.predict(x, 1)];
      yes.forEach((p, i) => void expect(p + no[i]!).toBe(1));
      const sure = fitForest(x, y, { trees, bootstrap: false }, 1);
      sure.predict(x).forEach((p, i) => {
        expect(p).toBeGreaterThanOrEqual(0);
        expect(p).toBeLessThanOrEqual(1);
        expect(Math.abs(p - y[i]!)).toBeLessThanOrEqual(trees * 2 ** -51);
      });
    }
  });

  test("of numbers far from zero splits like one of numbers near it", () => {
    const { x } = sampleClasses(60, 3, 2, 2);
    const y = Float64Array.from({ length: 60 }, (_, i) => Math.round(8 * x.data[3 * i + 1]! ** 3) / 8);
    const [near, far] = [0, 1e9].map((offset) => {
      const { feature, threshold } = fitTree(
        x,
        y.map((v) => v + offset),
        { task: "regression" },
      ).structure(0);
      return { feature, threshold };
    });
    expect(far).toEqual(near);
  });
});

describe("limits", () => {
  const { x, y } = sampleClasses(200, 4, 2, 3);
  test("on depth, leaves and rows hold", () => {
    expect(depthOf(fitTree(x, y, { maxDepth: 4 }).structure(1), 0)).toBe(4);
    expect(leafCount(fitTree(x, y, { maxLeaves: 7 }).structure(1))).toBe(7);
    const few = fitTree(x, y, { minSamplesLeaf: 9 }).structure(1);
    const counts = new Map<number, number>();
    for (const leaf of leavesOf(few, x)) counts.set(leaf, (counts.get(leaf) ?? 0) + 1);
    expect(Math.min(...counts.values())).toBeGreaterThanOrEqual(9);
    expect(counts.size).toBeGreaterThan(3);
    const lightgbm = fitLightgbm(x, y, { maxLeaves: 5, trees: 3 }).structure(1);
    expect(leafCount(lightgbm)).toBe(15);
  });

  test("a tree of few leaves is the best so far, leaf by leaf", () => {
    const loss = (maxLeaves: number): number => {
      const scores = fitTree(x, y, { maxLeaves }).predict(x);
      return scores.reduce((sum, p, i) => sum + (p - y[i]!) ** 2, 0);
    };
    const losses = [2, 3, 4, 6, 9].map(loss);
    expect(losses).toEqual([...losses].sort((a, b) => b - a));
    const deep = fitTree(x, y, { maxDepth: 2 }).predict(x);
    expect(losses[2]).toBeLessThanOrEqual(deep.reduce((sum, p, i) => sum + (p - y[i]!) ** 2, 0) + 1e-9);
  });

  test("of two leaves with the same to gain the older is split", () => {
    const line = { data: Float64Array.of(0, 1, 2, 3), rows: 4, cols: 1 };
    const options = { task: "regression", maxLeaves: 3 } as const;
    expect(Array.from(fitTree(line, [0, 1, 10, 11], options).predict(line))).toEqual([0, 1, 10.5, 10.5]);
  });

  test("a least decrease of impurity is that of scikit-learn: weighted by the node's share", () => {
    const line = { data: Float64Array.of(0, 1, 2, 3), rows: 4, cols: 1 };
    const splits = (labels: number[], options: object): number =>
      fitTree(line, labels, options)
        .structure(1)
        .feature.filter((k) => k >= 0).length;
    // Gini 1/2 falls to 0 at the root.
    expect(splits([0, 0, 1, 1], { minImpurityDecrease: 0.5 })).toBe(1);
    expect(splits([0, 0, 1, 1], { minImpurityDecrease: 0.51 })).toBe(0);
    // Entropy falls from 1 bit to 0.
    expect(splits([0, 0, 1, 1], { criterion: "entropy", minImpurityDecrease: 1 })).toBe(1);
    expect(splits([0, 0, 1, 1], { criterion: "entropy", minImpurityDecrease: 1.01 })).toBe(0);
    // Root: 3/8 → 1/4; then a half of the rows from 1/2 to 0.
    expect(splits([0, 0, 1, 0], { minImpurityDecrease: 0.125 })).toBe(2);
    expect(splits([0, 0, 1, 0], { minImpurityDecrease: 0.126 })).toBe(0);
  });

  test("columns drawn per node: one of them alone decides each split", () => {
    const noise = fitForest(x, y, { trees: 20, maxFeatures: 1, maxDepth: 1 }, 1).structure(1);
    expect(new Set(noise.feature.filter((k) => k >= 0)).size).toBe(4);
    const all = fitForest(x, y, { trees: 20, maxFeatures: "all", maxDepth: 1 }, 1).structure(1);
    expect(new Set(all.feature.filter((k) => k >= 0))).toEqual(new Set([0]));
  });

  test("while the columns drawn are constant, more are drawn", () => {
    const { x: one } = sampleClasses(30, 1, 2, 1);
    const cells = Float64Array.from({ length: 120 }, (_, c) => (c % 4 === 2 ? one.data[c >> 2]! : 7));
    const wide = { data: cells, rows: 30, cols: 4 };
    const labels = Array.from(one.data, (v) => Number(v > 0));
    expect(Array.from(fitTree(wide, labels, { maxFeatures: 1 }).predict(wide))).toEqual(labels);
  });

  test("a forest of one class in a column of constants is one leaf", () => {
    const flat = { data: new Float64Array(6).fill(4), rows: 6, cols: 1 };
    const model = fitTree(flat, [0, 1, 0, 1, 1, 1]);
    expect(model.structure(1).feature).toEqual(Int32Array.of(-1));
    expect(model.predict(flat)[0]).toBeCloseTo(4 / 6, 15);
  });
});
