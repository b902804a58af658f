/** Writes ONNX files, just enough of the format for tests. */

export type Attribute =
  | { readonly name: string; readonly f: number }
  | { readonly name: string; readonly i: number }
  | { readonly name: string; readonly s: string }
  | { readonly name: string; readonly floats: readonly number[] }
  | { readonly name: string; readonly ints: readonly number[] }
  | { readonly name: string; readonly strings: readonly string[] }
  | { readonly name: string; readonly tensor: TensorSpec }
  | { readonly name: string; readonly graph: Uint8Array };

export interface NodeSpec {
  readonly op: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly domain?: string;
  readonly attributes?: readonly Attribute[];
}

export interface ValueSpec {
  readonly name: string;
  /** Element type by number: 1 float, 7 int64, 8 string, 9 bool, 11 double. Absent: no type. */
  readonly type?: number;
  readonly shape?: readonly (number | string)[];
}

export interface TensorSpec {
  readonly name: string;
  readonly shape: readonly number[];
  readonly floats?: readonly number[];
  readonly ints?: readonly number[];
  /** Elements of one byte. */
  readonly bytes?: readonly number[];
  readonly external?: string;
}

export interface GraphSpec {
  readonly nodes: readonly NodeSpec[];
  readonly inputs: readonly ValueSpec[];
  readonly outputs: readonly ValueSpec[];
  readonly tensors?: readonly TensorSpec[];
  /** Version of the operators of ai.onnx.ml; default 2. */
  readonly ml?: number;
}

export function onnxFile(graph: GraphSpec): Uint8Array {
  return concat(
    whole(1, 7),
    body(7, onnxGraph(graph)),
    body(8, concat(text(1, ""), whole(2, 13))),
    body(8, concat(text(1, "ai.onnx.ml"), whole(2, graph.ml ?? 2))),
  );
}

export function onnxGraph(graph: GraphSpec): Uint8Array {
  return concat(
    ...graph.nodes.map((node) => body(1, nodeBody(node))),
    text(2, "g"),
    ...(graph.tensors ?? []).map((tensor) => body(5, tensorBody(tensor))),
    ...graph.inputs.map((value) => body(11, valueBody(value))),
    ...graph.outputs.map((value) => body(12, valueBody(value))),
  );
}

function nodeBody(node: NodeSpec): Uint8Array {
  return concat(
    ...node.inputs.map((name) => text(1, name)),
    ...node.outputs.map((name) => text(2, name)),
    text(4, node.op),
    ...(node.attributes ?? []).map((attribute) => body(5, attributeBody(attribute))),
    ...(node.domain ? [text(7, node.domain)] : []),
  );
}

function attributeBody(a: Attribute): Uint8Array {
  if ("f" in a) return concat(text(1, a.name), fixed(2, a.f), whole(20, 1));
  if ("i" in a) return concat(text(1, a.name), whole(3, a.i), whole(20, 2));
  if ("s" in a) return concat(text(1, a.name), text(4, a.s), whole(20, 3));
  if ("tensor" in a) return concat(text(1, a.name), body(5, tensorBody(a.tensor)), whole(20, 4));
  if ("graph" in a) return concat(text(1, a.name), body(6, a.graph), whole(20, 5));
  if ("floats" in a) return concat(text(1, a.name), ...a.floats.map((v) => fixed(7, v)), whole(20, 6));
  if ("ints" in a) return concat(text(1, a.name), ...a.ints.map((v) => whole(8, v)), whole(20, 7));
  return concat(text(1, a.name), ...a.strings.map((v) => text(9, v)), whole(20, 8));
}

function tensorBody(tensor: TensorSpec): Uint8Array {
  const floats = tensor.floats && body(9, new Uint8Array(Float32Array.from(tensor.floats).buffer));
  return concat(
    ...tensor.shape.map((size) => whole(1, size)),
    whole(2, tensor.bytes ? 2 : tensor.ints ? 7 : 1),
    text(8, tensor.name),
    floats ?? (tensor.bytes ? body(9, Uint8Array.from(tensor.bytes)) : new Uint8Array(0)),
    ...(tensor.ints ?? []).map((v) => whole(7, v)),
    ...(tensor.external === undefined
      ? []
      : [body(13, concat(text(1, "location"), text(2, tensor.external))), whole(14, 1)]),
  );
}

function valueBody(value: ValueSpec): Uint8Array {
  if (value.type === undefined) return text(1, value.name);
  const dims = (value.shape ?? ["N"]).map((d) => body(1, typeof d === "number" ? whole(1, d) : text(2, d)));
  return concat(
    text(1, value.name),
    body(2, body(1, concat(whole(1, value.type), body(2, concat(...dims))))),
  );
}

function varint(value: number): number[] {
  let rest = BigInt.asUintN(64, BigInt(value));
  const out: number[] = [];
  for (; rest >= 128n; rest >>= 7n) out.push(Number(rest & 127n) + 128);
  return [...out, Number(rest)];
}

export function whole(field: number, value: number): Uint8Array {
  return Uint8Array.from([...varint(field * 8), ...varint(value)]);
}

function fixed(field: number, value: number): Uint8Array {
  return concat(Uint8Array.from(varint(field * 8 + 5)), new Uint8Array(Float32Array.of(value).buffer));
}

export function body(field: number, bytes: Uint8Array): Uint8Array {
  return concat(Uint8Array.from([...varint(field * 8 + 2), ...varint(bytes.length)]), bytes);
}

export function text(field: number, value: string): Uint8Array {
  return body(field, new TextEncoder().encode(value));
}

export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

