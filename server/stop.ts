import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import type { ServerLimits } from "./config.ts";

/**
 * Closes connections during a stop; returns what begins it. Those kept open between requests are closed as soon as
 * their answer is sent. A request that has not come whole when the grace is over is given up, for its sender may be
 * silent for ever; so is, later, whatever is open after all work has had its time.
 */
export function closesConnections(
  { server }: FastifyInstance,
  { graceMs, timeNowMs }: Pick<ServerLimits, "graceMs" | "timeNowMs">,
): () => void {
  const unread = watchUnread(server);
  return () => {
    const timers = [
      setInterval(() => server.closeIdleConnections(), 50),
      setTimeout(() => {
        for (const socket of unread()) socket.destroy();
      }, graceMs),
      setTimeout(() => server.closeAllConnections(), graceMs + timeNowMs),
    ];
    for (const timer of timers) timer.unref();
    server.once("close", () => {
      for (const timer of timers) clearTimeout(timer);
    });
  };
}

/** Connections whose request has not come whole. */
function watchUnread(server: FastifyInstance["server"]): () => Socket[] {
  const whole = new Map<Socket, () => boolean>();
  server.on("connection", (socket: Socket) => {
    whole.set(socket, () => false);
    socket.once("close", () => whole.delete(socket));
  });
  server.on("request", (request: IncomingMessage) => whole.set(request.socket, () => request.complete));
  return () => [...whole].filter(([, isWhole]) => !isWhole()).map(([socket]) => socket);
}
