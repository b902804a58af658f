import { describe, expect, test } from "vitest";
import { readOnnx } from "../../../node/model/onnx.ts";
import { checkModel } from "../../../src/contracts/model.ts";
import { isColaError } from "../../../src/errors.ts";
import { predictTrees } from "../../../src/model/trees/predict.ts";
import { fromRows } from "../../../src/num/matrix.ts";
import { stream } from "../../../src/num/random.ts";
import type { Matrix, Trees } from "../../../src/types.ts";
import { fixture, fixtureBytes, hasFixture } from "../../support/fixtures.ts";
import { FUZZ_RUNS, mutate, survives } from "../../support/fuzz.ts";
import {
  type Attribute,
  ensembleFile,
  ensembleNode,
  type GraphSpec,
  gemmFile,
  LEAVES,
  onnxFile,
  rootedFile,
  rootedNode,
} from "../../support/onnx-files.ts";

const sigma = (t: number): number => 1 / (1 + Math.exp(-t));
const codeOf = async (run: () => Promise<unknown>): Promise<string> => {
  try {
    await run();
  } catch (error) {
    if (isColaError(error)) return error.code;
    throw error;
  }
  return "nothing was thrown";
};
const rows: Matrix = (() => {
  const random = stream(1, "onnx rows");
  return { data: Float64Array.from({ length: 120 }, () => Math.fround(random.normal())), rows: 40, cols: 3 };
})();

interface Expected {
  readonly X: number[][];
  readonly models: Record<string, { readonly outputs: Record<string, number[][]> }>;
}

describe.each(["onnx_lr_gemm", "onnx_mlp", "onnx_trees_rf"])("%s (reference numbers)", (name) => {
  test.skipIf(!hasFixture(`${name}.onnx`))("probabilities are reproduced to 1e-6", async () => {
    const { X, models } = fixture<Expected>("onnx_expected.json");
    const { outputs } = models[name]!;
    const expected = outputs["probabilities"] ?? outputs["probability"]!;
    const model = await readOnnx(fixtureBytes(`${name}.onnx`));
    for (let o = 0; o < model.outputs.length; o++) {
      const scores = await model.predict(fromRows(X), o);
      expect(Math.max(...scores.map((p, i) => Math.abs(p - expected[i]![o]!)))).toBeLessThan(1e-6);
    }
    const kind = { onnx_lr_gemm: "linear", onnx_trees_rf: "trees", onnx_mlp: undefined }[name];
    expect(model.structure!(0)?.kind).toBe(kind);
    const broken = (await checkModel(model, fromRows(X))).filter((law) => !law.ok);
    expect(broken).toEqual([]);
    await model.close();
  });
});

