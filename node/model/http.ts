import { ColaError, isColaError, messageOf } from "../../src/errors.ts";
import { outputIndex } from "../../src/model/contract.ts";
import { type CellOptions, cellWriter } from "../../src/read/cells.ts";
import type { ReadOptions } from "../../src/read/read-options.ts";
import { whole } from "../../src/train/options.ts";
import type { Model } from "../../src/types.ts";
import { columnOf, parseAnswer } from "./answers.ts";
import { type HttpProtocol, type ProtocolOptions, protocolOf } from "./http-protocols.ts";
import { limitsOf } from "./limits.ts";

const OWNER = "httpModel";

const LIMITS = {
  batchRows: whole(512, 1),
  concurrency: whole(4, 1, 1024),
  timeoutMs: whole(30_000, 1),
  retries: whole(4, 0, 1000),
  retryMs: whole(250, 0),
  maxRetryMs: whole(30_000, 0),
  maxResponseBytes: whole(2 ** 26, 1),
};
type Limits = ReturnType<typeof limitsOf<typeof LIMITS>>;

export interface HttpModelOptions extends ProtocolOptions, Omit<CellOptions, "schema">, ReadOptions {
  readonly protocol: HttpProtocol;
  /** Headers sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Name of the environment variable with a token, sent as `Authorization: Bearer …`. */
  readonly authEnv?: string;
  /** Most rows of one request. Default 512. */
  readonly batchRows?: number;
  /** Most requests under way at once. Default 4. */
  readonly concurrency?: number;
  /** Time one request may take. Default 30,000. */
  readonly timeoutMs?: number;
  /** How often a request is repeated after 429, 502, 503, 504 or a lost connection. Default 4. */
  readonly retries?: number;
  /** Wait before the first repetition; it doubles each time, and Retry-After has precedence. Default 250. */
  readonly retryMs?: number;
  /** Longest wait; a longer Retry-After ends the call. Default 30,000. */
  readonly maxRetryMs?: number;
  /** Largest answer. Default 64 MiB. */
  readonly maxResponseBytes?: number;
  /** Ends all requests. */
  readonly signal?: AbortSignal;
}

/**
 * A model behind an HTTP endpoint. Rows go out in batches, several at a time; each batch fills its place once,
 * however often it had to be sent. Redirects are refused, answers are bounded, and what goes wrong is told by
 * code: PREDICT_TIMEOUT, PREDICT_SHAPE, PREDICT_NAN, else PREDICT_FAILED.
 */
export function httpModel(options: HttpModelOptions): Model {
  const outputs = [...(options.outputs ?? ["score"])];
  const writer = cellWriter(OWNER, options);
  const protocol = protocolOf(options.protocol, options, writer, outputs);
  const limits = limitsOf(OWNER, options, LIMITS);
  const { batchRows, concurrency } = limits;
  const send = sender({ url: protocol.url, headers: headersOf(options), limits, signal: options.signal });
  let requests = 0;
  const model: Model = {
    outputs,
    ...(writer.names ? { inputs: writer.names } : {}),
    async predict(rows, output) {
      const o = outputIndex(model, output);
      const scores = new Float64Array(rows.rows);
      const stop = new AbortController();
      const batches = Math.ceil(rows.rows / batchRows);
      await eachAtOnce(batches, concurrency, stop, async (batch) => {
        const from = batch * batchRows;
        const to = Math.min(rows.rows, from + batchRows);
        const id = `cola-${++requests}`;
        const text = await send(JSON.stringify(protocol.body(rows, from, to, id)), stop.signal);
        const answer = protocol.answer(parseAnswer(OWNER, text), to - from, id);
        scores.set(columnOf(OWNER, answer, outputs, o), from);
      });
      return scores;
    },
  };
  return model;
}

/** Runs tasks 0 … count − 1, at most `width` at once; the first failure stops the others. */
async function eachAtOnce(
  count: number,
  width: number,
  stop: AbortController,
  task: (index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count && !stop.signal.aborted) await task(next++);
  };
  const workers = Array.from({ length: Math.min(width, count) }, worker);
  try {
    await Promise.all(workers);
  } finally {
    stop.abort();
    await Promise.allSettled(workers);
  }
}

function headersOf(options: HttpModelOptions): Headers {
  const headers = new Headers({
    "content-type": "application/json",
    accept: "application/json",
    ...options.headers,
  });
  if (options.authEnv === undefined) return headers;
  const token = process.env[options.authEnv];
  if (!token) {
    throw new ColaError(
      "OPTION_INVALID",
      `${OWNER}: options.authEnv names the environment variable ${options.authEnv}, which is not set; export it or leave the option out.`,
      { authEnv: options.authEnv },
    );
  }
  headers.set("authorization", `Bearer ${token}`);
  return headers;
}

/** Where requests go and what bounds them. */
interface Line {
  readonly url: URL;
  readonly headers: Headers;
  readonly limits: Limits;
  readonly signal: AbortSignal | undefined;
}

