import { ColaError, isColaError, messageOf } from "../errors.ts";
import { outputIndex } from "../model/contract.ts";
import type { Matrix, Model, Structure } from "../types.ts";
import { type CellOptions, cellWriter } from "./cells.ts";
import { ONNX, onnxUnsupported } from "./onnx-errors.ts";
import {
  type ColumnRule,
  checkColumns,
  columnRule,
  feedParts,
  inputWidth,
  type OnnxData,
} from "./onnx-feeds.ts";
import { type OnnxGraph, type OnnxLimits, type OnnxValue, readOnnxGraph } from "./onnx-graph.ts";
import { agrees, probeRows } from "./onnx-probe.ts";
import { classNames, onnxStructure } from "./onnx-structure.ts";
import { indexNames, outputNames, type ReadOptions } from "./read-options.ts";

/** A tensor as the runtimes return it. */
interface OnnxResult {
  readonly data: ArrayLike<unknown>;
  readonly dims: readonly number[];
}

/** What a runtime must offer; onnxruntime-node and onnxruntime-web do. */
export interface OnnxRuntime {
  tensor(type: string, data: OnnxData, dims: readonly number[]): unknown;
  open(bytes: Uint8Array): Promise<OnnxSession>;
}

interface OnnxSession {
  run(feeds: Record<string, unknown>, output: string): Promise<OnnxResult>;
  release(): Promise<void>;
}

/** A session as both runtimes open it. */
interface RuntimeSession {
  run(feeds: never, outputs: string[]): Promise<Readonly<Record<string, unknown>>>;
  release(): Promise<void>;
}

/** What scores graphs, of the tensors and sessions of a runtime. */
export function runtimeBy(
  Tensor: new (type: "float32", data: Float32Array, dims: readonly number[]) => unknown,
  open: (bytes: Uint8Array) => Promise<RuntimeSession>,
): OnnxRuntime {
  return {
    tensor: (type, data, dims) => new Tensor(type as "float32", data as Float32Array, dims),
    async open(bytes) {
      const session = await open(bytes);
      return {
        run: async (feeds, output) => (await session.run(feeds as never, [output]))[output] as OnnxResult,
        release: () => session.release(),
      };
    },
  };
}

export interface OnnxOptions extends ReadOptions, OnnxLimits, CellOptions {
  /** Name of the tensor with the scores. Default: the one that looks like probabilities. */
  readonly output?: string;
}

export interface OnnxModel extends Model {
  /** Frees the runtime's session. */
  close(): Promise<void>;
}

/** All scores of a batch: row-major, `width` per row. */
interface Scores {
  readonly data: Float64Array;
  readonly width: number;
}
type Run = (rows: Matrix) => Promise<Scores>;

/** A model that scores with a runtime; the graph is checked before the runtime sees it. */
export async function onnxModel(
  bytes: Uint8Array,
  runtime: OnnxRuntime,
  options: OnnxOptions = {},
): Promise<OnnxModel> {
  const graph = readOnnxGraph(bytes, options);
  const scores = scoreOutput(graph, options.output);
  const writer = cellWriter(ONNX, options);
  const rule = columnRule(graph, writer.names?.length);
  const session = await opened(runtime, graph.bytes);
  const run = inBatches(graph, async (rows) => {
    const feeds = feedParts(graph, rows, writer).map(({ name, type, data, dims }) => [
      name,
      runtime.tensor(type, data, dims),
    ]);
    return scoresOf(await session.run(Object.fromEntries(feeds), scores.name), rows.rows, scores.name);
  });
  try {
    const width = await scoreWidth(graph, scores, run, rule.cols ?? 1);
    const fallback = width === 1 ? ["score"] : (classNames(graph, scores.name, width) ?? indexNames(width));
    const outputs = outputNames(ONNX, fallback, options.outputs);
    const structures =
      rule.cols === undefined ? undefined : await verified(graph, scores.name, run, rule.cols, width);
    const inputs =
      writer.names ?? (graph.inputs.length > 1 ? graph.inputs.map((input) => input.name) : undefined);
    const close = (): Promise<void> => session.release();
    // Without a schema a text input has no level names to read.
    const categorical = options.schema ? textColumns(graph, rule.cols ?? 0) : [];
    return assembled({ outputs, inputs, categorical, rule, run, structures, close });
  } catch (error) {
    await session.release();
    throw error;
  }
}

interface Parts {
  readonly outputs: readonly string[];
  readonly inputs: readonly string[] | undefined;
  readonly categorical: readonly boolean[];
  readonly rule: ColumnRule;
  readonly run: Run;
  readonly structures: readonly Structure[] | undefined;
  close(): Promise<void>;
}

/** Which columns the graph takes as text. */
function textColumns({ inputs }: OnnxGraph, cols: number): boolean[] {
  return inputs.flatMap((input) => {
    const width = inputs.length === 1 ? cols : (inputWidth(input) ?? 1);
    return new Array<boolean>(width).fill(input.type === "string");
  });
}

