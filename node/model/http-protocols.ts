import { ColaError } from "../../src/errors.ts";
import type { Cell, CellWriter } from "../../src/read/cells.ts";
import type { Matrix, Schema } from "../../src/types.ts";
import { type Answer, scoreNumber, tableAnswer } from "./answers.ts";

export type HttpProtocol = "kserve-v1" | "kserve-v2" | "mlflow" | "json";

/** What a protocol needs to know beside the rows. */
export interface ProtocolOptions {
  readonly url: string;
  /** Name of the model on a KServe server. */
  readonly modelName?: string;
  /** Version of the model (KServe V2). Default: the server's choice. */
  readonly modelVersion?: string;
  /**
   * KServe V2: `tensor` sends one tensor of numbers, `columns` one tensor per column, typed by the schema.
   * Default: `columns` where the schema has categories, else `tensor`.
   */
  readonly layout?: "tensor" | "columns";
  /** KServe V2: name of the one input tensor. Default "input-0". */
  readonly tensor?: string;
  /** KServe V2: type of the numbers. Default FP64. */
  readonly datatype?: "FP32" | "FP64";
  /** KServe V2: name of the output tensor with the scores. Default: the first of numbers. */
  readonly output?: string;
  /** Sent along: `parameters` of KServe V2, `params` of MLflow. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly schema?: Schema;
}

/** One protocol: where rows go, how they are told, how the answer is read. */
interface Protocol {
  readonly url: URL;
  body(rows: Matrix, from: number, to: number, id: string): unknown;
  answer(value: unknown, rows: number, id: string): Answer;
}

const OWNER = "httpModel";

export function protocolOf(
  name: HttpProtocol,
  options: ProtocolOptions,
  writer: CellWriter,
  outputs: readonly string[],
): Protocol {
  const table = (key: string) => (value: unknown, rows: number) =>
    tableAnswer(OWNER, Array.isArray(value) ? value : fieldOf(value, [key]), rows, outputs);
  if (name === "kserve-v1") {
    return {
      url: endpoint(options.url, () => `/v1/models/${modelName(options)}:predict`, ":predict"),
      body: (rows, from, to) => ({ instances: writer.rows(rows, from, to) }),
      answer: table("predictions"),
    };
  }
  if (name === "kserve-v2") return openInference(options, writer);
  if (name === "mlflow") {
    const params = options.parameters ? { params: options.parameters } : {};
    return {
      url: endpoint(options.url, () => "/invocations", "/invocations"),
      body: (rows, from, to) => {
        const data = writer.rows(rows, from, to);
        return writer.names
          ? { dataframe_split: { columns: writer.names, data }, ...params }
          : { inputs: data, ...params };
      },
      answer: table("predictions"),
    };
  }
  return {
    url: endpoint(options.url, () => "", ""),
    body: (rows, from, to) => ({
      ...(writer.names ? { columns: writer.names } : {}),
      rows: writer.rows(rows, from, to),
    }),
    answer: (value, rows) =>
      tableAnswer(
        OWNER,
        Array.isArray(value) ? value : fieldOf(value, ["scores", "predictions"]),
        rows,
        outputs,
      ),
  };
}

/** KServe V2, the Open Inference Protocol: typed tensors, and an id that must come back. */
function openInference(options: ProtocolOptions, writer: CellWriter): Protocol {
  const version = options.modelVersion ? `/versions/${encodeURIComponent(options.modelVersion)}` : "";
  const text = options.schema?.features.some((feature) => feature.categories || feature.kind === "boolean");
  const columns = (options.layout ?? (text ? "columns" : "tensor")) === "columns";
  return {
    url: endpoint(options.url, () => `/v2/models/${modelName(options)}${version}/infer`, "/infer"),
    body: (rows, from, to, id) => ({
      id,
      ...(options.parameters ? { parameters: options.parameters } : {}),
      inputs: columns
        ? columnTensors(writer, writer.rows(rows, from, to), options)
        : [
            {
              name: options.tensor ?? "input-0",
              shape: [to - from, rows.cols],
              datatype: options.datatype ?? "FP64",
              data: writer.rows(rows, from, to).flat(),
            },
          ],
      ...(options.output ? { outputs: [{ name: options.output }] } : {}),
    }),
    answer: (value, rows, id) => tensorAnswer(value, rows, id, options.output),
  };
}

function columnTensors(writer: CellWriter, cells: readonly Cell[][], options: ProtocolOptions): object[] {
  return (cells[0] ?? []).map((_, k) => ({
    name: writer.names?.[k] ?? `input-${k}`,
    shape: [cells.length, 1],
    datatype: columnType(options, k),
    data: cells.map((row) => row[k]!),
  }));
}

function columnType(options: ProtocolOptions, k: number): string {
  const feature = options.schema?.features[k];
  if (feature?.categories) return "BYTES";
  if (feature?.kind === "boolean") return "BOOL";
  return feature?.kind === "integer" ? "INT64" : (options.datatype ?? "FP64");
}

function tensorAnswer(value: unknown, rows: number, id: string, name: string | undefined): Answer {
  const answered = (value as { id?: unknown } | null)?.id;
  if (typeof answered === "string" && answered !== "" && answered !== id) {
    throw new ColaError(
      "PREDICT_FAILED",
      `${OWNER}: the answer carries the id ${JSON.stringify(answered.slice(0, 60))}, but ${JSON.stringify(id)} was asked; the server mixes up requests.`,
      { id, answered },
    );
  }
  const tensors = fieldOf(value, ["outputs"]);
  const list = (Array.isArray(tensors) ? tensors : []) as {
    name?: string;
    datatype?: string;
    data?: unknown;
  }[];
  const found = list.find((t) => (name ? t?.name === name : t?.datatype !== "BYTES"));
  if (!found || !Array.isArray(found.data)) {
    throw new ColaError(
      "PREDICT_FAILED",
      `${OWNER}: the answer has no output tensor ${name ? JSON.stringify(name) : "of numbers"}; it has ${list.map((t) => t?.name).join(", ") || "none"}.`,
    );
  }
  const flat = found.data.flat(8).map((v) => scoreNumber(OWNER, v));
  const width = flat.length / rows;
  if (Number.isInteger(width) && width >= 1) return { data: Float64Array.from(flat), width };
  throw new ColaError(
    "PREDICT_SHAPE",
    `${OWNER}: ${rows} rows were sent and ${flat.length} numbers came back in ${found.name}; answer with the same number of scores for every row.`,
    { rows, scores: flat.length },
  );
}

function fieldOf(value: unknown, keys: readonly string[]): unknown {
  const object = typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  const key = keys.find((k) => Object.hasOwn(object, k));
  if (key !== undefined) return object[key];
  const said = ["error", "detail", "message"].map((k) => object[k]).find((text) => typeof text === "string");
  const complaint = said ? ` It says ${JSON.stringify(said.slice(0, 300))}.` : "";
  throw new ColaError(
    "PREDICT_FAILED",
    `${OWNER}: the answer has no ${keys.map((k) => JSON.stringify(k)).join(" or ")}, only ${Object.keys(object).slice(0, 8).join(", ") || typeof value}; is options.protocol right?${complaint}`,
    { keys: Object.keys(object).slice(0, 20) },
  );
}

/** The given URL, with the protocol's path unless it ends with it already. */
function endpoint(given: string, path: () => string, end: string): URL {
  const fail = (rule: string): never => {
    throw new ColaError("OPTION_INVALID", `${OWNER}: options.url ${rule}.`, {});
  };
  if (!URL.canParse(given))
    return fail(`must be a full URL such as http://localhost:8080, not ${JSON.stringify(given)}`);
  const url = new URL(given);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return fail(`must begin with http: or https:, not ${url.protocol}`);
  if (url.username || url.password) return fail("must not hold a user name or password; use options.authEnv");
  if (end === "" || !url.pathname.endsWith(end)) url.pathname = url.pathname.replace(/\/+$/, "") + path();
  return url;
}

function modelName(options: ProtocolOptions): string {
  if (options.modelName) return encodeURIComponent(options.modelName);
  throw new ColaError(
    "OPTION_INVALID",
    `${OWNER}: KServe needs options.modelName, the name of the model on the server.`,
  );
}
