import { ColaError } from "../errors.ts";
import type { Matrix } from "../types.ts";
import type { CellWriter } from "./cells.ts";
import { readEnsemble } from "./onnx-ensemble.ts";
import { ONNX, onnxInvalid, onnxUnsupported } from "./onnx-errors.ts";
import type { OnnxGraph, OnnxValue } from "./onnx-graph.ts";
import { tensorShape } from "./onnx-tensor.ts";
import { onnxWalk } from "./onnx-walk.ts";

/** Elements of a tensor as the runtimes take them. */
export type OnnxData =
  | Float32Array
  | Float64Array
  | BigInt64Array
  | Int32Array
  | Int16Array
  | Int8Array
  | Uint8Array
  | Uint16Array
  | string[];

/** How many columns the rows must have: exactly `cols`, or at least; undefined where the graph does not say. */
export interface ColumnRule {
  readonly cols: number | undefined;
  readonly exact: boolean;
}

/** Largest fixed batch or width of an input. */
const MAX_SIZE = 2 ** 20;

/** Columns an input takes: 1 for a list; undefined where its width is free. */
export function inputWidth({ name, shape }: OnnxValue): number | undefined {
  if ((shape?.length ?? 2) > 2 || shape?.length === 0) {
    throw onnxUnsupported(
      `takes the input ${name} with ${shape?.length} dimensions`,
      "export it with rows and columns",
    );
  }
  if (shape?.some((size) => size !== undefined && !(size >= 1 && size <= MAX_SIZE))) {
    throw onnxInvalid(`declares the input ${name} of shape ${shape.join(" × ")}`);
  }
  return shape?.length === 1 ? 1 : shape?.[1];
}

export function columnRule(graph: OnnxGraph, names: number | undefined): ColumnRule {
  const widths = graph.inputs.map(inputWidth);
  if (widths.length > 1)
    return { cols: widths.reduce<number>((sum, width) => sum + (width ?? 1), 0), exact: true };
  const declared = widths[0] ?? names;
  return declared === undefined ? columnsRead(graph) : { cols: declared, exact: true };
}

/** Columns the first operators read, for a graph whose input has a free width. */
function columnsRead(graph: OnnxGraph): ColumnRule {
  const walk = onnxWalk(graph, 1);
  const input = graph.inputs[0]!.name;
  for (const node of graph.nodes) {
    if (node.inputs[0] === undefined || walk.through(node.inputs[0]) !== input) continue;
    const floats = (name: string): number => node.attributes.get(name)?.floats(7, 4).length ?? 0;
    if (node.op === "Scaler") return { cols: floats("offset"), exact: true };
    if (node.op === "LinearClassifier" || node.op === "LinearRegressor") {
      return { cols: floats("coefficients") / Math.max(1, floats("intercepts")), exact: true };
    }
    if (node.op.startsWith("TreeEnsemble")) return { cols: readEnsemble(node).cols, exact: false };
    const matrix = graph.constants.get(node.inputs[1] ?? "");
    if ((node.op === "Gemm" || node.op === "MatMul") && matrix) {
      const transposed = (node.attributes.get("transB")?.whole(3) ?? 0) !== 0;
      return { cols: tensorShape(matrix)[transposed ? 1 : 0], exact: true };
    }
  }
  return { cols: undefined, exact: false };
}

/** INPUT_SHAPE unless rows of `cols` columns fit. A runtime may read beyond a row that is too short. */
export function checkColumns(rule: ColumnRule, cols: number): void {
  if (rule.cols === undefined || cols === rule.cols || (!rule.exact && cols > rule.cols)) return;
  throw new ColaError(
    "INPUT_SHAPE",
    `${ONNX}: the model reads ${rule.exact ? "" : "at least "}${rule.cols} columns, but the rows have ${cols}; give the columns it was trained on, in order.`,
    { cols, expected: rule.cols },
  );
}

/** Names of element types in the JavaScript runtimes, where they differ from ONNX's. */
const RUNTIME_TYPES: Readonly<Record<string, string>> = { float: "float32", double: "float64" };

/** One part of the table per input, in the order of the graph. */
export function feedParts(
  graph: OnnxGraph,
  rows: Matrix,
  writer: CellWriter,
): { readonly name: string; readonly type: string; readonly data: OnnxData; readonly dims: number[] }[] {
  let from = 0;
  return graph.inputs.map((input) => {
    const width = graph.inputs.length === 1 ? rows.cols : (inputWidth(input) ?? 1);
    const dims = input.shape?.length === 1 ? [rows.rows] : [rows.rows, width];
    const data = tensorData(input, block(rows, from, width), from, writer);
    from += width;
    return { name: input.name, type: RUNTIME_TYPES[input.type!] ?? input.type!, data, dims };
  });
}

function block(rows: Matrix, from: number, width: number): Matrix {
  if (width === rows.cols) return rows;
  const data = new Float64Array(rows.rows * width);
  for (let i = 0; i < rows.rows; i++)
    data.set(rows.data.subarray(i * rows.cols + from, i * rows.cols + from + width), i * width);
  return { data, rows: rows.rows, cols: width };
}

const WHOLE = {
  int32: Int32Array,
  int16: Int16Array,
  int8: Int8Array,
  uint8: Uint8Array,
  uint16: Uint16Array,
};

/** Cells of columns `from` … as elements of the input's type. */
function tensorData(input: OnnxValue, { data, cols }: Matrix, from: number, writer: CellWriter): OnnxData {
  const { type } = input;
  if (type === "float") return Float32Array.from(data);
  if (type === "double") return data.slice();
  if (type === "string") return Array.from(data, (v, at) => String(writer.cell(v, from + (at % cols)) ?? ""));
  if (type === "bool") return Uint8Array.from(data, (v, at) => (whole(input, v, at, cols) === 0 ? 0 : 1));
  if (type === "int64")
    return BigInt64Array.from({ length: data.length }, (_, at) => BigInt(whole(input, data[at]!, at, cols)));
  if (type !== undefined && Object.hasOwn(WHOLE, type)) {
    return new WHOLE[type as keyof typeof WHOLE](Array.from(data, (v, at) => whole(input, v, at, cols)));
  }
  throw onnxUnsupported(
    `takes the input ${input.name} as ${type ?? "something that is not a tensor"}`,
    "export it with float, double, int64, bool or string tensors",
  );
}

function whole(input: OnnxValue, value: number, at: number, cols: number): number {
  if (Number.isInteger(value)) return value;
  throw new ColaError(
    "VALUE_INVALID",
    `${ONNX}: row ${Math.floor(at / cols)} holds ${Number.isNaN(value) ? "a missing value" : value} for ${input.name}, which the model takes as ${input.type}; only whole numbers fit.`,
    { input: input.name, row: Math.floor(at / cols), value: String(value) },
  );
}
