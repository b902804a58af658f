import { describe, expect, test } from "vitest";
import { isColaError } from "../../src/errors.ts";
import { stream } from "../../src/num/random.ts";
import { readOnnxGraph } from "../../src/read/onnx-graph.ts";
import { onnxStructure } from "../../src/read/onnx-structure.ts";
import { openMessage } from "../../src/read/protobuf.ts";
import type { LinearStructure, Trees } from "../../src/types.ts";
import { FUZZ_RUNS, mutate, survives } from "../support/fuzz.ts";
import {
  body,
  concat,
  ensembleFile,
  ensembleNode,
  type GraphSpec,
  gemmFile,
  LEAVES,
  onnxFile,
  onnxGraph,
  rootedFile,
  rootedNode,
  text,
  whole,
} from "../support/onnx-files.ts";

const codeOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (isColaError(error)) return error.code;
    throw error;
  }
  return "nothing was thrown";
};

const plain: GraphSpec = {
  inputs: [{ name: "X", type: 1, shape: ["N", 2] }],
  outputs: [{ name: "Y", type: 1, shape: ["N", 2] }],
  nodes: [{ op: "Identity", inputs: ["X"], outputs: ["Y"] }],
};
const withNode = (node: GraphSpec["nodes"][number]): Uint8Array => onnxFile({ ...plain, nodes: [node] });
const withTensor = (tensor: NonNullable<GraphSpec["tensors"]>[number]): Uint8Array =>
  onnxFile({ ...plain, tensors: [tensor] });
const weights = LEAVES.map((leaf, l) => ({ ...leaf, id: 0, w: 0.1 * (l + 1) }));

describe("reading", () => {
  test("names, types, shapes and constants", () => {
    const graph = readOnnxGraph(gemmFile([1, 2, 3], 0.5));
    expect(graph.inputs).toEqual([{ name: "X", type: "float", shape: [undefined, 3] }]);
    expect(graph.outputs).toEqual([{ name: "probability", type: "float", shape: [undefined, 1] }]);
    expect([...graph.constants.keys()]).toEqual(["W", "b"]);
    expect(graph.nodes.map((node) => node.op)).toEqual(["Gemm", "Sigmoid"]);
  });

  test("inputs that are constants need not be fed", () => {
    const spec: GraphSpec = {
      ...plain,
      inputs: [...plain.inputs, { name: "c", type: 1, shape: [2] }],
      tensors: [{ name: "c", shape: [2], floats: [1, 2] }],
    };
    expect(readOnnxGraph(onnxFile(spec)).inputs.map((input) => input.name)).toEqual(["X"]);
  });

  test("a ZipMap is dropped, its tensor takes the place of its output and keeps the class names", () => {
    const spec: GraphSpec = {
      inputs: plain.inputs,
      outputs: [{ name: "label", type: 7, shape: ["N"] }, { name: "maps" }],
      nodes: [
        { op: "Identity", inputs: ["X"], outputs: ["scores"] },
        { op: "ArgMax", inputs: ["X"], outputs: ["label"] },
        {
          op: "ZipMap",
          domain: "ai.onnx.ml",
          inputs: ["scores"],
          outputs: ["maps"],
          attributes: [{ name: "classlabels_strings", strings: ["bad", "good"] }],
        },
      ],
    };
    const graph = readOnnxGraph(onnxFile(spec));
    expect(graph.outputs.map((output) => output.name)).toEqual(["label", "scores"]);
    expect(graph.classes.get("scores")).toEqual(["bad", "good"]);
    const again = readOnnxGraph(graph.bytes);
    expect(again.nodes.map((node) => node.op)).toEqual(["Identity", "ArgMax"]);
    expect(again.outputs.map((output) => output.name)).toEqual(["label", "scores"]);
    const used = { ...spec, nodes: [...spec.nodes, { op: "Identity", inputs: ["maps"], outputs: ["more"] }] };
    expect(codeOf(() => readOnnxGraph(onnxFile(used)))).toBe("MODEL_FILE_UNSUPPORTED");
  });

  test("negative numbers and packed lists", () => {
    const message = openMessage(
      "test",
      concat(whole(8, -5), whole(8, 300), body(8, Uint8Array.of(1, 0xac, 2))),
    );
    expect(Array.from(message.wholes(8))).toEqual([-5, 300, 1, 300]);
  });
});