describe("linear models", () => {
  test("Gemm and Sigmoid: scores, structure and contract", async () => {
    const model = await readOnnx(gemmFile([1, -2, 0.5], 0.25));
    const scores = await model.predict(rows);
    scores.forEach((p, i) => {
      const [a, b, c] = rows.data.subarray(3 * i) as unknown as [number, number, number];
      expect(p).toBeCloseTo(sigma(a - 2 * b + 0.5 * c + 0.25), 6);
    });
    expect(model.structure!(0)).toMatchObject({ kind: "linear", link: "logistic" });
    expect((await checkModel(model, rows)).filter((law) => !law.ok)).toEqual([]);
    await model.close();
  });

  test.each<[string, readonly number[], readonly number[]]>([
    ["two rows of coefficients", [-1, 2, -0.5, 1, -2, 0.5], [-0.25, 0.25]],
    ["one row of coefficients", [1, -2, 0.5], [0.25]],
  ])(
    "LinearClassifier with %s, a Normalizer and a ZipMap, as scikit-learn is exported",
    async (_name, coefficients, intercepts) => {
      const ml = "ai.onnx.ml";
      const labels: Attribute = { name: "classlabels_strings", strings: ["bad", "good"] };
      const model = await readOnnx(
        onnxFile({
          inputs: [{ name: "X", type: 1, shape: ["N", 3] }],
          outputs: [{ name: "output_label", type: 8, shape: ["N"] }, { name: "output_probability" }],
          nodes: [
            {
              op: "LinearClassifier",
              domain: ml,
              inputs: ["X"],
              outputs: ["label", "raw"],
              attributes: [
                { name: "coefficients", floats: coefficients },
                { name: "intercepts", floats: intercepts },
                labels,
                { name: "post_transform", s: "LOGISTIC" },
              ],
            },
            {
              op: "Normalizer",
              domain: ml,
              inputs: ["raw"],
              outputs: ["probabilities"],
              attributes: [{ name: "norm", s: "L1" }],
            },
            { op: "Identity", inputs: ["label"], outputs: ["output_label"] },
            {
              op: "ZipMap",
              domain: ml,
              inputs: ["probabilities"],
              outputs: ["output_probability"],
              attributes: [labels],
            },
          ],
        }),
      );
      expect(model.outputs).toEqual(["bad", "good"]);
      const scores = await model.predict(rows, 1);
      const [a, b, c] = rows.data as unknown as [number, number, number];
      expect(scores[0]).toBeCloseTo(sigma(a - 2 * b + 0.5 * c + 0.25), 6);
      expect(model.structure!(1)).toMatchObject({ kind: "linear", link: "logistic" });
      expect((await checkModel(model, rows)).filter((law) => !law.ok)).toEqual([]);
      await model.close();
    },
  );
});

