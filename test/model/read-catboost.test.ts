import { describe, expect, test } from "vitest";
import { checkModel } from "../../src/contracts/model.ts";
import { isColaError } from "../../src/errors.ts";
import { fromRows } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import { readCatboost } from "../../src/read/catboost.ts";
import { loadModel } from "../../src/read/load.ts";
import { readModel } from "../../src/read/model-file.ts";
import type { Matrix, Model } from "../../src/types.ts";
import { FUZZ_RUNS, mutate } from "../support/fuzz.ts";

const float = (flat: number, id: string, treatment: string): object => ({
  ...{ borders: [], feature_id: id, feature_index: flat, flat_feature_index: flat },
  nan_value_treatment: treatment,
});
const split = (column: number, border: number): object => ({
  ...{ split_type: "FloatFeature", float_feature_index: column, border, split_index: 0 },
});
const info = (loss: string, classes: readonly unknown[]): object => ({
  class_params: { class_names: classes },
  params: { loss_function: { type: loss } },
});
const features_info = { float_features: [float(0, "age", "AsFalse"), float(1, "debt", "AsTrue")] };

/** Bit 0 of a leaf: age above 40; bit 1: debt above 7. */
const SYMMETRIC = {
  features_info,
  model_info: info("Logloss", [0, 1]),
  oblivious_trees: [{ splits: [split(0, 40), split(1, 7)], leaf_values: [-2, -1, 1, 3] }],
  scale_and_bias: [0.5, [0.25]],
};
const NESTED = {
  features_info,
  model_info: info("MultiClass", ["a", "b", "c"]),
  trees: [
    {
      split: split(0, 40),
      left: { value: [1, 0, -1] },
      right: { split: split(1, 7), left: { value: [0, 2, 0] }, right: { value: [0, 0, 3] } },
    },
  ],
  scale_and_bias: [1, [0, 0, 0.5]],
};
/** Categories: "own" and "rent" are hashed; the place of each among the hashes is its code. */
const HASHED = {
  features_info: {
    ...features_info,
    cat_features_hash: [
      { hash: 7, value: "rent" },
      { hash: 2 ** 32 - 2, value: "own" },
    ],
    categorical_features: [{ feature_id: "home", feature_index: 0, flat_feature_index: 2, values: [-2] }],
  },
  model_info: info("Logloss", [0, 1]),
  oblivious_trees: [
    {
      splits: [
        { split_type: "OneHotFeature", cat_feature_index: 0, value: -2, split_index: 1 },
        split(0, 40),
      ],
      leaf_values: [-2, -1, 1, 3],
    },
  ],
  scale_and_bias: [1, [0]],
};
const rows = fromRows([
  [40, 7],
  [41, 7],
  [40, 8],
  [41, 8],
  [Number.NaN, 7],
  [41, Number.NaN],
]);
const margins = (model: Model, some: Matrix, output: number): number[] => [...model.margin!(some, output)];

test("a value above a border goes right, gaps where their column says", () => {
  const model = readCatboost(JSON.stringify(SYMMETRIC));
  expect(margins(model, rows, 1)).toEqual([-2, -1, 1, 3, -2, 3].map((v) => 0.25 + 0.5 * v));
  expect([model.outputs, model.inputs]).toEqual([
    ["0", "1"],
    ["age", "debt"],
  ]);
  const three = readCatboost(JSON.stringify(NESTED));
  expect(margins(three, rows, 2)).toEqual([-0.5, 0.5, -0.5, 3.5, -0.5, 3.5]);
  expect(three.outputs).toEqual(["a", "b", "c"]);
});

test("the category that is tested goes right, all others, unknown ones and gaps left", () => {
  const model = readCatboost(JSON.stringify(HASHED));
  const some = fromRows([0, 1, 2, -1, Number.NaN].flatMap((home) => [40, 41].map((age) => [age, 0, home])));
  expect(margins(model, some, 1)).toEqual([-2, 1, -1, 3, -2, 1, -2, 1, -2, 1]);
  expect(model.inputs).toEqual(["age", "debt", "home"]);
  const unnamed = { ...HASHED, features_info: { ...HASHED.features_info, cat_features_hash: [] } };
  expect(() => readCatboost(JSON.stringify(unnamed))).toThrow(/pool=pool/);
});

describe.each([
  ["symmetric", SYMMETRIC],
  ["one-hot", HASHED],
  ["nested", NESTED],
])("a %s file", (_, file) => {
  const bytes = new TextEncoder().encode(JSON.stringify(file));

  test("is told by its content, is saved as it was and keeps the contract of models", async () => {
    const { model } = await readModel("model.json", bytes);
    const again = loadModel(JSON.stringify(model.toJSON!()));
    const own = fromRows(
      Array.from({ length: 6 }, (_, i) => [
        ...rows.data.subarray(2 * i, 2 * i + 2),
        ...(model.inputs!.length === 3 ? [i % 3] : []),
      ]),
    );
    for (const o of model.outputs.keys()) expect(margins(again, own, o)).toEqual(margins(model, own, o));
    expect(model.structure!(0)!.kind).toBe("trees");
    const laws = await checkModel(
      model,
      fromRows(
        [
          [20, 3, 0],
          [50, 9, 1],
          [41, 7, 1],
        ].map((cells) => cells.slice(0, model.inputs!.length)),
      ),
    );
    expect(laws.filter(({ ok }) => !ok)).toEqual([]);
  });

  test(`${FUZZ_RUNS} mutated copies are refused with a code or score`, () => {
    const random = stream(5, "catboost");
    for (let run = 0; run < FUZZ_RUNS; run++) {
      const text = new TextDecoder().decode(mutate(random, bytes));
      try {
        const model = readCatboost(text);
        if (model.inputs!.length === 2) model.predict(rows, model.outputs.length - 1);
      } catch (error) {
        expect(isColaError(error), `${String(error)} for ${text.slice(0, 300)}`).toBe(true);
      }
    }
  });
});

test("counters, categories of no column and losses of one's own are refused with the way out", () => {
  const refused = (file: object): unknown => {
    try {
      readCatboost(JSON.stringify(file));
      return undefined;
    } catch (error) {
      return (error as { code?: unknown }).code;
    }
  };
  for (const [split_type, code] of [
    ["OnlineCtr", "MODEL_FILE_UNSUPPORTED"],
    ["OneHotFeature", "MODEL_FILE_INVALID"],
  ])
    expect(
      refused({ ...SYMMETRIC, oblivious_trees: [{ splits: [{ split_type }], leaf_values: [0, 1] }] }),
    ).toBe(code);
  expect(refused({ ...SYMMETRIC, model_info: info("YetiRank", []) })).toBe("MODEL_FILE_UNSUPPORTED");
  expect(refused({ ...SYMMETRIC, scale_and_bias: [1, [0, 0]] })).toBe("MODEL_FILE_INVALID");
});
