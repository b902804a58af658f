import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { goesLeft } from "../../../src/model/trees/structure.ts";
import { fromRows } from "../../../src/num/matrix.ts";
import { fitLightgbm } from "../../../src/train/lightgbm.ts";
import { fitTree } from "../../../src/train/tree.ts";
import { fitXgboost } from "../../../src/train/xgboost.ts";
import type { Matrix, Trees } from "../../../src/types.ts";
import {
  cutsAtValues,
  missingIsLarge,
  oneColumn,
  smallerLeaves,
  type TreeFit,
  unweighted,
} from "../../support/mutants/trees.ts";
import { refuses } from "../../support/refuses.ts";
import { type SmallTable, smallTables } from "../../support/tables.ts";

/** How good a side is: a function of its rows; a split's gain is the sum of its sides less the node. */
type Score = (rows: readonly number[]) => number;

const classWeights = (table: SmallTable, rows: readonly number[], classes: number): number[] => {
  const sums = new Array<number>(classes).fill(0);
  for (const i of rows) sums[table.y[i]!]! += table.weights[i]!;
  return sums;
};
const giniScore =
  (table: SmallTable, classes: number): Score =>
  (rows) => {
    const sums = classWeights(table, rows, classes);
    const total = sums.reduce((a, b) => a + b, 0);
    return sums.reduce((sum, w) => sum + (w * w) / total, 0);
  };
const entropyScore =
  (table: SmallTable, classes: number): Score =>
  (rows) => {
    const sums = classWeights(table, rows, classes).filter((w) => w > 0);
    const total = sums.reduce((a, b) => a + b, 0);
    return sums.reduce((sum, w) => sum + w * Math.log(w / total), 0);
  };
const varianceScore =
  (table: SmallTable): Score =>
  (rows) => {
    const total = rows.reduce((sum, i) => sum + table.weights[i]!, 0);
    const mean = rows.reduce((sum, i) => sum + table.weights[i]! * table.y[i]!, 0) / total;
    return -rows.reduce((sum, i) => sum + table.weights[i]! * (table.y[i]! - mean) ** 2, 0);
  };
/** At score ½ the residuals are ±½ and the curvatures ¼. */
const newtonScore =
  (table: SmallTable, lambda: number): Score =>
  (rows) => {
    const g = rows.reduce((sum, i) => sum + table.weights[i]! * (table.y[i]! - 0.5), 0);
    const h = rows.reduce((sum, i) => sum + table.weights[i]! / 4, 0);
    return (g * g) / (h + lambda);
  };

const split = (x: Matrix, left: (i: number) => boolean): [number[], number[]] => {
  const all = Array.from({ length: x.rows }, (_, i) => i);
  return [all.filter(left), all.filter((i) => !left(i))];
};

/** Every way to cut a column in two, missing cells on either side. */
function* splits(x: Matrix): Generator<[number[], number[]]> {
  for (let k = 0; k < x.cols; k++) {
    const at = (i: number): number => x.data[i * x.cols + k]!;
    const values = [...new Set(Array.from({ length: x.rows }, (_, i) => at(i)))];
    for (const cut of values) {
      yield split(x, (i) => at(i) <= cut);
      yield split(x, (i) => at(i) <= cut || Number.isNaN(at(i)));
    }
  }
}

const rootSplit = (x: Matrix, trees: Trees): [number[], number[]] =>
  split(x, (i) => goesLeft(trees, trees.roots[0]!, x.data[i * x.cols + trees.feature[0]!]!));

/** The root's split gains as much as the best of all; without one, nothing is to be gained or allowed. */
function checkRoot(table: SmallTable, trees: Trees, score: Score, minRows: number, floor: number): void {
  const all = table.y.map((_, i) => i);
  const gain = ([a, b]: [number[], number[]]): number => score(a) + score(b) - score(all);
  const allowed = [...splits(table.x)].filter(([a, b]) => a.length >= minRows && b.length >= minRows);
  const best = Math.max(floor, ...allowed.map(gain));
  if (trees.feature[0]! < 0) {
    expect(best).toBe(floor);
    return;
  }
  const root = rootSplit(table.x, trees);
  expect(Math.min(root[0].length, root[1].length)).toBeGreaterThanOrEqual(minRows);
  expect(gain(root)).toBeCloseTo(best, 9);
}

