import type { FastifyInstance } from "fastify";
import { freeBytes } from "../node/store/store.ts";
import { HttpError } from "./problem.ts";

/** How long a look at the disk is believed. */
const FRESH_MS = 2000;

/** The room on the disk of a folder. */
export interface Space {
  /** Is so little left that nothing more should be stored? */
  low(): boolean;
}

export function createSpace(folder: string, leastBytes: number, look = freeBytes): Space {
  let free = Number.POSITIVE_INFINITY;
  let seen = Number.NEGATIVE_INFINITY;
  return {
    low() {
      if (performance.now() - seen > FRESH_MS) [free, seen] = [look(folder), performance.now()];
      return free < leastBytes;
    },
  };
}

/** Refuses what would be stored when the disk is nearly full: what is kept already must stay readable. */
export function addSpaceCheck(app: FastifyInstance, space: Space): void {
  app.addHook("preHandler", async ({ method }) => {
    if (method === "POST" && space.low())
      throw new HttpError("QUOTA", "The disk of the server is nearly full.", 60);
  });
}
