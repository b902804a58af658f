import { ColaError } from "../errors.ts";
import { refuseForeign } from "./foreign.ts";
import { checkEnsemble } from "./onnx-ensemble.ts";
import { ONNX, onnxInvalid, onnxUnsupported } from "./onnx-errors.ts";
import type { OnnxNode } from "./onnx-tensor.ts";
import { checkTensor, tensorNumbers } from "./onnx-tensor.ts";
import { concat, dropZipMaps } from "./onnx-zipmap.ts";
import { encodeBytes, type Message, openMessage } from "./protobuf.ts";

/** Element types of ONNX tensors, by number. */
const TYPES: Readonly<Record<number, string>> = {
  1: "float",
  2: "uint8",
  3: "int8",
  4: "uint16",
  5: "int16",
  6: "int32",
  7: "int64",
  8: "string",
  9: "bool",
  11: "double",
};

/** An input or output of the graph. */
export interface OnnxValue {
  readonly name: string;
  /** Element type; undefined where it is not a tensor or the file does not say. */
  readonly type: string | undefined;
  /** Sizes, undefined where free; undefined as a whole where the file does not say. */
  readonly shape: readonly (number | undefined)[] | undefined;
}

/** A graph opened and checked, without its ZipMaps. */
export interface OnnxGraph {
  /** Inputs that must be fed. */
  readonly inputs: readonly OnnxValue[];
  readonly outputs: readonly OnnxValue[];
  readonly nodes: readonly OnnxNode[];
  /** Constant tensors by name. */
  readonly constants: ReadonlyMap<string, Message>;
  /** Class names of the columns of an output, where the file gives them. */
  readonly classes: ReadonlyMap<string, readonly string[]>;
  /** The model to run. */
  readonly bytes: Uint8Array;
}

export interface OnnxLimits {
  /** Largest file. Default 256 MiB. */
  readonly maxBytes?: number;
  /** Most nodes, subgraphs included. Default 50,000. */
  readonly maxNodes?: number;
  /** Most elements of a constant, or of what a constant is blown up to. Default 2^26. */
  readonly maxElements?: number;
  /** Operator domains allowed beside ONNX's own two. Default none. */
  readonly domains?: readonly string[];
}

/** Reads and checks a graph before any runtime sees it; docs/MODELS.md lists what is refused. */
export function readOnnxGraph(bytes: Uint8Array, limits: OnnxLimits = {}): OnnxGraph {
  if (!(bytes instanceof Uint8Array)) {
    throw new ColaError(
      "OPTION_INVALID",
      `${ONNX}: give the bytes of the file as a Uint8Array, not ${typeof bytes}.`,
    );
  }
  refuseForeign(ONNX, bytes);
  const { maxBytes = 2 ** 28 } = limits;
  if (bytes.length > maxBytes) {
    throw new ColaError(
      "SIZE_LIMIT",
      `${ONNX}: the file has ${bytes.length} bytes, more than options.maxBytes = ${maxBytes}; raise it if you trust the file.`,
      { bytes: bytes.length, limit: maxBytes },
    );
  }
  const model = openMessage(ONNX, bytes);
  if (!model.has(7) || !model.has(8))
    throw onnxInvalid("has no graph or no operator set: it is not an ONNX model");
  if (model.has(25))
    throw onnxUnsupported("defines functions of its own", "export it with functions inlined");
  const graph = openMessage(ONNX, model.bytes(7));
  const nodes = new GraphCheck(limits).graph(graph, 0);
  const constants = constantsOf(graph, nodes);
  const { renamed, classes, graph: rewritten } = dropZipMaps(graph, nodes);
  const outputs = graph.messages(12).map(graphValue);
  const named = new Set(outputs.map((output) => output.name));
  const inputs = graph
    .messages(11)
    .map(graphValue)
    .filter((input) => !constants.has(input.name));
  if (inputs.length === 0 || outputs.length === 0) throw onnxInvalid("has no inputs or no outputs");
  return {
    inputs,
    outputs: outputs.flatMap((output) => {
      const tensor = renamed.get(output.name);
      if (tensor === undefined) return [output];
      return named.has(tensor) ? [] : [{ name: tensor, type: undefined, shape: undefined }];
    }),
    nodes: nodes.filter((node) => node.op !== "ZipMap"),
    constants,
    classes,
    bytes: rewritten ? withGraph(model, rewritten) : bytes,
  };
}

