import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ServerLimits } from "./config.ts";
import { SHARE } from "./gate.ts";
import { HttpError } from "./problem.ts";

/** What has been admitted: requests, and bytes of bodies that are or will be read. */
interface Admission {
  readonly requests: number;
  readonly bytes: number;
}

/**
 * Counts requests before a byte of their bodies is read, so that memory stays bounded however many come at
 * once; health and metrics are always answered.
 */
export function addAdmission(app: FastifyInstance, limits: ServerLimits): Admission {
  const inside = new WeakMap<FastifyRequest, number>();
  const admitted = { requests: 0, bytes: 0 };
  app.addHook("onRequest", async (request, reply) => {
    if (/^\/(health|metrics)/.test(request.routeOptions.url ?? "")) return;
    const bytes = declaredBytes(request, limits);
    if (admitted.requests >= limits.requests || admitted.bytes + bytes > limits.requestBytes)
      throw new HttpError("BUSY", "Too many requests at once; try again soon.", 1);
    admitted.requests++;
    admitted.bytes += bytes;
    inside.set(request, bytes);
    const leave = (): void => {
      const held = inside.get(request);
      if (held === undefined) return;
      inside.delete(request);
      admitted.requests--;
      admitted.bytes -= held;
    };
    reply.raw.once("close", leave);
    request.leave = leave;
  });
  app.addHook("onResponse", async (request) => request.leave?.());
  return admitted;
}

/** Called once the owner is known: one owner alone never takes all the places, however slowly its bodies arrive. */
export function addShares(app: FastifyInstance, limits: ServerLimits): void {
  const owners = new Map<string, { requests: number; bytes: number }>();
  app.addHook("onRequest", async (request, reply) => {
    const { owner, leave } = request;
    if (!leave || !request.keyed) return;
    const bytes = declaredBytes(request, limits);
    const mine = owners.get(owner) ?? { requests: 0, bytes: 0 };
    const full = mine.bytes > 0 && mine.bytes + bytes > limits.requestBytes * SHARE;
    if (mine.requests >= Math.ceil(limits.requests * SHARE) || full)
      throw new HttpError("BUSY", "Too many requests of this key at once; try again soon.", 1);
    mine.requests++;
    mine.bytes += bytes;
    owners.set(owner, mine);
    reply.raw.once("close", () => {
      mine.requests--;
      mine.bytes -= bytes;
      if (mine.requests === 0) owners.delete(owner);
    });
  });
}

/** A body without a declared length counts as the largest that its address takes. */
function declaredBytes({ headers, routeOptions }: FastifyRequest, limits: ServerLimits): number {
  if (headers["transfer-encoding"] !== undefined) return routeOptions.bodyLimit ?? limits.bodyBytes;
  const length = Number(headers["content-length"] ?? 0);
  return Number.isFinite(length) && length > 0 ? Math.min(length, limits.uploadBytes) : 0;
}

declare module "fastify" {
  interface FastifyRequest {
    leave?: () => void;
  }
}
