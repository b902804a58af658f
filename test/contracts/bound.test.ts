import { expect, test } from "vitest";
import { checkModel } from "../../src/contracts/model.ts";
import { compileConstraints } from "../../src/data/constraints.ts";
import { bind, encodeRows, fitEncoder } from "../../src/data/encode.ts";
import { loanSchema, loans } from "../../src/data/loans.ts";
import { tableToMatrix } from "../../src/data/schema.ts";
import { boundOf } from "../../src/model/bound.ts";
import { takeRows } from "../../src/num/matrix.ts";
import { encodingFor, type ModelName, models } from "../../src/train/registry.ts";
import type { Matrix, Model } from "../../src/types.ts";
import { smallStudy } from "../support/exact-studies.ts";

async function boundLaw(model: Model, rows: Matrix): Promise<string> {
  const results = await checkModel(model, rows, { probabilities: false });
  const { ok, message } = results.find(({ law }) => law === "bound")!;
  expect(ok, message).toBe(true);
  return message;
}

test("trees of every kind, and linear models, over tables with levels, gaps and codes", async () => {
  const studies = process.env["COLA_SOAK"] === "1" ? 1000 : 60;
  for (let seed = 0; seed < studies; seed++) {
    const { model, rows, what } = smallStudy(seed);
    // Three classes of a support vector machine are scaled to sum to one, which is not a link of one margin.
    // A derived column is not a column of a box.
    const none = /svm \w+ 3/.test(what) || (model.calibration?.model ?? model).completed !== undefined;
    const offered = none ? /not offered/ : /^24 boxes/;
    expect(await boundLaw(model, rows), what).toMatch(offered);
  }
});

const { table, labels } = loans();
const rows = takeRows(
  tableToMatrix(loanSchema, table),
  Array.from({ length: 200 }, (_, i) => i),
);

function loanModel(name: ModelName, options: object): Model {
  const encoder = fitEncoder(loanSchema, rows, encodingFor(name));
  const fitted = models[name].fit(encodeRows(encoder, rows), labels.slice(0, rows.rows), options, 1);
  return bind(fitted, encoder, compileConstraints(loanSchema));
}

test.each([
  ["relu", { hidden: [8, 8] }],
  ["tanh", { hidden: [12], activation: "tanh" }],
  ["none", { hidden: [] }],
  ["authors", { variant: "authors" }],
])("networks over one-hot and standardised columns: %s", async (_, options) => {
  expect(await boundLaw(loanModel("mlp", { epochs: 30, ...options }), rows)).toMatch(/^24 boxes/);
});

test("levels listed are looked at one by one: no row has two of them", () => {
  const model = loanModel("logistic", {});
  const range = boundOf(model, 1)!.range.bind(undefined);
  const k = loanSchema.features.findIndex(({ kind }) => kind === "categorical");
  const row = Array.from(rows.data.subarray(0, rows.cols));
  const boxWith = (values: readonly number[]) =>
    row.map((v, c) => (c === k ? { low: values[0]!, high: values.at(-1)!, values } : { low: v, high: v }));
  const each = [0, 1].map((v) => range(boxWith([v])));
  const both = range(boxWith([0, 1]));
  expect(both[0]).toBe(Math.min(...each.map(([low]) => low)));
  expect(both[1]).toBe(Math.max(...each.map(([, high]) => high)));
});

test("a range of codes holds the levels between its ends", () => {
  const one = {
    ...loanSchema.features.find(({ kind }) => kind === "categorical")!,
    categories: ["a", "b", "c"],
  };
  const codes = { data: Float64Array.of(0, 1, 2, 0, 1, 2), rows: 6, cols: 1 };
  const encoder = fitEncoder({ features: [one] }, codes);
  const fitted = models.logistic.fit(encodeRows(encoder, codes), [0, 1, 0, 0, 1, 0], {}, 1);
  const bound = boundOf(bind(fitted, encoder), 1)!;
  const level = bound.range([{ low: 1, high: 1 }]);
  const all = bound.range([{ low: 0, high: 2 }]);
  expect(level[1]).toBeGreaterThan(bound.range([{ low: 0, high: 0 }])[1]);
  expect(all[1]).toBeGreaterThanOrEqual(level[1]);
});

test("a function has no bounds", () => {
  expect(boundOf({ outputs: ["score"], predict: () => new Float64Array(0) }, 0)).toBeUndefined();
});
