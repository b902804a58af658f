import type { FastifyReply, FastifyRequest } from "fastify";
import { HttpError, problemOf } from "./problem.ts";

/** Answers with what was thrown; only what is our own fault is logged. */
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
