import { expect, test } from "vitest";
import { checkModel } from "../../src/contracts/model.ts";
import { isColaError } from "../../src/errors.ts";
import { fromRows } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import { readEbm } from "../../src/read/ebm.ts";
import { loadModel } from "../../src/read/load.ts";
import { readModel } from "../../src/read/model-file.ts";
import type { Model } from "../../src/types.ts";
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

/** A bin of each column by the words of interpret's documentation: 0 for gaps, else 1 and one more for each cut reached. */
function plainMargin({ ebm }: typeof FILE, row: readonly number[]): number {
  const score = (term: (typeof FILE)["ebm"]["terms"][number]): number => {
    const many = term.term_features.length;
    const bins = term.term_features.map((name) => {
      const place = ebm.features.findIndex((feature) => feature.name === name);
      const { type, cuts, categories } = ebm.features[place]!;
      const cell = row[place]!;
      if (Number.isNaN(cell)) return 0;
      if (type !== "continuous")
        return 1 + Math.min(cell, categories!.at(Math.min(many, categories!.length) - 1)!.length - 1);
      return 1 + cuts!.at(Math.min(many, cuts!.length) - 1)!.filter((cut) => cell >= cut).length;
    });
    return bins.reduce<unknown>((table, bin) => (table as readonly unknown[])[bin], term.scores) as number;
  };
  return ebm.terms.reduce((sum, term) => sum + score(term), ebm.intercept[0]!);
}

test(`${FUZZ_RUNS} mutated copies are refused with a code, or score as a plain reading of the copy does`, () => {
  const random = stream(6, "ebm");
  let read = 0;
  for (let run = 0; run < FUZZ_RUNS; run++) {
    const text = new TextDecoder().decode(mutate(random, bytes));
    let model: Model;
    try {
      model = readEbm(text);
    } catch (error) {
      expect(isColaError(error), `${String(error)} for ${text.slice(0, 300)}`).toBe(true);
      continue;
    }
    const cells = Array.from({ length: rows.rows }, (_, i) =>
      Array.from(rows.data.subarray(2 * i, 2 * i + 2)),
    );
    const ours = model.margin!(rows, model.outputs.length - 1);
    cells.forEach((row, i) => {
      const expected = plainMargin(JSON.parse(text) as typeof FILE, row);
      expect(
        Math.abs(ours[i]! - expected) <= 1e-12 * Math.abs(expected),
        `${ours[i]} ${expected} ${text}`,
      ).toBe(true);
    });
    read++;
  }
  expect(read).toBeGreaterThan(FUZZ_RUNS / 50);
});

test("an intercept that is not a number is refused", () => {
  const text = JSON.stringify({ ...FILE, ebm: { ...FILE.ebm, intercept: [null] } });
  expect(() => readEbm(text)).toThrow(/intercept must hold finite numbers/);
});