describe("structure", () => {
  test("Gemm and Sigmoid is a logistic model", () => {
    const graph = readOnnxGraph(gemmFile([1, -2, 3], 0.5));
    const [only] = onnxStructure(graph, "probability", 3) as LinearStructure[];
    expect(only).toMatchObject({ kind: "linear", link: "logistic", intercept: 0.5 });
    expect(Array.from(only!.weights)).toEqual([1, -2, 3]);
  });

  test("a scaler, MatMul, Add and Softmax fold into one linear map per class", () => {
    const graph = readOnnxGraph(
      onnxFile({
        inputs: [{ name: "X", type: 1, shape: ["N", 2] }],
        outputs: [{ name: "p", type: 1, shape: ["N", 2] }],
        tensors: [
          { name: "W", shape: [2, 2], floats: [1, 2, 3, 4] },
          { name: "b", shape: [1, 2], floats: [10, 20] },
        ],
        nodes: [
          {
            op: "Scaler",
            domain: "ai.onnx.ml",
            inputs: ["X"],
            outputs: ["s"],
            attributes: [
              { name: "offset", floats: [1, 2] },
              { name: "scale", floats: [0.5, 2] },
            ],
          },
          { op: "MatMul", inputs: ["s", "W"], outputs: ["m"] },
          { op: "Add", inputs: ["m", "b"], outputs: ["a"] },
          { op: "Softmax", inputs: ["a"], outputs: ["p"] },
        ],
      }),
    );
    const [first, second] = onnxStructure(graph, "p", 2) as LinearStructure[];
    expect(Array.from(first!.weights)).toEqual([0.5, 6]);
    expect(first!.intercept).toBe(10 - 0.5 - 12);
    expect(Array.from(second!.weights)).toEqual([1, 8]);
    expect(second!.link).toBe("softmax");
  });

  test("separate inputs joined in another order keep their columns", () => {
    const graph = readOnnxGraph(
      onnxFile({
        inputs: ["a", "b", "c"].map((name) => ({ name, type: 1, shape: ["N", 1] })),
        outputs: [{ name: "y", type: 1, shape: ["N", 1] }],
        tensors: [{ name: "W", shape: [3, 1], floats: [1, 2, 3] }],
        nodes: [
          { op: "Concat", inputs: ["c", "a", "b"], outputs: ["x"], attributes: [{ name: "axis", i: 1 }] },
          { op: "MatMul", inputs: ["x", "W"], outputs: ["y"] },
        ],
      }),
    );
    const [only] = onnxStructure(graph, "y", 3) as LinearStructure[];
    expect(Array.from(only!.weights)).toEqual([2, 3, 1]);
  });

  test("an ensemble with one weight per leaf is a forest and its complement", () => {
    const graph = readOnnxGraph(ensembleFile(ensembleNode({ op: "TreeEnsembleClassifier", weights })));
    const [other, own] = onnxStructure(graph, "probabilities", 3) as Trees[];
    expect(own).toMatchObject({ base: 0, link: "identity", inclusive: true, float32: true });
    expect(other!.base).toBe(1);
    expect(Array.from(other!.value)).toEqual(Array.from(own!.value, (v) => 0 - v));
  });

  test("a factor of 1 behind an ensemble is looked through, any other is not", () => {
    for (const [factor, kind] of [
      [1, "trees"],
      [2, undefined],
    ] as const) {
      const node = ensembleNode({ op: "TreeEnsembleClassifier", weights });
      const graph = readOnnxGraph(
        onnxFile({
          inputs: [{ name: "X", type: 1, shape: ["N", 3] }],
          outputs: [{ name: "Y", type: 1, shape: ["N", 2] }],
          tensors: [{ name: "one", shape: [1], floats: [factor] }],
          nodes: [node, { op: "Mul", inputs: ["probabilities", "one"], outputs: ["Y"] }],
        }),
      );
      expect(onnxStructure(graph, "Y", 3)?.[0]?.kind).toBe(kind);
    }
  });

  test("comparisons that cannot be told as ours, and hidden layers, have no structure", () => {
    const graph = readOnnxGraph(
      ensembleFile(ensembleNode({ op: "TreeEnsembleClassifier", weights, mode: "BRANCH_EQ" })),
    );
    expect(onnxStructure(graph, "probabilities", 3)).toBeUndefined();
    const relu = withNode({ op: "Relu", inputs: ["X"], outputs: ["Y"] });
    expect(onnxStructure(readOnnxGraph(relu), "Y", 2)).toBeUndefined();
  });
});

