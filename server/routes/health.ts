import type { FastifyPluginAsyncZod } from "fastify-type-provider-zod";
import { z } from "zod";
import { VERSION } from "../../src/version.ts";
import type { Metrics } from "../metrics.ts";
import { HttpError } from "../problem.ts";
import { refusals } from "../schemas/answers.ts";
import type { Server } from "../server.ts";

const fine = z.object({ status: z.literal("ok"), version: z.string() });

/** Is the process alive, can it take work, and how is it doing. */
export const healthRoutes =
  (server: Server, metrics: Metrics, stopping: () => boolean): FastifyPluginAsyncZod =>
  async (app) => {
    const free = { config: { rateLimit: false } };
    const tags = ["operation"];
    app.get(
      "/health/live",
      { ...free, schema: { summary: "The process answers", tags, response: { 200: fine, ...refusals } } },
      async () => ({ status: "ok" as const, version: VERSION }),
    );
    app.get(
      "/health/ready",
      {
        ...free,
        schema: { summary: "The store answers and has room", tags, response: { 200: fine, ...refusals } },
      },
      async () => {
        if (stopping()) throw new HttpError("BUSY", "The server is stopping.", 5);
        await server.store.db.query("select 1 as one");
        if (server.space.low()) throw new HttpError("BUSY", "The disk of the server is nearly full.", 60);
        return { status: "ok" as const, version: VERSION };
      },
    );
    app.get(
      "/metrics",
      {
        ...free,
        schema: { summary: "Figures for Prometheus", tags, response: { 200: z.string(), ...refusals } },
      },
      async (request, reply) => {
        const text = await metrics.registry.metrics();
        const all = !request.keyed || request.watches;
        return reply.type(metrics.registry.contentType).send(all ? text : withoutOthers(text, request.owner));
      },
    );
  };

/** Figures without those of other owners: who they are is the operator's to know. */
function withoutOthers(text: string, owner: string): string {
  const others = (line: string): boolean => /\bowner="([^"]*)"/.exec(line)?.[1] !== owner;
  return text
    .split("\n")
    .filter((line) => !line.includes('owner="') || !others(line))
    .join("\n");
}
