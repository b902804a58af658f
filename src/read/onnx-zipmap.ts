import { ONNX, onnxUnsupported } from "./onnx-errors.ts";
import type { OnnxNode } from "./onnx-tensor.ts";
import { encodeBytes, type Message, openMessage } from "./protobuf.ts";

/** What dropping the ZipMaps of a graph changes. */
interface Unzipped {
  /** From the name of a dropped output to the tensor behind it. */
  readonly renamed: ReadonlyMap<string, string>;
  /** Class names of the tensor's columns. */
  readonly classes: ReadonlyMap<string, readonly string[]>;
  /** The graph rewritten; undefined when there was nothing to drop. */
  readonly graph: Uint8Array | undefined;
}

/**
 * A ZipMap turns a tensor of scores into a list of maps, which no JavaScript runtime returns. Each is dropped
 * and the tensor behind it takes the place of its output.
 */
export function dropZipMaps(graph: Message, nodes: readonly OnnxNode[]): Unzipped {
  const renamed = new Map<string, string>();
  const classes = new Map<string, string[]>();
  for (const { op, inputs, outputs, attributes } of nodes) {
    if (op !== "ZipMap" || inputs[0] === undefined || outputs[0] === undefined) continue;
    renamed.set(outputs[0], inputs[0]);
    const names = attributes.get("classlabels_strings")?.texts(9) ?? [];
    const numbers = Array.from(attributes.get("classlabels_int64s")?.wholes(8) ?? [], String);
    classes.set(inputs[0], names.length > 0 ? names : numbers);
  }
  if (renamed.size === 0) return { renamed, classes, graph: undefined };
  if (nodes.some((node) => node.inputs.some((name) => renamed.has(name)))) {
    throw onnxUnsupported("computes with the maps of a ZipMap", "export it with options={'zipmap': False}");
  }
  return { renamed, classes, graph: rewrite(graph, nodes) };
}

function rewrite(graph: Message, nodes: readonly OnnxNode[]): Uint8Array {
  const kept: Uint8Array[] = [];
  const tensors = new Map<string, Uint8Array>();
  const outputs = new Set(graph.messages(12).map((output) => output.text(1)));
  let node = 0;
  // Nodes come before outputs in what exporters write, but need not: outputs are rewritten last.
  for (const { field, bytes, body } of graph.raw()) {
    if (field === 1 && nodes[node++]!.op === "ZipMap") {
      const zip = openMessage(ONNX, body);
      tensors.set(zip.texts(2)[0] ?? "", zip.bytes(1));
    } else if (field !== 12) kept.push(bytes);
  }
  for (const { field, bytes, body } of graph.raw()) {
    if (field !== 12) continue;
    const tensor = tensors.get(openMessage(ONNX, body).text(1));
    if (tensor === undefined) kept.push(bytes);
    else if (!outputs.has(new TextDecoder().decode(tensor)))
      kept.push(encodeBytes(12, encodeBytes(1, tensor)));
  }
  return concat(kept);
}

export function concat(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, p) => sum + p.length, 0));
  let from = 0;
  for (const p of parts) {
    out.set(p, from);
    from += p.length;
  }
  return out;
}
