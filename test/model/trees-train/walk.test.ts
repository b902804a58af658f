import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { predictTrees } from "../../../src/model/trees/predict.ts";
import { leafOf, NODE, seen } from "../../../src/model/trees/structure.ts";
import { walkInto, walkTrees } from "../../../src/model/trees/walk.ts";
import { rowOf } from "../../../src/num/matrix.ts";
import { fitForest } from "../../../src/train/forest.ts";
import type { Matrix, Trees } from "../../../src/types.ts";
import { alwaysInclusive, forgetsMissing } from "../../support/mutants/trees.ts";
import { refuses } from "../../support/refuses.ts";
import { smallTables } from "../../support/tables.ts";

type Predict = (trees: Trees, rows: Matrix) => Float64Array;

/** Node by node, as the node rule says. */
const slow: Predict = (trees, rows) =>
  Float64Array.from({ length: rows.rows }, (_, i) => {
    const row = rowOf(rows, i).map((z) => seen(trees, z));
    const values = Array.from(trees.roots, (root) => trees.value[leafOf(trees, root, row)]!);
    return values.reduce((a, b) => a + b, 0) + trees.base;
  });

const walked: Predict = (trees, rows) => {
  const layout = walkTrees(trees)!;
  const out = new Float64Array(rows.rows);
  for (const root of layout.roots) walkInto(layout, root, rows.data, rows.cols, 0, rows.rows, out);
  return out.map((v) => v + trees.base);
};

describe("walking many rows", () => {
  const law = (predict: Predict): void =>
    fc.assert(
      fc.property(smallTables(2), fc.boolean(), fc.integer(), ({ x, y }, inclusive, seed) => {
        const grown = fitForest(x, y, { trees: 5 }, seed).structure(1);
        // Thresholds on cells, so that ≤ and < differ.
        const threshold = grown.threshold.map((t) => Math.floor(2 * t) / 2);
        const trees = { ...grown, threshold, inclusive, base: 0.25 };
        expect(predict(trees, x)).toEqual(slow(trees, x));
      }),
      { endOnFailure: true },
    );
  test.each([
    ["walk", walked],
    ["predictTrees", predictTrees],
  ] as [string, Predict][])(
    "ends in the leaves of the node rule, for any number of rows: %s",
    async (_, predict) => {
      law(predict);
      await refuses(() => law(forgetsMissing(predict)));
      await refuses(() => law(alwaysInclusive(predict)));
    },
  );

  test("is not offered for categorical splits", () => {
    const trees = fitForest({ data: Float64Array.of(0, 1), rows: 2, cols: 1 }, [0, 1], {
      trees: 1,
    }).structure(1);
    const flags = trees.flags.map(() => NODE.categorical);
    expect(walkTrees({ ...trees, flags })).toBeUndefined();
  });
});
