import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What the server does to one request instead of answering it properly. */
export type Fault =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }
  | "reset"
  | "truncated"
  | "half"
  | "silent"
  | "short"
  | "nan"
  | "labels"
  | "huge"
  | "other id";

export interface ScoringServer {
  readonly url: string;
  /** Requests seen: path, headers and parsed body. */
  readonly requests: {
    readonly path: string;
    readonly headers: IncomingMessage["headers"];
    readonly body: Body;
  }[];
  /** Most requests that were under way at once. */
  atOnce(): number;
  close(): Promise<void>;
}

export type Body = Record<string, unknown>;

/** The model on the server: σ of the sum of a row, as the probability of class 1; null counts 0. */
export function scoreRow(row: readonly (number | null)[]): number {
  return 1 / (1 + Math.exp(-row.reduce<number>((sum, v) => sum + (v ?? 0), 0)));
}

/**
 * A server on loopback that speaks KServe V1 and V2, MLflow and plain JSON as their documents say, and that
 * does what `faults` says to the first requests, in order (undefined: nothing).
 */
export async function scoringServer(
  faults: readonly (Fault | undefined)[] = [],
  options: { readonly delayMs?: (request: number) => number } = {},
): Promise<ScoringServer> {
  const requests: ScoringServer["requests"] = [];
  let [now, most] = [0, 0];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const number = requests.length;
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Body;
      requests.push({ path: request.url ?? "", headers: request.headers, body });
      most = Math.max(most, ++now);
      setTimeout(() => {
        now--;
        respond(request, response, body, faults[number]);
      }, options.delayMs?.(number) ?? 0);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    atOnce: () => most,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function respond(
  request: IncomingMessage,
  response: ServerResponse,
  body: Body,
  fault: Fault | undefined,
): void {
  if (fault === "silent") return;
  if (fault === "reset") return void request.socket.resetAndDestroy();
  if (typeof fault === "object")
    return void response.writeHead(fault.status, fault.headers).end(fault.body ?? "");
  const [status, answer] = answerTo(request.url ?? "", body, fault);
  let text = JSON.stringify(answer);
  if (fault === "nan") text = text.replaceAll("null", "NaN");
  if (fault === "huge") text = `[${"0,".repeat(2_000_000)}0]`;
  if (fault === "half") text = text.slice(0, text.length / 2);
  const length = Buffer.byteLength(text) + (fault === "truncated" ? 100 : 0);
  response.writeHead(status, { "content-type": "application/json", "content-length": String(length) });
  response.write(text, () => (fault === "truncated" ? request.socket.destroy() : response.end()));
}

function answerTo(path: string, body: Body, fault: Fault | undefined): [number, unknown] {
  const bend = (rows: readonly (number | null)[][]): unknown[] => {
    const scores: unknown[] = rows.map(scoreRow);
    if (fault === "nan") scores[0] = null;
    if (fault === "labels") return scores.map((p) => (Number(p) > 0.5 ? "yes" : "no"));
    return fault === "short" ? scores.slice(1) : scores;
  };
  if (path === "/v1/models/credit:predict") {
    if (!Array.isArray(body["instances"])) return [400, { error: 'Expected "instances" to be a list' }];
    return [200, { predictions: bend(body["instances"]) }];
  }
  if (/^\/v2\/models\/credit(\/versions\/\w+)?\/infer$/.test(path)) return inferAnswer(body, bend, fault);
  if (path === "/invocations") {
    const split = body["dataframe_split"] as { columns: string[]; data: (number | null)[][] } | undefined;
    const data = split?.data ?? (body["inputs"] as (number | null)[][] | undefined);
    if (!data || (split && split.columns.length !== data[0]?.length)) {
      return [
        400,
        {
          error_code: "BAD_REQUEST",
          message: "Invalid input. The input must contain exactly one of: dataframe_split, inputs",
        },
      ];
    }
    return [200, { predictions: bend(data) }];
  }
  if (path === "/pairs") {
    return [
      200,
      { predictions: bend(body["rows"] as number[][]).map((p) => ({ no: 1 - Number(p), yes: p })) },
    ];
  }
  if (path === "/lists") return [200, bend(body["rows"] as number[][]).map((p) => [1 - Number(p), p])];
  if (path === "/score") return [200, { scores: bend(body["rows"] as number[][]) }];
  return [404, { error: `Model with name ${path} does not exist.` }];
}

interface Tensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly datatype: string;
  readonly data: readonly (number | string | boolean | null)[];
}

const TYPES = ["BOOL", "INT64", "FP32", "FP64", "BYTES"];

function inferAnswer(
  body: Body,
  bend: (rows: (number | null)[][]) => unknown[],
  fault: Fault | undefined,
): [number, unknown] {
  const inputs = body["inputs"] as Tensor[];
  const wrong = inputs.find(
    (t) => !TYPES.includes(t.datatype) || t.data.length !== t.shape.reduce((a, b) => a * b, 1),
  );
  if (wrong) return [400, { error: `tensor ${wrong.name} does not fit its shape or datatype` }];
  const [rows = 0, cols = 1] = inputs[0]!.shape;
  const number = (v: unknown): number | null =>
    typeof v === "string" ? v.length : v === null ? null : Number(v);
  const table = Array.from({ length: rows }, (_, i) =>
    inputs.length > 1
      ? inputs.map((t) => number(t.data[i]))
      : inputs[0]!.data.slice(i * cols, (i + 1) * cols).map(number),
  );
  const scores = bend(table);
  const data = scores.flatMap((p) => [p === null ? null : 1 - Number(p), p]);
  return [
    200,
    {
      model_name: "credit",
      model_version: "1",
      id: fault === "other id" ? "somebody-else" : body["id"],
      outputs: [
        { name: "label", shape: [rows], datatype: "BYTES", data: scores.map(String) },
        { name: "probabilities", shape: [scores.length, 2], datatype: "FP64", data },
      ],
    },
  ];
}