/** Sends one body and returns the text of the answer, repeating where that can help. */
function sender(line: Line): (body: string, stop: AbortSignal) => Promise<string> {
  const { retries, retryMs, maxRetryMs } = line.limits;
  return async (body, stop) => {
    for (let attempt = 0; ; attempt++) {
      const outcome = await once(line, body, stop);
      if (typeof outcome === "string") return outcome;
      const wait = outcome.waitMs ?? Math.min(maxRetryMs, retryMs * 2 ** attempt);
      if (attempt >= retries || wait > maxRetryMs) {
        const tried = outcome.cause ? ", tried " : " ";
        const times = attempt > 0 ? `${tried}${attempt + 1} times` : outcome.cause ? "" : " once";
        const long =
          wait > maxRetryMs
            ? ` and asks to wait ${wait} ms, longer than options.maxRetryMs = ${maxRetryMs}`
            : outcome.cause
              ? "; see that the server runs and the address is right"
              : "";
        throw new ColaError(
          "PREDICT_FAILED",
          `${OWNER}: ${where(line.url)} ${outcome.problem}${times}${long}.`,
          { attempts: attempt + 1, problem: outcome.problem },
          outcome.cause,
        );
      }
      await pause(wait, stop, line.signal);
    }
  };
}

/** A failure that may pass. */
interface Passing {
  readonly problem: string;
  readonly waitMs?: number;
  readonly cause?: unknown;
}

const AGAIN = [429, 502, 503, 504];

async function once(
  { url, headers, limits, signal }: Line,
  body: string,
  stop: AbortSignal,
): Promise<string | Passing> {
  const { timeoutMs, maxResponseBytes } = limits;
  const deadline = AbortSignal.timeout(timeoutMs);
  try {
    const any = AbortSignal.any([deadline, stop, ...(signal ? [signal] : [])]);
    const response = await fetch(url, { method: "POST", headers, body, redirect: "manual", signal: any });
    if (AGAIN.includes(response.status)) {
      await response.body?.cancel();
      const waitMs = retryAfter(response.headers.get("retry-after"));
      return { problem: `answered ${response.status}`, ...(waitMs === undefined ? {} : { waitMs }) };
    }
    if (response.ok) return await textOf(response, maxResponseBytes);
    throw await refused(response, url);
  } catch (error) {
    if (isColaError(error)) throw error;
    if (signal?.aborted)
      throw new ColaError("ABORTED", `${OWNER}: stopped by options.signal.`, {}, signal.reason);
    if (deadline.aborted) {
      throw new ColaError(
        "PREDICT_TIMEOUT",
        `${OWNER}: ${where(url)} did not answer within options.timeoutMs = ${timeoutMs} ms; raise it or lower options.batchRows.`,
        { timeoutMs },
        error,
      );
    }
    return { problem: `could not be reached (${causeOf(error)})`, cause: error };
  }
}

/** What is to be done about an answer that refuses. */
function remedyOf(status: number): string {
  if (status === 401 || status === 403) return "Give the token it asks for (options.authEnv).";
  if (status === 404 || status === 405) return "See that the address is right, its path included.";
  if (status < 500)
    return "The model does not take the rows as they are sent: see its own columns, and options.protocol.";
  return "The fault is the server's: its log says more.";
}

async function refused(response: Response, url: URL): Promise<ColaError> {
  const redirect = response.status >= 300 && response.status < 400;
  const said = redirect ? "" : (await textOf(response, 65536).catch(() => "")).slice(0, 300);
  const problem = redirect
    ? `redirects (${response.status}), which is refused; give the final URL in options.url`
    : `answered ${response.status}${said ? `: ${said.trim()}` : ""}${/[.!?]$/.test(said.trim()) ? "" : "."} ${remedyOf(response.status)}`;
  if (redirect) await response.body?.cancel();
  return new ColaError("PREDICT_FAILED", `${OWNER}: ${where(url)} ${problem}`, { status: response.status });
}

/** The body as text, ended when it grows beyond `max`. */
async function textOf(response: Response, max: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > max) {
      throw new ColaError(
        "PREDICT_FAILED",
        `${OWNER}: the answer is larger than options.maxResponseBytes = ${max}.`,
        { max },
      );
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** Retry-After in milliseconds: seconds or a date. */
function retryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

function pause(ms: number, ...signals: readonly (AbortSignal | undefined)[]): Promise<void> {
  return new Promise((resolve) => {
    const given = signals.filter((signal) => signal !== undefined);
    const done = (): void => {
      clearTimeout(timer);
      for (const signal of given) signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    for (const signal of given) signal.addEventListener("abort", done);
    if (given.some((signal) => signal.aborted)) done();
  });
}

function causeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause as { code?: string } | undefined) : undefined;
  if (cause?.code === "UND_ERR_SOCKET") return "the connection was closed without an answer";
  return cause?.code ?? messageOf(cause ?? error).slice(0, 120);
}

/** The URL without its query, which may hold secrets. */
function where(url: URL): string {
  return `${url.origin}${url.pathname}`;
}
