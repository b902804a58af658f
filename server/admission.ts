import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ServerLimits } from "./config.ts";
import { HttpError } from "./problem.ts";

/** What is in the house: requests, and bytes of bodies that are or will be read. */
export interface House {
  readonly requests: number;
  readonly bytes: number;
}

/**
 * Counts requests before a byte of their bodies is read, so that memory stays bounded however many come at
 * once; health and metrics are always answered.
 */
export function addAdmission(app: FastifyInstance, limits: ServerLimits): House {
  const inside = new WeakMap<FastifyRequest, number>();
  const house = { requests: 0, bytes: 0 };
  app.addHook("onRequest", async (request, reply) => {
    if (/^\/(health|metrics)/.test(request.routeOptions.url ?? "")) return;
    const bytes = declaredBytes(request, limits);
    if (house.requests >= limits.requests || house.bytes + bytes > limits.requestBytes)
      throw new HttpError("BUSY", "Too many requests at once; try again soon.", 1);
    house.requests++;
    house.bytes += bytes;
    inside.set(request, bytes);
    const leave = (): void => {
      const held = inside.get(request);
      if (held === undefined) return;
      inside.delete(request);
      house.requests--;
      house.bytes -= held;
    };
    reply.raw.once("close", leave);
    request.leave = leave;
  });
  app.addHook("onResponse", async (request) => request.leave?.());
  return house;
}

/** A body without a declared length counts as the largest. */
function declaredBytes({ headers }: FastifyRequest, limits: ServerLimits): number {
  if (headers["transfer-encoding"] !== undefined) return limits.bodyBytes;
  const length = Number(headers["content-length"] ?? 0);
  return Number.isFinite(length) && length > 0 ? Math.min(length, limits.uploadBytes) : 0;
}

declare module "fastify" {
  interface FastifyRequest {
    leave?: () => void;
  }
}
