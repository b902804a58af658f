import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { hasZodFastifySchemaValidationErrors } from "fastify-type-provider-zod";
import { type ErrorCode, isColaError } from "../src/errors.ts";

/** What can go wrong with a request itself; the library's own codes come beside these. */
export const HTTP_PROBLEMS = {
  REQUEST_INVALID: { status: 400, title: "The request does not fit the description of this address." },
  KEY_INVALID: { status: 401, title: "The API key is missing or unknown." },
  HOST_REFUSED: { status: 403, title: "The host is not one this server answers for or may call." },
  NOT_FOUND: { status: 404, title: "There is nothing here, or it belongs to somebody else." },
  METHOD_UNKNOWN: { status: 405, title: "This address does not know the method." },
  STATE_CONFLICT: { status: 409, title: "The state of this does not allow that." },
  BODY_TOO_LARGE: { status: 413, title: "The body is larger than the limit." },
  MEDIA_TYPE: { status: 415, title: "The content type or encoding is not accepted here." },
  IDEMPOTENCY_MISMATCH: { status: 422, title: "The idempotency key was used with another body." },
  RATE_LIMITED: { status: 429, title: "Too many requests of this key; see Retry-After." },
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
  PREDICT_TIMEOUT: 504,
  PEER_MISSING: 501,
  ABORTED: 503,
  INTERNAL: 500,
};

/** Fastify's own refusals in our words. */
const FASTIFY: Readonly<Record<number, HttpProblem>> = {
  400: "REQUEST_INVALID",
  404: "NOT_FOUND",
  405: "METHOD_UNKNOWN",
  413: "BODY_TOO_LARGE",
  414: "REQUEST_INVALID",
  415: "MEDIA_TYPE",
  429: "RATE_LIMITED",
  503: "BUSY",
};

function make(code: string, status: number, title: string, detail: string): Problem {
  return { type: `urn:cola:problem:${code}`, title, status, code, detail };
}

/** Everything thrown, as a problem; paths of the data folder never leave the house. */
export function problemOf(error: unknown, folder: string): Problem {
  if (isColaError(error)) {
    const detail = error.message.replaceAll(new RegExp(`${escaped(folder)}\\S*`, "g"), "the stored file");
    return make(error.code, STATUS[error.code] ?? 422, "The input or the computation was refused.", detail);
  }
  if (hasZodFastifySchemaValidationErrors(error)) {
    const errors = error.validation.slice(0, 20).map(({ instancePath, message }) => ({
      path: instancePath,
      message: message ?? "invalid",
    }));
    const { status, title } = HTTP_PROBLEMS.REQUEST_INVALID;
    const detail = errors.map((e) => `${e.path || "/"}: ${e.message}`).join("; ");
    return { ...make("REQUEST_INVALID", status, title, detail), errors };
  }
  const { statusCode = 500, message = "" } = (error ?? {}) as Partial<FastifyError>;
  const known = error instanceof HttpError ? error.code : FASTIFY[statusCode];
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

export function sendProblem(
  error: unknown,
  folder: string,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const problem = problemOf(error, folder);
  if (problem.status >= 500) {
    request.log.error({ code: problem.code, frames: framesOf(error) }, "problem");
  }
  if (error instanceof HttpError && error.retryAfter !== undefined)
    reply.header("retry-after", error.retryAfter);
  return reply.code(problem.status).type("application/problem+json").send(JSON.stringify(problem));
}

/** Where an error came from, without its message: that may quote cells. */
function framesOf(error: unknown): string[] {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  return stack
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 12)
    .map((line) => line.trim());
}
