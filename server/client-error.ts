import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { HttpError, problemOf } from "./problem.ts";

/** Answers what came, as far as it came, and is not a request: its sender hears a problem as for any other refusal. */
export function refuseUnread(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || socket.destroyed) return;
  const refused =
    error.code === "ERR_HTTP_REQUEST_TIMEOUT"
      ? new HttpError("TOO_SLOW", "The request did not arrive completely in time.")
      : error.code === "HPE_HEADER_OVERFLOW"
        ? new HttpError("HEADERS_TOO_LARGE", "The address and headers together may have 16 KiB.")
        : new HttpError("REQUEST_INVALID", "This is not valid HTTP.");
  const status = refused.statusCode;
  const body = JSON.stringify(problemOf(refused, ""));
  if (socket.writable)
    socket.write(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  socket.destroy(error);
}
