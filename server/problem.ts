import type { FastifyError } from "fastify";
import { hasZodFastifySchemaValidationErrors } from "fastify-type-provider-zod";
import { type ErrorCode, isColaError } from "../src/errors.ts";

/** What can go wrong with a request itself; the library's own codes come beside these. */
export const HTTP_PROBLEMS = {
  REQUEST_INVALID: { status: 400, title: "The request does not fit the description of this address." },
  KEY_INVALID: { status: 401, title: "The API key is missing or unknown." },
  HOST_REFUSED: { status: 403, title: "The host is not one this server answers for or may call." },
  ORIGIN_REFUSED: { status: 403, title: "A page of another origin may not change anything here." },
  ROLE_REFUSED: { status: 403, title: "The role of the key does not allow this." },
  NOT_FOUND: { status: 404, title: "There is nothing here, or it belongs to somebody else." },
  METHOD_UNKNOWN: { status: 405, title: "This address does not know the method." },
  TOO_SLOW: { status: 408, title: "The request did not arrive completely in time." },
  STATE_CONFLICT: { status: 409, title: "The state of this does not allow that." },
  BODY_TOO_LARGE: { status: 413, title: "The body is larger than the limit." },
  MEDIA_TYPE: { status: 415, title: "The content type or encoding is not accepted here." },
  IDEMPOTENCY_MISMATCH: { status: 422, title: "The idempotency key was used with another body." },
  RATE_LIMITED: { status: 429, title: "Too many requests of this key; see Retry-After." },
  HEADERS_TOO_LARGE: { status: 431, title: "Address and headers are longer than the limit." },
  BUSY: { status: 503, title: "The server is at its limit; see Retry-After." },
  QUOTA: { status: 507, title: "The uploads of this key, or the disk, are at their limit." },
} as const;

export type HttpProblem = keyof typeof HTTP_PROBLEMS;

/** An error about the request rather than about what is computed. */
export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly code: HttpProblem;
  readonly statusCode: number;
  readonly retryAfter: number | undefined;

  constructor(code: HttpProblem, message: string, retryAfter?: number) {
    super(message);
    this.code = code;
    this.statusCode = HTTP_PROBLEMS[code].status;
    this.retryAfter = retryAfter;
  }
}

/** An RFC 9457 body. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
}

const STATUS: Partial<Readonly<Record<ErrorCode, number>>> = {
  SIZE_LIMIT: 413,
  PREDICT_FAILED: 502,
  PREDICT_SHAPE: 502,
  PREDICT_NAN: 502,
  PREDICT_OVERFLOW: 502,
  PREDICT_TIMEOUT: 504,
  PEER_MISSING: 501,
  ABORTED: 503,
  STORE_LOCKED: 503,
  STORE_UNREACHABLE: 503,
  INTERNAL: 500,
};

/** Fastify's own refusals in our words. */
const FASTIFY: Readonly<Record<number, HttpProblem>> = {
  400: "REQUEST_INVALID",
  403: "NOT_FOUND",
  404: "NOT_FOUND",
  405: "METHOD_UNKNOWN",
  413: "BODY_TOO_LARGE",
  414: "REQUEST_INVALID",
  415: "MEDIA_TYPE",
  429: "RATE_LIMITED",
  503: "BUSY",
};

/** What is said instead of Fastify's words where those are not true. */
const SAID_BETTER: Readonly<Record<string, string>> = {
  FST_ERR_CTP_INVALID_JSON_BODY:
    "The body is not JSON, or has a key __proto__ or constructor.prototype, which no request may have.",
};

