import { expect, test } from "vitest";
import { compileConstraints } from "../../src/data/constraints.ts";
import { plainSchema } from "../../src/data/schema.ts";
import { exactSearch } from "../../src/model/exact-search.ts";
import { reachOf } from "../../src/model/target.ts";
import { matrix, rowOf } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import { fitXgboost } from "../../src/train/xgboost.ts";

test.each([1, 2])("a probability of three classes may always be up to %d", (max) => {
  const random = stream(1, "upper end");
  const rows = matrix(
    40,
    2,
    Float64Array.from({ length: 80 }, () => random.normal()),
  );
  const labels = Array.from({ length: 40 }, (_, i) =>
    Math.min(2, Math.max(0, Math.floor(rows.data[2 * i]! + 1))),
  );
  const model = fitXgboost(rows, labels, { trees: 8, maxDepth: 2 });
  const constraints = compileConstraints(plainSchema(2));
  const ask = (target: { readonly min: number; readonly max?: number }) =>
    exactSearch({ model, constraints, reach: reachOf(model, { output: 1, ...target }), table: rows })!;
  const [free, ranged] = [ask({ min: 0.5 }), ask({ min: 0.5, max })];
  let edited = 0;
  for (let i = 0; i < rows.rows; i++) {
    const { outcome, change, features } = free.plan(rowOf(rows, i));
    expect(ranged.plan(rowOf(rows, i))).toMatchObject({ outcome, change, features });
    if (features.length > 0) edited++;
  }
  expect(edited).toBeGreaterThan(5);
});