describe("tree ensembles", () => {
  const small = LEAVES.map((leaf, l) => ({ ...leaf, id: 0, w: 0.1 * (l + 1) }));
  const mixed = LEAVES.map((leaf, l) => ({ ...leaf, id: 0, w: 0.5 - 0.3 * l }));
  const perClass = LEAVES.flatMap((leaf, l) =>
    [0, 1, 2].map((id) => ({ ...leaf, id, w: Math.sin(3 * l + id) })),
  );
  const holed = { ...rows, data: rows.data.map((v, at) => (at % 7 === 0 ? Number.NaN : v)) };
  const modes = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GT", "BRANCH_GTE"];

  test.each(modes.flatMap((mode) => ["NONE", "LOGISTIC"].map((post) => [mode, post] as const)))(
    "classifier with %s and %s: the structure gives the runtime's scores, missing values included",
    async (mode, post) => {
      const weights = post === "NONE" ? small : mixed;
      const model = await readOnnx(
        ensembleFile(ensembleNode({ op: "TreeEnsembleClassifier", mode, post, weights })),
      );
      const trees = model.structure!(1) as Trees;
      expect(trees.link).toBe(post === "NONE" ? "identity" : "logistic");
      const told = predictTrees(trees, holed);
      const scores = await model.predict(holed, 1);
      scores.forEach((p, i) => {
        expect(p).toBeCloseTo(post === "NONE" ? told[i]! : sigma(told[i]!), 6);
      });
      expect((await checkModel(model, rows)).filter((law) => !law.ok)).toEqual([]);
      await model.close();
    },
  );

  test("three classes with SOFTMAX", async () => {
    const node = ensembleNode({
      op: "TreeEnsembleClassifier",
      weights: perClass,
      post: "SOFTMAX",
      labels: [10, 20, 30],
    });
    const file = onnxFile({
      inputs: [{ name: "X", type: 1, shape: ["N", 3] }],
      outputs: [
        { name: "label", type: 7, shape: ["N"] },
        { name: "probabilities", type: 1, shape: ["N", 3] },
      ],
      nodes: [node],
    });
    const model = await readOnnx(file);
    expect(model.outputs).toEqual(["10", "20", "30"]);
    expect(model.structure!(2)).toMatchObject({ kind: "trees", link: "softmax" });
    expect((await checkModel(model, rows)).filter((law) => !law.ok)).toEqual([]);
    await model.close();
  });

  test.each(["SUM", "AVERAGE"])("regressor with %s and a base value", async (aggregate) => {
    const extra: Attribute[] = [
      { name: "aggregate_function", s: aggregate },
      { name: "base_values", floats: [2] },
    ];
    const model = await readOnnx(
      ensembleFile(ensembleNode({ op: "TreeEnsembleRegressor", weights: mixed, extra })),
    );
    expect(model.outputs).toEqual(["score"]);
    expect(model.structure!(0)).toMatchObject({ kind: "trees", link: "identity", base: 2 });
    expect((await checkModel(model, rows)).filter((law) => !law.ok)).toEqual([]);
    await model.close();
  });

  test.each([0, 1, 2, 3].flatMap((mode) => [0, 1, 2].map((post) => [mode, post] as const)))(
    "ai.onnx.ml 5, mode %i, post-transform %i: the structure gives the runtime's scores, missing values included",
    async (mode, post) => {
      const weights = [0.9, -0.4, 0.2, 0.7, -1.1];
      const targets = post > 0 ? [0, 1, 2, 1, 0] : [0, 0, 0, 0, 0];
      const extra: Attribute[] = [{ name: "post_transform", i: post }];
      const model = await readOnnx(
        rootedFile(rootedNode({ weights, targets, mode, extra }), Math.max(...targets) + 1),
      );
      const trees = model.outputs.map((_, o) => model.structure!(o) as Trees);
      expect(trees[0]!.link).toBe(["identity", "logistic", "softmax"][post]);
      const margins = trees.map((one) => predictTrees(one, holed));
      for (const o of model.outputs.keys()) {
        const scores = await model.predict(holed, o);
        scores.forEach((score, i) => {
          const own = margins.map((told) => Math.exp(told[i]!));
          const total = own.reduce((sum, one) => sum + one, 0);
          const told = [margins[o]![i]!, sigma(margins[o]![i]!), own[o]! / total][post]!;
          expect(score).toBeCloseTo(told, 6);
        });
      }
      await model.close();
    },
  );

  test("ai.onnx.ml 5: averages count the trees; sets of members score, but have no structure", async () => {
    const weights = [0.9, -0.4, 0.2, 0.7, -1.1];
    const extra: Attribute[] = [{ name: "aggregate_function", i: 0 }];
    const model = await readOnnx(rootedFile(rootedNode({ weights, extra })));
    const trees = model.structure!(0) as Trees;
    const scores = await model.predict(rows, 0);
    predictTrees(trees, rows).forEach((told, i) => {
      expect(scores[i]).toBeCloseTo(told, 6);
    });
    await model.close();
    const members: Attribute[] = [
      { name: "nodes_modes", tensor: { name: "", shape: [3], bytes: [6, 0, 0] } },
      {
        name: "membership_values",
        tensor: { name: "", shape: [3], floats: [1, 2, Number.NaN] },
      },
    ];
    const sets = await readOnnx(rootedFile(rootedNode({ weights, extra: members })));
    expect(sets.structure!(0)).toBeUndefined();
    expect((await sets.predict(rows, 0)).every(Number.isFinite)).toBe(true);
    await sets.close();
  });

  test("an aggregate that is not a sum has no structure, but scores", async () => {
    const extra: Attribute[] = [{ name: "aggregate_function", s: "MAX" }];
    const model = await readOnnx(
      ensembleFile(ensembleNode({ op: "TreeEnsembleRegressor", weights: mixed, extra })),
    );
    expect(model.structure!(0)).toBeUndefined();
    expect((await model.predict(rows)).every(Number.isFinite)).toBe(true);
    await model.close();
  });
});

