import type { PassThrough } from "node:stream";
import type { FastifyPluginAsyncZod } from "fastify-type-provider-zod";
import type { Store } from "../node/store/store.ts";
import type { ServerLimits } from "./config.ts";
import type { Gate } from "./gate.ts";
import type { JobEvents } from "./jobs/events.ts";
import type { Runner } from "./jobs/runner.ts";
import type { RequestContext } from "./run/recipe.ts";
import type { Space } from "./space.ts";
import type { Workers } from "./work/workers.ts";

/** The app as the routes see it, with types from their schemas. */
export type Api = Parameters<FastifyPluginAsyncZod>[0];

/** What the routes share. */
export interface Server extends RequestContext {
  readonly store: Store;
  readonly workers: Workers;
  readonly gate: Gate;
  readonly events: JobEvents;
  readonly runner: Runner;
  readonly space: Space;
  readonly limits: ServerLimits;
  /** Open event streams and whose they are; a stop ends them. */
  readonly streams: Map<PassThrough, string>;
}