describe("files that lie", () => {
  const changedEnsemble = (name: string, value: object): Uint8Array => {
    const node = ensembleNode({ op: "TreeEnsembleClassifier", weights });
    const attributes = node.attributes!.map((attribute) =>
      attribute.name === name ? { name, ...value } : attribute,
    );
    return ensembleFile({ ...node, attributes: attributes as typeof node.attributes & object });
  };

  test.each<[string, string, Uint8Array]>([
    [
      "external data",
      "MODEL_FILE_UNSUPPORTED",
      withTensor({ name: "w", shape: [2], external: "../../etc/passwd" }),
    ],
    [
      "a foreign domain",
      "MODEL_FILE_UNSUPPORTED",
      withNode({ op: "Evil", domain: "com.evil", inputs: ["X"], outputs: ["Y"] }),
    ],
    ["a loop", "MODEL_FILE_UNSUPPORTED", withNode({ op: "Loop", inputs: ["X"], outputs: ["Y"] })],
    [
      "a loop inside a branch",
      "MODEL_FILE_UNSUPPORTED",
      withNode({
        op: "If",
        inputs: ["X"],
        outputs: ["Y"],
        attributes: [
          {
            name: "then_branch",
            graph: onnxGraph({ ...plain, nodes: [{ op: "Scan", inputs: ["X"], outputs: ["Y"] }] }),
          },
        ],
      }),
    ],
    [
      "an ensemble without nodes",
      "MODEL_FILE_INVALID",
      withNode({ op: "TreeEnsemble", domain: "ai.onnx.ml", inputs: ["X"], outputs: ["Y"] }),
    ],
    ...(
      [
        ["trees that share a node", { name: "tree_roots", ints: [0, 0] }],
        ["a tree that is a circle", { name: "nodes_falsenodeids", ints: [1, 1, 4] }],
        ["a leaf that is not there", { name: "nodes_truenodeids", ints: [0, 2, 9] }],
        ["a root that is not there", { name: "tree_roots", ints: [0, 7] }],
        ["lists of different lengths", { name: "nodes_trueleafs", ints: [1, 1] }],
        ["a mode nobody knows", { name: "nodes_modes", tensor: { name: "", shape: [3], bytes: [0, 9, 0] } }],
        ["leaves without targets", { name: "leaf_targetids", ints: [0] }],
        ["no trees", { name: "tree_roots", ints: [] }],
      ] as const
    ).map(([what, attribute]): [string, string, Uint8Array] => [
      `ai.onnx.ml 5 with ${what}`,
      "MODEL_FILE_INVALID",
      rootedFile(rootedNode({ weights: [1, 2, 3, 4, 5], extra: [attribute] })),
    ]),
    ["functions of its own", "MODEL_FILE_UNSUPPORTED", concat(onnxFile(plain), body(25, text(1, "f")))],
    [
      "a constant larger than its data",
      "MODEL_FILE_INVALID",
      withTensor({ name: "w", shape: [1000], floats: [1] }),
    ],
    [
      "a constant of 2^60 elements",
      "MODEL_FILE_INVALID",
      withTensor({ name: "w", shape: [2 ** 30, 2 ** 30], floats: [1] }),
    ],
    ["a negative size", "MODEL_FILE_INVALID", withTensor({ name: "w", shape: [-1], floats: [1] })],
    [
      "a constant blown up",
      "MODEL_FILE_INVALID",
      onnxFile({
        ...plain,
        tensors: [{ name: "s", shape: [2], ints: [2 ** 30, 2 ** 30] }],
        nodes: [{ op: "ConstantOfShape", inputs: ["s"], outputs: ["Y"] }],
      }),
    ],
    [
      "a cycle in a tree",
      "MODEL_FILE_INVALID",
      changedEnsemble("nodes_truenodeids", { ints: [1, 0, 0, 0, 0, 3, 0, 0] }),
    ],
    [
      "a child that is not there",
      "MODEL_FILE_INVALID",
      changedEnsemble("nodes_falsenodeids", { ints: [77, 0, 0, 2, 0, 4, 0, 0] }),
    ],
    [
      "a negative column",
      "MODEL_FILE_INVALID",
      changedEnsemble("nodes_featureids", { ints: [-1, 0, 0, 1, 0, 2, 0, 0] }),
    ],
    [
      "node lists of different length",
      "MODEL_FILE_INVALID",
      changedEnsemble("nodes_values", { floats: [1, 2] }),
    ],
    [
      "an unknown node mode",
      "MODEL_FILE_INVALID",
      changedEnsemble("nodes_modes", { strings: Array(8).fill("BRANCH_MAYBE") }),
    ],
    [
      "a node twice",
      "MODEL_FILE_INVALID",
      changedEnsemble("nodes_nodeids", { ints: [0, 1, 1, 0, 1, 2, 3, 4] }),
    ],
    [
      "a tree in two places",
      "MODEL_FILE_INVALID",
      changedEnsemble("nodes_treeids", { ints: [0, 0, 0, 1, 1, 1, 1, 0] }),
    ],
    [
      "weights at no node",
      "MODEL_FILE_INVALID",
      changedEnsemble("class_nodeids", { ints: [1, 2, 1, 3, 99] }),
    ],
    ["no graph", "MODEL_FILE_INVALID", whole(1, 7)],
    ["half a file", "MODEL_FILE_INVALID", gemmFile([1, 2], 0).slice(0, 40)],
    ["nothing", "MODEL_FILE_INVALID", new Uint8Array(0)],
    ["text", "OPTION_INVALID", "onnx" as unknown as Uint8Array],
    [
      "a torch file",
      "MODEL_FILE_UNSUPPORTED",
      new TextEncoder().encode("PK\u0003\u0004....archive/data.pkl"),
    ],
  ])("%s → %s", (_what, code, bytes) => {
    expect(codeOf(() => readOnnxGraph(bytes))).toBe(code);
  });

  test("limits of bytes and nodes, and domains the user allows", () => {
    expect(codeOf(() => readOnnxGraph(onnxFile(plain), { maxBytes: 10 }))).toBe("SIZE_LIMIT");
    const nodes = Array.from({ length: 20 }, (_, n) => ({
      op: "Identity",
      inputs: [n ? `t${n}` : "X"],
      outputs: [`t${n + 1}`],
    }));
    expect(() => readOnnxGraph(onnxFile({ ...plain, nodes }), { maxNodes: 10 })).toThrow(/maxNodes = 10/);
    const foreign = withNode({ op: "FusedGemm", domain: "com.microsoft", inputs: ["X"], outputs: ["Y"] });
    expect(codeOf(() => readOnnxGraph(foreign))).toBe("MODEL_FILE_UNSUPPORTED");
    expect(readOnnxGraph(foreign, { domains: ["com.microsoft"] }).nodes).toHaveLength(1);
  });

  test("a file of a million empty nodes is refused before they are listed", () => {
    const empty = new Uint8Array(2e6).map((_, at) => (at % 2 === 0 ? 0x0a : 0));
    const bytes = concat(whole(1, 7), body(8, whole(2, 13)), Uint8Array.of(0x3a, 0x80, 0x89, 0x7a));
    const file = new Uint8Array(bytes.length + empty.length);
    file.set(bytes);
    file.set(empty, bytes.length);
    expect(() => readOnnxGraph(file)).toThrow(/more than 131072 fields of one kind/);
  });

  test("subgraphs nested without end are refused", () => {
    let graph = onnxGraph(plain);
    for (let depth = 0; depth < 20; depth++) {
      graph = onnxGraph({
        ...plain,
        nodes: [{ op: "If", inputs: ["X"], outputs: ["Y"], attributes: [{ name: "then_branch", graph }] }],
      });
    }
    const bytes = concat(whole(1, 7), body(7, graph), body(8, whole(2, 13)));
    expect(() => readOnnxGraph(bytes)).toThrow(/nests subgraphs/);
  });

  test(`${FUZZ_RUNS} mutated files give a ColaError or a graph`, async () => {
    const random = stream(50, "fuzz");
    const files = [
      gemmFile([1, 2, 3], 0.5),
      ensembleFile(ensembleNode({ op: "TreeEnsembleClassifier", weights })),
      rootedFile(rootedNode({ weights: [1, 2, 3, 4, 5] })),
    ];
    let graphs = 0;
    for (let run = 0; run < FUZZ_RUNS; run++) {
      const bytes = mutate(random, files[run % files.length]!);
      const graph = await survives(() => readOnnxGraph(bytes));
      if (!graph) continue;
      graphs++;
      for (const output of graph.outputs) await survives(() => onnxStructure(graph, output.name, 3));
    }
    expect(graphs).toBeGreaterThan(0);
  });
});