describe("inputs and outputs", () => {
  /** y = 1·age + 10·count + 100·flag + 1000·code(city). */
  const named: GraphSpec = {
    inputs: [
      { name: "age", type: 11, shape: ["N", 1] },
      { name: "count", type: 7, shape: ["N", 1] },
      { name: "flag", type: 9, shape: ["N", 1] },
      { name: "city", type: 8, shape: ["N", 1] },
    ],
    outputs: [{ name: "y", type: 1, shape: ["N", 1] }],
    tensors: [{ name: "W", shape: [4, 1], floats: [1, 10, 100, 1000] }],
    nodes: [
      ...["age", "count", "flag"].map((name) => ({
        op: "Cast",
        inputs: [name],
        outputs: [`${name}_f`],
        attributes: [{ name: "to", i: 1 }],
      })),
      {
        op: "LabelEncoder",
        domain: "ai.onnx.ml",
        inputs: ["city"],
        outputs: ["city_f"],
        attributes: [
          { name: "keys_strings", strings: ["Rome", "Oslo"] },
          { name: "values_floats", floats: [1, 2] },
          { name: "default_float", f: 0 },
        ],
      },
      {
        op: "Concat",
        inputs: ["age_f", "count_f", "flag_f", "city_f"],
        outputs: ["x"],
        attributes: [{ name: "axis", i: 1 }],
      },
      { op: "MatMul", inputs: ["x", "W"], outputs: ["y"] },
    ],
  };
  const schema = {
    features: [
      { name: "age", kind: "numeric" },
      { name: "count", kind: "integer" },
      { name: "flag", kind: "boolean" },
      { name: "city", kind: "categorical", categories: ["Oslo", "Rome", "Bonn"] },
    ],
  } as const;

  test("double, int64, bool and text tensors, one per column; levels leave by their names", async () => {
    const model = await readOnnx(onnxFile(named), { schema });
    expect(model.inputs).toEqual(["age", "count", "flag", "city"]);
    const table = fromRows([
      [1.5, 2, 1, 0],
      [2.5, 3, 0, 1],
      [0, 0, 0, 2],
      [0, 0, 0, null],
    ]);
    expect(Array.from(await model.predict(table))).toEqual([2121.5, 1032.5, 0, 0]);
    expect(await codeOf(async () => model.predict(fromRows([[1, 1.5, 0, 0]])))).toBe("VALUE_INVALID");
    expect(await codeOf(async () => model.predict(fromRows([[1, null, 0, 0]])))).toBe("VALUE_INVALID");
    expect(await codeOf(async () => model.predict(fromRows([[1, 1, 0]])))).toBe("INPUT_SHAPE");
    await model.close();
  });

  test("without a schema, cells of text inputs leave as numbers are written", async () => {
    const spec = {
      ...named,
      nodes: named.nodes.map((node) =>
        node.op === "LabelEncoder"
          ? {
              ...node,
              attributes: [
                { name: "keys_strings", strings: ["7"] },
                { name: "values_floats", floats: [1] },
                { name: "default_float", f: 0 },
              ] as Attribute[],
            }
          : node,
      ),
    };
    const model = await readOnnx(onnxFile(spec));
    expect(
      Array.from(
        await model.predict(
          fromRows([
            [0, 0, 0, 7],
            [0, 0, 0, 8],
          ]),
        ),
      ),
    ).toEqual([1000, 0]);
    await model.close();
  });

  test("labels alone, 64-bit, are scores; text alone is refused", async () => {
    const labels = (type: number): Uint8Array =>
      onnxFile({
        inputs: [{ name: "X", type: 1, shape: ["N", 3] }],
        outputs: [{ name: "label", type, shape: ["N"] }],
        nodes: [
          {
            op: "ArgMax",
            inputs: ["X"],
            outputs: ["best"],
            attributes: [
              { name: "axis", i: 1 },
              { name: "keepdims", i: 0 },
            ],
          },
          type === 7
            ? { op: "Identity", inputs: ["best"], outputs: ["label"] }
            : { op: "Cast", inputs: ["best"], outputs: ["label"], attributes: [{ name: "to", i: 8 }] },
        ],
      });
    const model = await readOnnx(labels(7));
    expect(
      Array.from(
        await model.predict(
          fromRows([
            [0, 5, 1],
            [0, 1, 9],
          ]),
        ),
      ),
    ).toEqual([1, 2]);
    await model.close();
    expect(await codeOf(() => readOnnx(labels(8)))).toBe("MODEL_FILE_UNSUPPORTED");
  });

  test("a graph made for batches of two gets batches of two", async () => {
    const spec: GraphSpec = {
      inputs: [{ name: "X", type: 1, shape: [2, 3] }],
      outputs: [{ name: "y", type: 1, shape: [2, 1] }],
      tensors: [{ name: "W", shape: [3, 1], floats: [1, 1, 1] }],
      nodes: [{ op: "MatMul", inputs: ["X", "W"], outputs: ["y"] }],
    };
    const model = await readOnnx(onnxFile(spec));
    expect(
      Array.from(
        await model.predict(
          fromRows([
            [1, 0, 0],
            [2, 0, 0],
            [3, 0, 0],
          ]),
        ),
      ),
    ).toEqual([1, 2, 3]);
    await model.close();
  });

  test("the output is chosen by name, and named outputs are checked", async () => {
    const spec: GraphSpec = {
      inputs: [{ name: "X", type: 1, shape: ["N", 3] }],
      outputs: [
        { name: "a", type: 1, shape: ["N", 3] },
        { name: "probability", type: 1, shape: ["N", 3] },
      ],
      nodes: [
        { op: "Neg", inputs: ["X"], outputs: ["a"] },
        { op: "Identity", inputs: ["X"], outputs: ["probability"] },
      ],
    };
    const one = fromRows([[1, 2, 3]]);
    const chosen = await readOnnx(onnxFile(spec));
    expect(Array.from(await chosen.predict(one, 2))).toEqual([3]);
    const named = await readOnnx(onnxFile(spec), { output: "a", outputs: ["x", "y", "z"] });
    expect(named.outputs).toEqual(["x", "y", "z"]);
    expect(Array.from(await named.predict(one, 2))).toEqual([-3]);
    expect(await codeOf(() => readOnnx(onnxFile(spec), { output: "b" }))).toBe("OPTION_INVALID");
    expect(await codeOf(() => readOnnx(onnxFile(spec), { outputs: ["x"] }))).toBe("OPTION_INVALID");
    await Promise.all([chosen.close(), named.close()]);
  });
});