const cases = (classes: number) =>
  fc.record({ table: smallTables(classes), minSamplesLeaf: fc.integer({ min: 1, max: 3 }) });

describe("the root of a tree is the best split of all", () => {
  const classLaw =
    (criterion: "gini" | "entropy", classes: number) =>
    (fit: TreeFit): void =>
      fc.assert(
        fc.property(cases(classes), ({ table, minSamplesLeaf }) => {
          const options = { criterion, maxDepth: 1, minSamplesLeaf, weights: table.weights };
          const trees = fit(table.x, table.y, options).structure(1);
          const score = (criterion === "gini" ? giniScore : entropyScore)(table, classes);
          checkRoot(table, trees, score, minSamplesLeaf, Number.NEGATIVE_INFINITY);
        }),
        { numRuns: 120, endOnFailure: true },
      );
  const laws: readonly [string, (fit: TreeFit) => void][] = [
    ["Gini, two classes", classLaw("gini", 2)],
    ["Gini, three classes", classLaw("gini", 3)],
    ["entropy, two classes", classLaw("entropy", 2)],
    ["entropy, three classes", classLaw("entropy", 3)],
  ];
  test.each(laws)("%s", (_, law) => law(fitTree));
  test.each(laws)("%s: wrong twins are refused", async (_, law) => {
    for (const mutant of [oneColumn, unweighted, smallerLeaves]) await refuses(() => law(mutant(fitTree)));
  });

  const varianceLaw = (fit: TreeFit): void =>
    fc.assert(
      fc.property(cases(4), ({ table, minSamplesLeaf }) => {
        const options = { task: "regression", maxDepth: 1, minSamplesLeaf, weights: table.weights };
        const trees = fit(table.x, table.y, options).structure(0);
        checkRoot(table, trees, varianceScore(table), minSamplesLeaf, Number.NEGATIVE_INFINITY);
      }),
      { numRuns: 120, endOnFailure: true },
    );
  test("variance", () => varianceLaw(fitTree));
  test("variance: wrong twins are refused", async () => {
    for (const mutant of [oneColumn, unweighted, smallerLeaves])
      await refuses(() => varianceLaw(mutant(fitTree)));
  });

  const newtonLaw =
    (method: "exact" | "hist") =>
    (fit: TreeFit): void =>
      fc.assert(
        fc.property(smallTables(2), fc.constantFrom(0.1, 1, 3), (table, lambda) => {
          const options = {
            method,
            lambda,
            trees: 1,
            maxDepth: 1,
            minChildWeight: 0,
            weights: table.weights,
          };
          const trees = fit(table.x, table.y, options).structure(1);
          checkRoot(table, trees, newtonScore(table, lambda), 1, 1e-6);
        }),
        { numRuns: 120, endOnFailure: true },
      );
  test.each(["exact", "hist"] as const)("second order, %s", (method) => newtonLaw(method)(fitXgboost));
  test.each(["exact", "hist"] as const)("second order, %s: wrong twins are refused", async (method) => {
    for (const mutant of [oneColumn, unweighted]) await refuses(() => newtonLaw(method)(mutant(fitXgboost)));
  });
});

