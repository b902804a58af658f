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

test("classes against the rest have a sigmoid each", () => {
  const model = readCatboost(
    JSON.stringify({ ...NESTED, model_info: info("MultiClassOneVsAll", ["a", "b", "c"]) }),
  );
  const sigmoid = (v: number): number => 1 / (1 + Math.exp(-v));
  for (const [o, name] of ["a", "b", "c"].entries()) {
    expect(model.outputs[o]).toBe(name);
    const scores = model.predict(rows, o) as Float64Array;
    for (const [i, margin] of margins(model, rows, o).entries())
      expect(scores[i]).toBeCloseTo(sigmoid(margin), 12);
  }
});

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
  const [rent, own] = HASHED.features_info.cat_features_hash;
  const shared = { ...HASHED.features_info, cat_features_hash: [own, rent, own] }; // two texts of one hash go right together
  expect(margins(readCatboost(JSON.stringify({ ...HASHED, features_info: shared })), some, 1)).toEqual([
    -1, 3, -2, 1, -1, 3, -2, 1, -2, 1,
  ]);
  const unnamed = { ...HASHED, features_info: { ...HASHED.features_info, cat_features_hash: [] } };
  expect(() => readCatboost(JSON.stringify(unnamed))).toThrow(/pool=pool/);
});

interface PlainSplit {
  readonly split_type: string;
  readonly float_feature_index: number;
  readonly cat_feature_index: number;
  readonly border: number;
  readonly value: number;
}
interface PlainNode {
  readonly split: PlainSplit;
  readonly left: PlainNode;
  readonly right: PlainNode;
  readonly value?: number | readonly number[];
}
interface PlainFile {
  readonly features_info: {
    readonly float_features: readonly { flat_feature_index: number; nan_value_treatment?: string }[];
    readonly categorical_features: readonly { flat_feature_index: number }[];
    readonly cat_features_hash: readonly { hash: number }[];
  };
  readonly oblivious_trees?: readonly {
    splits: readonly PlainSplit[] | null;
    leaf_values: readonly number[];
  }[];
  readonly trees: readonly PlainNode[];
  readonly scale_and_bias: readonly [number, readonly number[]];
}

/** Rows of age, debt and home, gaps and homes nobody knew among them. */
const CELLS = [0, 1, -1, Number.NaN].flatMap((home) =>
  [40, 41, Number.NaN].flatMap((age) => [7, 8, Number.NaN].map((debt) => [age, debt, home])),
);

/** Margin k of one row by the words of CatBoost's documentation, node by node. */
function plainMargin(file: PlainFile, row: readonly number[], k: number): number {
  const { float_features, categorical_features, cat_features_hash } = file.features_info;
  const right = (split: PlainSplit): boolean => {
    if (split.split_type === "OneHotFeature") {
      const home = row[categorical_features[split.cat_feature_index]!.flat_feature_index]!;
      return cat_features_hash[home]?.hash === split.value >>> 0;
    }
    const { flat_feature_index, nan_value_treatment } = float_features[split.float_feature_index]!;
    const cell = row[flat_feature_index]!;
    return Number.isNaN(cell) ? nan_value_treatment === "AsTrue" : cell > split.border;
  };
  const leaf = (node: PlainNode): number => {
    if (node.value !== undefined) return typeof node.value === "number" ? node.value : node.value[k]!;
    return leaf(right(node.split) ? node.right : node.left);
  };
  const [scale, bias] = file.scale_and_bias;
  const grown = file.oblivious_trees?.map(({ splits, leaf_values }) => {
    const place = (splits ?? []).reduce((bits, split, level) => bits + (right(split) ? 2 ** level : 0), 0);
    return leaf_values[place * bias.length + k]!;
  });
  return (grown ?? file.trees.map(leaf)).reduce((sum, value) => sum + scale * value, bias[k]!);
}

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

  test(`${FUZZ_RUNS} mutated copies are refused with a code, or score as a plain walk of the copy does`, () => {
    const random = stream(5, "catboost");
    let read = 0;
    for (let run = 0; run < FUZZ_RUNS; run++) {
      const text = new TextDecoder().decode(mutate(random, bytes));
      let model: Model;
      try {
        model = readCatboost(text);
      } catch (error) {
        expect(isColaError(error), `${String(error)} for ${text.slice(0, 300)}`).toBe(true);
        continue;
      }
      const cols = model.inputs!.length;
      const some = fromRows(CELLS.map((cells) => cells.slice(0, cols)));
      const three = model.outputs.length > 2;
      for (const o of three ? [0, 1, 2] : [model.outputs.length - 1]) {
        const plain = CELLS.map((row) => plainMargin(JSON.parse(text) as PlainFile, row, three ? o : 0));
        plain.forEach((expected, i) => {
          const ours = margins(model, some, o)[i]!;
          expect(Math.abs(ours - expected) <= 1e-12 * Math.abs(expected), `${ours} ${expected} ${text}`).toBe(
            true,
          );
        });
      }
      read++;
    }
    expect(read).toBeGreaterThan(FUZZ_RUNS / 50);
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
  expect(refused({ ...SYMMETRIC, scale_and_bias: [1, [null]] })).toBe("MODEL_FILE_INVALID");
});
