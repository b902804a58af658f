import { expect, test } from "vitest";
import { bind, encodeRows, fitEncoder } from "../../src/data/encode.ts";
import { matrix } from "../../src/num/matrix.ts";
import { loadModel } from "../../src/read/load.ts";
import { fitTree } from "../../src/train/tree.ts";
import type { Schema } from "../../src/types.ts";

const schema: Schema = {
  features: [
    { name: "town", kind: "categorical", categories: ["a", "b", "c", "d", "e"] },
    { name: "age", kind: "numeric" },
  ],
};
// Level c is met three times, a twice, e and b once, d never; one town is not known.
const towns = [2, 0, 2, 4, 0, 2, 1, Number.NaN];
const rows = matrix(8, 2, Float64Array.from(towns.flatMap((town, i) => [town, i])));

test("the most frequent levels have columns in their own order, the others none; ties go to the first", () => {
  const encoder = fitEncoder(schema, rows, { levels: 3, numeric: "raw" });
  expect(encoder.names).toEqual(["town=a", "town=b", "town=c", "town=missing", "age"]);
  expect(encoder.rules[0]!.columns).toEqual([0, 1, 2, -1, -1]);
  expect(encoder.groups).toEqual([[0, 1, 2, 3], [4]]);
  const { data, cols } = encodeRows(encoder, rows);
  const told = towns.map((_, i) => Array.from(data.subarray(i * cols, i * cols + 4)).join(""));
  expect(told).toEqual(["0010", "1000", "0010", "0000", "1000", "0010", "0100", "0001"]);
  const two = fitEncoder(schema, rows, { levels: 2 });
  expect(two.rules[0]!.columns).toEqual([0, -1, 1, -1, -1]);
});

test("without a limit every level has its column, also one that is never met", () => {
  const { names, rules } = fitEncoder(schema, rows);
  expect(names.slice(0, 5)).toEqual(["town=a", "town=b", "town=c", "town=d", "town=e"]);
  expect(rules[0]!.columns).toEqual([0, 1, 2, 3, 4]);
});

test("a saved model keeps which levels it tells apart, and a file that contradicts itself is refused", async () => {
  const encoder = fitEncoder(schema, rows, { levels: 2, numeric: "raw", missing: "keep" });
  const tree = fitTree(encodeRows(encoder, rows), [0, 1, 0, 1, 1, 0, 0, 1], { classes: ["no", "yes"] }, 1);
  const model = bind(tree, encoder);
  const saved = JSON.parse(JSON.stringify(model.toJSON!()));
  expect(await loadModel(saved).predict(rows)).toEqual(await model.predict(rows));
  for (const columns of [
    [0, -1, 1, -1],
    [0, -1, 2, -1, -1],
    [0, 1, 2, -1, -1],
    [1, -1, 0, -1, -1],
  ]) {
    const wrong = structuredClone(saved);
    wrong.encoder.rules[0].columns = columns;
    expect(() => loadModel(wrong)).toThrow("does not fit its schema");
  }
});