describe("thresholds", () => {
  const law = (fit: TreeFit): void =>
    fc.assert(
      fc.property(smallTables(2, false), ({ x, y }) => {
        const trees = fit(x, y, { maxDepth: 1 }).structure(1);
        const k = trees.feature[0]!;
        if (k < 0) return;
        const [left, right] = rootSplit(x, trees);
        const of = (rows: number[]): number[] => rows.map((i) => x.data[i * x.cols + k]!);
        expect(trees.threshold[0]).toBe((Math.max(...of(left)) + Math.min(...of(right))) / 2);
      }),
    );
  test("lie halfway between the neighbours they part", () => law(fitTree));
  test("cuts at values are refused", () => refuses(() => law(cutsAtValues(fitTree))));

  test("part neighbours that have no number between them", () => {
    for (const a of [1, 1 + Number.EPSILON, -1, 3 * Number.MIN_VALUE]) {
      const b = a + (Math.abs(a) < 1 ? Number.MIN_VALUE : Number.EPSILON);
      const x = fromRows([[a], [b], [a], [b]]);
      expect(Array.from(fitTree(x, [0, 1, 0, 1]).predict(x))).toEqual([0, 1, 0, 1]);
    }
  });

  test("ties go to the lower column, then to the lower threshold", () => {
    const twin = fromRows([0, 1, 2, 3].map((v) => [7, v, v]));
    const trees = fitTree(twin, [0, 0, 1, 1]).structure(1);
    expect([trees.feature[0], trees.threshold[0]]).toEqual([1, 1.5]);
    const even = fromRows([[0], [1], [2]]);
    expect(fitTree(even, [0, 1, 0], { maxDepth: 1 }).structure(1).threshold[0]).toBe(0.5);
  });
});

describe("missing cells", () => {
  const fits: readonly [string, TreeFit][] = [
    ["tree", fitTree],
    ["xgboost exact", (x, y, o) => fitXgboost(x, y, { method: "exact", minChildWeight: 0, trees: 30, ...o })],
    ["xgboost hist", (x, y, o) => fitXgboost(x, y, { minChildWeight: 0, trees: 30, ...o })],
    ["lightgbm", (x, y, o) => fitLightgbm(x, y, { minSamplesLeaf: 1, minBinWeight: 0, trees: 80, ...o })],
  ];
  /** Only "missing" tells the classes apart, or missing belongs with the small or with the large. */
  const tables: readonly [string, (number | null)[], number[]][] = [
    ["alone", [1, 2, 3, 4, 5, null, null, null], [0, 0, 0, 0, 0, 1, 1, 1]],
    ["with the small", [1, 2, 3, 7, 8, 9, null, null], [1, 1, 1, 0, 0, 0, 1, 1]],
    ["with the large", [1, 2, 3, 7, 8, 9, null, null], [0, 0, 0, 1, 1, 1, 1, 1]],
  ];
  const law = (fit: TreeFit): void => {
    for (const [, cells, y] of tables) {
      const x = fromRows(cells.map((v) => [v]));
      const scores = fit(x, y, { maxDepth: 1 }).predict(x);
      y.forEach((label, i) => void expect(Math.abs(scores[i]! - label)).toBeLessThan(0.2));
    }
  };
  test.each(fits)("go where they belong: %s", (_, fit) => law(fit));
  test.each(fits)("taken for large numbers are refused: %s", (_, fit) =>
    refuses(() => law(missingIsLarge(fit))),
  );

  test("that stand alone stay alone: larger numbers than any seen are not taken for missing", () => {
    const x = fromRows([[1], [2], [3], [null], [null]]);
    const model = fitTree(x, [0, 0, 0, 1, 1]);
    expect(Array.from(model.predict(fromRows([[1e300], [null]])))).toEqual([0, 1]);
  });

  test("that were never seen follow the heavier side", () => {
    const x = fromRows([[0], [1], [2], [3], [4]]);
    const heavyLeft = fitTree(x, [0, 0, 0, 1, 1]);
    const heavyRight = fitTree(x, [0, 0, 1, 1, 1]);
    const missing = fromRows([[null]]);
    expect([heavyLeft.predict(missing)[0], heavyRight.predict(missing)[0]]).toEqual([0, 1]);
    const weighed = fitTree(x, [0, 0, 0, 1, 1], { weights: [1, 1, 1, 9, 9] });
    expect(weighed.predict(missing)[0]).toBe(1);
  });
});
