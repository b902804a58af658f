import type { FastifyInstance } from "fastify";

/** Connections the system may hold until they are accepted; beyond it callers would see resets instead of 503. */
const BACKLOG = 4096;

/** Opens the socket; the address in words. */
export function listen(app: FastifyInstance, host: string, port: number): Promise<string> {
  return app.listen({ host, port, backlog: BACKLOG });
}
