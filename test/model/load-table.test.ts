import { expect, test } from "vitest";
import { bindInputs } from "../../src/data/binding.ts";
import { bind, encodeRows, fitEncoder } from "../../src/data/encode.ts";
import { loans } from "../../src/data/loans.ts";
import { tableToMatrix } from "../../src/data/schema.ts";
import { loadExplainer, prepare } from "../../src/index.ts";
import { takeRows } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import { loadModel } from "../../src/read/load.ts";
import { fitLogistic } from "../../src/train/logistic.ts";
import { fitTree } from "../../src/train/tree.ts";
import type { Model } from "../../src/types.ts";

const { table, schema, labels } = loans({ rows: 200 });
const rows = tableToMatrix(schema, table);
const text = (model: Model): string => JSON.stringify(model.toJSON!());
const code = expect.objectContaining({ code: "MODEL_FILE_INVALID" });

const encoder = fitEncoder(schema, rows);
const linear = bind(fitLogistic(encodeRows(encoder, rows), labels), encoder);
const plain = fitEncoder(schema, rows, { numeric: "raw", categorical: "code", missing: "keep" });
const tree = bind(fitTree(encodeRows(plain, rows), labels, { maxDepth: 4 }, stream(1)), plain);
const inputs = bindInputs(fitTree(takeColumns(), labels, { maxDepth: 4 }, stream(1)), schema, {
  inputs: [
    { feature: "income", scale: 1000 },
    { feature: "housing", level: "own" },
  ],
});

function takeColumns() {
  const [income, housing] = ["income", "housing"].map((name) =>
    schema.features.findIndex((f) => f.name === name),
  );
  const own = schema.features[housing!]!.categories!.indexOf("own");
  const data = new Float64Array(rows.rows * 2);
  for (let i = 0; i < rows.rows; i++) {
    data[2 * i] = rows.data[i * rows.cols + income!]! / 1000;
    data[2 * i + 1] = Number(rows.data[i * rows.cols + housing!] === own);
  }
  return { data, rows: rows.rows, cols: 2 };
}

test.each([
  ["one-hot, standardised", linear],
  ["codes, raw, gaps kept", tree],
  ["an encoding file", inputs],
])("a model over table rows is saved with its encoding: %s", (_, model) => {
  const again = loadModel(text(model));
  expect(again.predict(rows)).toEqual(model.predict(rows));
  expect(again.encoding!.groups).toEqual(model.encoding!.groups);
});

test("an explainer with such a model is plain JSON and answers the same", async () => {
  const target = { class: 1, threshold: 0.6 };
  const options = { goal: { kind: "each" as const, target } };
  const explainer = prepare({
    model: linear,
    references: takeRows(rows, [...rows.data.subarray(0, 60).keys()]),
    schema,
    options,
  });
  const again = loadExplainer(JSON.parse(JSON.stringify(explainer)));
  const people = takeRows(rows, [61, 62, 63]);
  expect((await again.rows(people)).rows).toEqual((await explainer.rows(people)).rows);
});

test("encodings that do not fit are refused", () => {
  const saved = () => JSON.parse(text(linear));
  const lies: ((json: ReturnType<typeof saved>) => unknown)[] = [
    (json) => json.encoder.rules.pop(),
    (json) => (json.encoder.rules[0].start = 1),
    (json) => (json.encoder.rules[0].width = 2),
    (json) => (json.encoder.rules[0].shift = null),
    (json) => json.encoder.names.push("more"),
    (json) => (json.encoder.schema = null),
    (json) => (json.encoder.schema.features = 7),
    (json) => (json.encoder.options.missing = "guess"),
    (json) => delete json.model,
    (json) => delete json.encoder,
  ];
  for (const lie of lies) {
    const json = saved();
    lie(json);
    expect(() => loadModel(json)).toThrow(code);
  }
  const bound = JSON.parse(text(inputs));
  expect(() => loadModel({ ...bound, schema: 3 })).toThrow(code);
  expect(() => loadModel({ ...bound, spec: { inputs: [{ feature: "nobody" }] } })).toThrow(code);
});

test("an encoder that went through JSON encodes the same, gaps included", () => {
  expect(rows.data.some(Number.isNaN)).toBe(true);
  for (const made of [encoder, plain]) {
    const again = JSON.parse(JSON.stringify(made)) as typeof made;
    expect(encodeRows(again, rows)).toEqual(encodeRows(made, rows));
  }
});