function assembled({ outputs, inputs, categorical, rule, run, structures, close }: Parts): OnnxModel {
  const model: OnnxModel = {
    outputs,
    ...(inputs ? { inputs } : {}),
    ...(categorical.includes(true) ? { categorical } : {}),
    async predict(rows, output) {
      const o = outputIndex(model, output);
      checkColumns(rule, rows.cols);
      const { data } = await run(rows).catch((error: unknown) => {
        throw isColaError(error) ? error : runFailed(rows.rows, error);
      });
      return Float64Array.from({ length: rows.rows }, (_, i) => data[i * outputs.length + o] ?? Number.NaN);
    },
    structure: (output) => structures?.[outputIndex(model, output)],
    close,
  };
  return model;
}

function runFailed(rows: number, error: unknown): ColaError {
  const said = messageOf(error).slice(0, 300);
  return new ColaError(
    "PREDICT_FAILED",
    `${ONNX}: the runtime failed on ${rows} rows: ${said}`,
    { rows },
    error,
  );
}

async function opened(runtime: OnnxRuntime, bytes: Uint8Array): Promise<OnnxSession> {
  try {
    return await runtime.open(bytes);
  } catch (error) {
    throw new ColaError(
      "MODEL_FILE_INVALID",
      `${ONNX}: the runtime refused the model: ${messageOf(error).slice(0, 300)}`,
      {},
      error,
    );
  }
}

/** The output with the scores: the named one, else the first of numbers, rather with "prob" or "score" in its name. */
function scoreOutput(graph: OnnxGraph, name: string | undefined): OnnxValue {
  const listed = graph.outputs.map((output) => output.name).join(", ");
  if (name !== undefined) {
    const found = graph.outputs.find((output) => output.name === name);
    if (found) return found;
    throw new ColaError(
      "OPTION_INVALID",
      `${ONNX}: options.output is ${JSON.stringify(name)}, but the outputs are ${listed}.`,
    );
  }
  const real = graph.outputs.filter(
    ({ type }) => type === undefined || type === "float" || type === "double",
  );
  const found =
    real.find((output) => /prob|score/i.test(output.name)) ??
    real[0] ??
    graph.outputs.find(({ type }) => type !== "string");
  if (found) return found;
  throw onnxUnsupported(`gives only text (${listed})`, "export the probabilities as well");
}

/**
 * A graph made for batches of a fixed size gets exactly those, the last filled up with its last row. Other
 * graphs get at least two rows: runtimes multiply a single row by another kernel, with other rounding.
 */
function inBatches(graph: OnnxGraph, once: Run): Run {
  const size = graph.inputs.find((input) => (input.shape?.[0] ?? 0) > 0)?.shape?.[0];
  return async (rows) => {
    if (size === undefined && rows.rows > 1) return once(rows);
    const batch = size ?? 2;
    const parts: Scores[] = [];
    for (let from = 0; from < rows.rows; from += batch) parts.push(await once(filledUp(rows, from, batch)));
    const width = parts[0]?.width ?? 1;
    return { data: Float64Array.from(parts.flatMap((p) => [...p.data])).slice(0, rows.rows * width), width };
  };
}

/** Rows from … from + size − 1, the last one again where there are no more. */
function filledUp(rows: Matrix, from: number, size: number): Matrix {
  const data = new Float64Array(size * rows.cols);
  for (let i = 0; i < size; i++) {
    const row = Math.min(from + i, rows.rows - 1);
    data.set(rows.data.subarray(row * rows.cols, (row + 1) * rows.cols), i * rows.cols);
  }
  return { data, rows: size, cols: rows.cols };
}

function scoresOf(answer: OnnxResult | undefined, rows: number, name: string): Scores {
  const length = answer?.data?.length ?? 0;
  const width = length / rows;
  if (!answer || !Number.isInteger(width) || width < 1) {
    throw new ColaError(
      "PREDICT_SHAPE",
      `${ONNX}: the output ${name} has ${length} numbers for ${rows} rows; it must give the same number of scores to every row.`,
      { rows, scores: length },
    );
  }
  if (typeof answer.data[0] === "string")
    throw onnxUnsupported(`gives text in ${name}`, "choose an output of numbers with options.output");
  return { data: Float64Array.from(answer.data, Number), width };
}

/** Scores per row: asked of the model itself with one row of zeros; where it cannot answer that, of the file. */
async function scoreWidth(graph: OnnxGraph, scores: OnnxValue, run: Run, cols: number): Promise<number> {
  try {
    return (await run({ data: new Float64Array(cols), rows: 1, cols })).width;
  } catch (error) {
    const declared = graph.classes.get(scores.name)?.length ?? scores.shape?.[1];
    if (declared !== undefined && declared >= 1 && declared <= 65536) return declared;
    throw new ColaError(
      "MODEL_FILE_INVALID",
      `${ONNX}: the model cannot score a row of zeros: ${messageOf(error).slice(0, 300)}`,
      {},
      error,
    );
  }
}

/** The structure read from the graph, if the runtime's scores agree with it. */
async function verified(
  graph: OnnxGraph,
  output: string,
  run: Run,
  cols: number,
  width: number,
): Promise<readonly Structure[] | undefined> {
  const structures = onnxStructure(graph, output, cols);
  if (structures?.length !== width) return undefined;
  const rows = probeRows(structures, cols);
  try {
    return agrees(structures, rows, (await run(rows)).data) ? structures : undefined;
  } catch {
    return undefined;
  }
}