/** σ(w·x + b) by Gemm and Sigmoid. */
export function gemmFile(weights: readonly number[], bias: number): Uint8Array {
  return onnxFile({
    inputs: [{ name: "X", type: 1, shape: ["N", weights.length] }],
    outputs: [{ name: "probability", type: 1, shape: ["N", 1] }],
    tensors: [
      { name: "W", shape: [weights.length, 1], floats: weights },
      { name: "b", shape: [1], floats: [bias] },
    ],
    nodes: [
      { op: "Gemm", inputs: ["X", "W", "b"], outputs: ["m"] },
      { op: "Sigmoid", inputs: ["m"], outputs: ["probability"] },
    ],
  });
}

/** Lists of a TreeEnsemble node: two stumps on columns 0 and 1 and a deeper tree; leaves weigh for class `id`. */
export function ensembleNode(options: {
  readonly op: "TreeEnsembleClassifier" | "TreeEnsembleRegressor";
  readonly mode?: string;
  readonly post?: string;
  readonly weights: readonly {
    readonly tree: number;
    readonly node: number;
    readonly id: number;
    readonly w: number;
  }[];
  readonly labels?: readonly number[];
  readonly extra?: readonly Attribute[];
}): NodeSpec {
  const { op, mode = "BRANCH_LEQ", post = "NONE", weights, labels = [0, 1] } = options;
  const L = "LEAF";
  const prefix = op === "TreeEnsembleClassifier" ? "class" : "target";
  return {
    op,
    domain: "ai.onnx.ml",
    inputs: ["X"],
    outputs: op === "TreeEnsembleClassifier" ? ["label", "probabilities"] : ["variable"],
    attributes: [
      { name: "nodes_treeids", ints: [0, 0, 0, 1, 1, 1, 1, 1] },
      { name: "nodes_nodeids", ints: [0, 1, 2, 0, 1, 2, 3, 4] },
      { name: "nodes_featureids", ints: [0, 0, 0, 1, 0, 2, 0, 0] },
      { name: "nodes_values", floats: [0.5, 0, 0, -0.25, 0, 1.5, 0, 0] },
      { name: "nodes_modes", strings: [mode, L, L, mode, L, mode, L, L] },
      { name: "nodes_truenodeids", ints: [1, 0, 0, 1, 0, 3, 0, 0] },
      { name: "nodes_falsenodeids", ints: [2, 0, 0, 2, 0, 4, 0, 0] },
      { name: "nodes_missing_value_tracks_true", ints: [1, 0, 0, 0, 0, 1, 0, 0] },
      { name: "post_transform", s: post },
      ...(op === "TreeEnsembleClassifier"
        ? [{ name: "classlabels_int64s", ints: labels }]
        : [{ name: "n_targets", i: 1 }]),
      { name: `${prefix}_treeids`, ints: weights.map((w) => w.tree) },
      { name: `${prefix}_nodeids`, ints: weights.map((w) => w.node) },
      { name: `${prefix}_ids`, ints: weights.map((w) => w.id) },
      { name: `${prefix}_weights`, floats: weights.map((w) => w.w) },
      ...(options.extra ?? []),
    ],
  };
}

/** The trees of `ensembleNode` as ai.onnx.ml 5 writes them; leaf l adds weights[l] to `targets[l]`. */
export function rootedNode(options: {
  readonly weights: readonly number[];
  readonly targets?: readonly number[];
  readonly mode?: number;
  readonly extra?: readonly Attribute[];
}): NodeSpec {
  const { weights, targets = weights.map(() => 0), mode = 0, extra = [] } = options;
  const floats = (name: string, values: readonly number[]): Attribute => ({
    name,
    tensor: { name: "", shape: [values.length], floats: values },
  });
  const attributes: Attribute[] = [
    { name: "tree_roots", ints: [0, 1] },
    { name: "nodes_featureids", ints: [0, 1, 2] },
    floats("nodes_splits", [0.5, -0.25, 1.5]),
    { name: "nodes_modes", tensor: { name: "", shape: [3], bytes: [mode, mode, mode] } },
    { name: "nodes_truenodeids", ints: [0, 2, 3] },
    { name: "nodes_trueleafs", ints: [1, 1, 1] },
    { name: "nodes_falsenodeids", ints: [1, 2, 4] },
    { name: "nodes_falseleafs", ints: [1, 0, 1] },
    { name: "nodes_missing_value_tracks_true", ints: [1, 0, 1] },
    { name: "leaf_targetids", ints: targets },
    floats("leaf_weights", weights),
    { name: "n_targets", i: Math.max(...targets) + 1 },
    ...extra,
  ];
  const last = new Map(attributes.map((attribute) => [attribute.name, attribute]));
  return {
    ...{ op: "TreeEnsemble", domain: "ai.onnx.ml", inputs: ["X"], outputs: ["Y"] },
    attributes: [...last.values()],
  };
}

export function rootedFile(node: NodeSpec, targets = 1): Uint8Array {
  return onnxFile({
    ml: 5,
    inputs: [{ name: "X", type: 1, shape: ["N", 3] }],
    outputs: [{ name: "Y", type: 1, shape: ["N", targets] }],
    nodes: [node],
  });
}

export function ensembleFile(node: NodeSpec): Uint8Array {
  const classifier = node.op === "TreeEnsembleClassifier";
  return onnxFile({
    inputs: [{ name: "X", type: 1, shape: ["N", 3] }],
    outputs: classifier
      ? [
          { name: "label", type: 7, shape: ["N"] },
          { name: "probabilities", type: 1, shape: ["N", 2] },
        ]
      : [{ name: "variable", type: 1, shape: ["N", 1] }],
    nodes: [node],
  });
}

/** Leaves of the trees in `ensembleNode`. */
export const LEAVES = [
  { tree: 0, node: 1 },
  { tree: 0, node: 2 },
  { tree: 1, node: 1 },
  { tree: 1, node: 3 },
  { tree: 1, node: 4 },
];