/** Operators whose result has the shape a constant states: where that constant is. */
const SHAPED: Readonly<Record<string, number>> = { ConstantOfShape: 0, Expand: 1, Tile: 1 };

/** Refuses, over a graph and its subgraphs, what must not reach the runtime. */
class GraphCheck {
  private count = 0;
  private readonly maxNodes: number;
  private readonly maxElements: number;
  private readonly domains: readonly string[];

  constructor({ maxNodes = 50_000, maxElements = 2 ** 26, domains = [] }: OnnxLimits) {
    this.maxNodes = maxNodes;
    this.maxElements = maxElements;
    this.domains = ["", "ai.onnx", "ai.onnx.ml", ...domains];
  }

  graph(graph: Message, depth: number): OnnxNode[] {
    if (depth > 8) throw onnxInvalid("nests subgraphs deeper than 8");
    for (const tensor of graph.messages(5)) checkTensor(tensor, this.maxElements);
    if (graph.has(15)) throw onnxUnsupported("has sparse constants", "export it with dense ones");
    const nodes = graph.messages(1).map((node) => this.node(node, depth));
    const constants = constantsOf(graph, nodes);
    for (const node of nodes) this.blowUp(node, constants);
    return nodes;
  }

  private node(node: Message, depth: number): OnnxNode {
    if (++this.count > this.maxNodes)
      throw onnxInvalid(`has more than options.maxNodes = ${this.maxNodes} nodes`);
    const op = node.text(4);
    const domain = node.text(7);
    if (!this.domains.includes(domain)) {
      throw onnxUnsupported(
        `uses the operator ${op.slice(0, 60)} of the domain ${JSON.stringify(domain.slice(0, 60))}`,
        "only ONNX's own operators are run; name the domain in options.domains if your runtime has it and you trust the file",
      );
    }
    if (op === "Loop" || op === "Scan") {
      throw onnxUnsupported(`uses ${op}, whose running time cannot be bounded`, "export it without loops");
    }
    const attributes = new Map(node.messages(5).map((attribute) => [attribute.text(1), attribute]));
    for (const attribute of attributes.values()) {
      for (const tensor of [...attribute.messages(5), ...attribute.messages(10)])
        checkTensor(tensor, this.maxElements);
      for (const graph of [...attribute.messages(6), ...attribute.messages(11)]) this.graph(graph, depth + 1);
    }
    const made = { op, inputs: node.texts(1), outputs: node.texts(2), attributes };
    checkEnsemble(made);
    return made;
  }

  private blowUp(node: OnnxNode, constants: ReadonlyMap<string, Message>): void {
    const input = SHAPED[node.op];
    if (input === undefined) return;
    const shape = tensorNumbers(constants.get(node.inputs[input] ?? ""));
    const elements = shape?.reduce((product, size) => product * size, 1) ?? 0;
    if (elements > this.maxElements) {
      throw onnxInvalid(
        `expands a constant to ${elements} elements (${node.op}), more than options.maxElements = ${this.maxElements}`,
      );
    }
  }
}

function constantsOf(graph: Message, nodes: readonly OnnxNode[]): Map<string, Message> {
  const constants = new Map<string, Message>();
  for (const tensor of graph.messages(5)) constants.set(tensor.text(8), tensor);
  for (const { op, outputs, attributes } of nodes) {
    const value = op === "Constant" ? attributes.get("value")?.messages(5)[0] : undefined;
    if (value && outputs[0] !== undefined) constants.set(outputs[0], value);
  }
  return constants;
}

function graphValue(value: Message): OnnxValue {
  const tensor = value.messages(2)[0]?.messages(1)[0];
  const shape = tensor
    ?.messages(2)[0]
    ?.messages(1)
    .map((dim) => (dim.has(1) ? dim.whole(1) : undefined));
  return { name: value.text(1), type: tensor && TYPES[tensor.whole(1)], shape };
}

function withGraph(model: Message, graph: Uint8Array): Uint8Array {
  return concat(model.raw().map(({ field, bytes }) => (field === 7 ? encodeBytes(7, graph) : bytes)));
}
