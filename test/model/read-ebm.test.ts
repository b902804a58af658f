import { expect, test } from "vitest";
import { checkModel } from "../../src/contracts/model.ts";
import { isColaError } from "../../src/errors.ts";
import { fromRows } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import { readEbm } from "../../src/read/ebm.ts";
import { loadModel } from "../../src/read/load.ts";
import { readModel } from "../../src/read/model-file.ts";
import { FUZZ_RUNS, mutate } from "../support/fuzz.ts";

/** Bins of age: missing, < 30, < 40, ≥ 40, unknown; of home: missing, free, own, unknown; together cut at 35 alone. */
const FILE = {
  version: "1.0",
  ebm: {
    outputs: [{ task: "classification", classes: ["bad", "good"], link: "logit" }],
    intercept: [0.5],
    features: [
      { name: "age", type: "continuous", cuts: [[30, 40], [35]] },
      { name: "home", type: "nominal", categories: [["free", "own"]] },
    ],
    terms: [
      { term_features: ["age"], scores: [9, 1, 2, 3, 0] },
      { term_features: ["home"], scores: [-9, 10, 20, 0] },
      {
        term_features: ["age", "home"],
        scores: [
          [0, 0, 0, 0],
          [0, 100, 200, 0],
          [0, 300, 400, 0],
          [0, 0, 0, 0],
        ],
      },
    ],
  },
};
const bytes = new TextEncoder().encode(JSON.stringify(FILE));
const rows = fromRows([
  [29, 0],
  [30, 1],
  [35, 0],
  [40, 1],
  [Number.NaN, 1],
  [20, Number.NaN],
]);

test("the terms are summed bin by bin; a cut belongs to the bin above it, a gap to its own", async () => {
  const { model } = await readModel("model.json", bytes);
  expect([...model.margin!(rows, 1)]).toEqual([111.5, 222.5, 312.5, 423.5, 29.5, -7.5]);
  expect(model).toMatchObject({
    outputs: ["bad", "good"],
    inputs: ["age", "home"],
    categorical: [false, true],
  });
  expect(model.structure!(1)!.kind).toBe("trees");
  const again = loadModel(JSON.stringify(model.toJSON!()));
  expect(again.margin!(rows, 1)).toEqual(model.margin!(rows, 1));
  const laws = await checkModel(
    model,
    fromRows([
      [29, 0],
      [36, 1],
      [50, 1],
    ]),
  );
  expect(laws.filter(({ ok }) => !ok)).toEqual([]);
});

test(`${FUZZ_RUNS} mutated copies are refused with a code or score`, () => {
  const random = stream(6, "ebm");
  for (let run = 0; run < FUZZ_RUNS; run++) {
    const text = new TextDecoder().decode(mutate(random, bytes));
    try {
      const model = readEbm(text);
      if (model.inputs!.length === 2) model.predict(rows, model.outputs.length - 1);
    } catch (error) {
      expect(isColaError(error), `${String(error)} for ${text.slice(0, 300)}`).toBe(true);
    }
  }
});
