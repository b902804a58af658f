import type { OnnxGraph } from "./onnx-graph.ts";
import { type OnnxNode, tensorNumbers } from "./onnx-tensor.ts";

/** Operators that change nothing a score depends on. */
const PASS = ["Identity", "Cast", "Dropout"];
const TO_FLOAT = 1;
/** Longest chain of them that is followed. */
const MAX_CHAIN = 64;

/** Walks a graph backwards, from a tensor to what made it. */
export interface OnnxWalk {
  readonly graph: OnnxGraph;
  /** Columns of the table rows. */
  readonly cols: number;
  maker(name: string): OnnxNode | undefined;
  /** The tensor behind identities and casts (and `more` operators). */
  through(name: string, more?: readonly string[]): string;
  /** Table columns behind a tensor that is an input, or inputs side by side; undefined for other tensors. */
  columns(name: string): Int32Array | undefined;
  /** Are cells rounded to float32 on the way from the inputs to `name`? */
  float32(name: string): boolean;
}

/** The other factor, where one is the constant 1, as exporters put it. */
function timesOne({ constants }: OnnxGraph, { op, inputs }: OnnxNode): string | undefined {
  const isOne = (name: string): boolean => tensorNumbers(constants.get(name))?.every((v) => v === 1) ?? false;
  if (op !== "Mul" || inputs.length !== 2) return undefined;
  return isOne(inputs[1]!) ? inputs[0] : isOne(inputs[0]!) ? inputs[1] : undefined;
}

export function onnxWalk(graph: OnnxGraph, cols: number): OnnxWalk {
  const makers = new Map<string, OnnxNode>();
  for (const node of graph.nodes) for (const name of node.outputs) makers.set(name, node);
  const path = (name: string, ops: readonly string[]): string[] => {
    const names = [name];
    while (names.length <= MAX_CHAIN) {
      const maker = makers.get(names.at(-1)!);
      const input = maker && (ops.includes(maker.op) ? maker.inputs[0] : timesOne(graph, maker));
      if (input === undefined) break;
      names.push(input);
    }
    return names;
  };
  const through = (name: string, more: readonly string[] = []): string =>
    path(name, [...PASS, ...more]).at(-1)!;
  const inputColumns = (name: string): Int32Array | undefined => {
    let from = 0;
    for (const input of graph.inputs) {
      const width = graph.inputs.length === 1 ? cols : (input.shape?.[1] ?? 1);
      if (!(width >= 1 && from + width <= cols)) return undefined;
      if (input.name === name && input.type !== "string")
        return Int32Array.from({ length: width }, (_, k) => from + k);
      from += width;
    }
    return undefined;
  };
  const columns = (name: string): Int32Array | undefined => {
    const maker = makers.get(through(name));
    if (maker?.op !== "Concat" && maker?.op !== "FeatureVectorizer") return inputColumns(through(name));
    const parts = maker.inputs.map((input) => inputColumns(through(input)));
    return parts.every((p) => p !== undefined) ? Int32Array.from(parts.flatMap((p) => [...p])) : undefined;
  };
  const castToFloat = (name: string): boolean =>
    path(name, PASS).some(
      (at) => makers.get(at)?.op === "Cast" && makers.get(at)?.attributes.get("to")?.whole(3) === TO_FLOAT,
    );
  return {
    graph,
    cols,
    maker: (name) => makers.get(name),
    through,
    columns,
    float32: (name) => castToFloat(name) || graph.inputs.some((input) => input.type !== "double"),
  };
}
