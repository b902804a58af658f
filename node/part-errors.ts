import { ColaError, type ErrorCode, isColaError, messageOf } from "../src/errors.ts";
import type { PartError } from "./part-messages.ts";

/** An error as it crosses between threads. */
export function crossing(error: unknown): PartError {
  const message = messageOf(error);
  if (!isColaError(error)) return { message, details: {} };
  return { code: error.code, message, details: JSON.parse(JSON.stringify(error.details)) };
}

/** The error that has crossed. */
export function crossed({ code, message, details }: PartError): Error {
  return code === undefined ? new Error(message) : new ColaError(code as ErrorCode, message, details);
}