describe("files that lie", () => {
  test.each<[string, string, Uint8Array]>([
    [
      "an operator nobody knows",
      "MODEL_FILE_INVALID",
      onnxFile({
        inputs: [{ name: "X", type: 1, shape: ["N", 2] }],
        outputs: [{ name: "Y", type: 1 }],
        nodes: [{ op: "NoSuchOp", inputs: ["X"], outputs: ["Y"] }],
      }),
    ],
    [
      "a cycle of operators",
      "MODEL_FILE_INVALID",
      onnxFile({
        inputs: [{ name: "X", type: 1, shape: ["N", 2] }],
        outputs: [{ name: "Y", type: 1 }],
        nodes: [
          { op: "Add", inputs: ["X", "Z"], outputs: ["Y"] },
          { op: "Neg", inputs: ["Y"], outputs: ["Z"] },
        ],
      }),
    ],
    [
      "a batch of a billion rows",
      "MODEL_FILE_INVALID",
      onnxFile({
        inputs: [{ name: "X", type: 1, shape: [1e9, 2] }],
        outputs: [{ name: "Y", type: 1 }],
        nodes: [{ op: "Neg", inputs: ["X"], outputs: ["Y"] }],
      }),
    ],
    [
      "pictures",
      "MODEL_FILE_UNSUPPORTED",
      onnxFile({
        inputs: [{ name: "X", type: 1, shape: ["N", 3, 8, 8] }],
        outputs: [{ name: "Y", type: 1 }],
        nodes: [{ op: "Neg", inputs: ["X"], outputs: ["Y"] }],
      }),
    ],
    ["a pickle", "MODEL_FILE_UNSUPPORTED", Uint8Array.of(0x80, 5, 0x95)],
  ])("%s → %s", async (_what, code, bytes) => {
    expect(await codeOf(() => readOnnx(bytes))).toBe(code);
  });

  test("trees that read beyond the row never reach the runtime", async () => {
    const weights = LEAVES.map((leaf) => ({ ...leaf, id: 0, w: 0.1 }));
    const node = ensembleNode({ op: "TreeEnsembleClassifier", weights });
    const free = onnxFile({
      inputs: [{ name: "X", type: 1, shape: ["N", "D"] }],
      outputs: [{ name: "probabilities", type: 1, shape: ["N", 2] }],
      nodes: [node],
    });
    const model = await readOnnx(free);
    expect(await codeOf(async () => model.predict(fromRows([[1, 2]])))).toBe("INPUT_SHAPE");
    await model.close();
  });

  test(`${FUZZ_RUNS} mutated files give a ColaError or a working model`, async () => {
    const random = stream(60, "fuzz");
    const weights = LEAVES.map((leaf) => ({ ...leaf, id: 0, w: 0.1 }));
    const files = [
      gemmFile([1, 2, 3], 0.5),
      ensembleFile(ensembleNode({ op: "TreeEnsembleClassifier", weights })),
      rootedFile(rootedNode({ weights: [1, 2, 3, 4, 5] })),
    ];
    let models = 0;
    for (let run = 0; run < FUZZ_RUNS; run++) {
      const bytes = mutate(random, files[run % files.length]!);
      const model = await survives(() => readOnnx(bytes));
      if (!model) continue;
      models++;
      const scores = await survives(() => model.predict(rows));
      expect(scores?.length ?? rows.rows).toBe(rows.rows);
      await model.close();
    }
    expect(models).toBeGreaterThan(0);
  });

  test(`${FUZZ_RUNS} changed ensembles of ai.onnx.ml 5 are refused with a code, or score as their structure does`, async () => {
    const random = stream(61, "attributes");
    const [ids, numbers] = [
      [0, 1, 2, 3, 4, 5, -1, 2 ** 31],
      [0.5, -0.25, 1.5, 0, -0, 1e-40, 3e38, Number.NaN, Number.POSITIVE_INFINITY],
    ];
    const one = <T>(values: readonly T[]): T => values[random.int(values.length)]!;
    const changed = (list: readonly number[], values: readonly number[]): number[] => {
      const at = random.int(list.length);
      const kind = random.int(6);
      if (kind === 4) return list.slice(0, -1);
      return kind === 5 ? [...list, one(values)] : list.with(at, one(values));
    };
    const cells = rows.data.map((v, at) =>
      at % 7 === 0 ? Number.NaN : at % 5 === 0 ? one([0.5, -0.25, 1.5, 0]) : v,
    );
    const holed = { ...rows, data: cells }; // gaps, and numbers that are cuts
    let compared = 0;
    for (let run = 0; run < FUZZ_RUNS; run++) {
      const node = rootedNode({ weights: [1, -2, 3.5, 4, 5.25], mode: run % 6 });
      const attributes = [...node.attributes!];
      for (let t = 0; t <= random.int(2); t++) {
        const k = random.int(attributes.length);
        const { name, ints, tensor } = attributes[k] as Extract<Attribute, { ints: unknown }> &
          Extract<Attribute, { tensor: unknown }>;
        if (ints) attributes[k] = { name, ints: changed(ints, ids) };
        else if (tensor?.floats) {
          const floats = changed(tensor.floats, numbers);
          attributes[k] = { name, tensor: { ...tensor, shape: [floats.length], floats } };
        } else if (tensor?.bytes) {
          attributes[k] = { name, tensor: { ...tensor, bytes: changed(tensor.bytes, ids).slice(0, 3) } };
        }
      }
      const model = await survives(() => readOnnx(rootedFile({ ...node, attributes })));
      if (!model) continue;
      const trees = model.structure!(0);
      const scores = await survives(() => model.predict(holed, 0));
      if (scores && trees?.kind === "trees") {
        const told = predictTrees(trees, holed);
        scores.forEach((score, i) => {
          expect(Math.abs(score - told[i]!)).toBeLessThanOrEqual(1e-5 * Math.max(1, Math.abs(score)));
        });
        compared++;
      }
      await model.close();
    }
    expect(compared).toBeGreaterThan(FUZZ_RUNS / 20);
  });
});