/** Longest sentence, and unknown keys told by name: a refusal is never as large as what it refuses. */
const MOST_CHARACTERS = 300;
const MOST_DETAIL = 2000;
const MOST_KEYS = 5;

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)} …` : text;
}

/** What a schema says of one choice among several. */
interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** The fault deepest inside the choices: that choice was meant. */
function meant(choices: readonly (readonly Issue[])[]): Issue | undefined {
  const all = choices.flatMap((issues) => issues.slice(0, 1));
  return all.reduce<Issue | undefined>((a, b) => (a && a.path.length >= b.path.length ? a : b), undefined);
}

/** One fault found by a schema, in words. */
function faultOf({ instancePath, message, params }: Fault): { path: string; message: string } {
  const choices = params?.["errors"];
  const inner = Array.isArray(choices) ? meant(choices as readonly (readonly Issue[])[]) : undefined;
  if (inner && inner.path.length > 0) {
    const inside = [instancePath.replace(/\/$/, ""), ...inner.path.map(String)].join("/");
    return faultOf({ instancePath: inside, message: inner.message });
  }
  const path = cut(instancePath, MOST_CHARACTERS);
  const keys = params?.["keys"];
  if (!Array.isArray(keys) || keys.length <= MOST_KEYS)
    return { path, message: cut(message ?? "invalid", MOST_CHARACTERS) };
  const some = keys.slice(0, MOST_KEYS).map((key) => JSON.stringify(cut(String(key), 50)));
  return { path, message: `Unrecognized keys: ${some.join(", ")} and ${keys.length - MOST_KEYS} more` };
}

interface Fault {
  readonly instancePath: string;
  readonly message?: string | undefined;
  readonly params?: Readonly<Record<string, unknown>>;
}

function make(code: string, status: number, title: string, detail: string): Problem {
  return { type: `urn:cola:problem:${code}`, title, status, code, detail: cut(detail, MOST_DETAIL) };
}

/** PostgreSQL's code for a full disk. */
const DISK_FULL = "53100";

/** Could something not be written, as on a full disk? */
export function isNoRoom(error: unknown): boolean {
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  return code === DISK_FULL || (isColaError(error) && code === "FILE_UNWRITABLE");
}

/** Is the disk full? Then the same will go well later; what is read-only stays so. */
export function isDiskFull(error: unknown): boolean {
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  return code === DISK_FULL || (isColaError(error) && isNoRoom(error) && /ENOSPC|EDQUOT/.test(error.message));
}

/** Everything thrown, as a problem; paths of the data folder never leave the server. */
export function problemOf(error: unknown, folder: string): Problem {
  if (isNoRoom(error)) {
    const { status, title } = HTTP_PROBLEMS.QUOTA;
    return make("QUOTA", status, title, "The server cannot store anything: its disk is full or read-only.");
  }
  if (isColaError(error)) {
    const detail = error.message.replaceAll(
      new RegExp(`${escaped(folder)}[^\\s:;,]*`, "g"),
      "the stored file",
    );
    return make(error.code, STATUS[error.code] ?? 422, "The input or the computation was refused.", detail);
  }
  if (hasZodFastifySchemaValidationErrors(error)) {
    const errors = error.validation.slice(0, 20).map((fault) => faultOf(fault as Fault));
    const { status, title } = HTTP_PROBLEMS.REQUEST_INVALID;
    const detail = errors.map((e) => `${e.path || "/"}: ${e.message}`).join("; ");
    return { ...make("REQUEST_INVALID", status, title, detail), errors };
  }
  const { statusCode = 500, message: original = "", code = "" } = (error ?? {}) as Partial<FastifyError>;
  const known = error instanceof HttpError ? error.code : FASTIFY[statusCode];
  const hidden = statusCode === 403 && known === "NOT_FOUND";
  const message = hidden ? "There is nothing at this address." : (SAID_BETTER[code] ?? original);
  if (known) return make(known, HTTP_PROBLEMS[known].status, HTTP_PROBLEMS[known].title, message);
  if (statusCode >= 400 && statusCode < 500)
    return make("REQUEST_INVALID", statusCode, HTTP_PROBLEMS.REQUEST_INVALID.title, message);
  return make(
    "INTERNAL",
    500,
    "A defect of the server, not of the request.",
    "Something failed that should not.",
  );
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
