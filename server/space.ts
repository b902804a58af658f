import { statfsSync } from "node:fs";
import type { FastifyInstance } from "fastify";
import { HttpError } from "./problem.ts";

/** How long a look at the disk is believed. */
const BELIEVE_MS = 2000;

/** Refuses what would be stored when the disk of the folder is nearly full: what is kept already must stay readable. */
export function addSpaceCheck(app: FastifyInstance, folder: string, leastBytes: number): void {
  let free = Number.POSITIVE_INFINITY;
  let seen = Number.NEGATIVE_INFINITY;
  app.addHook("preHandler", async ({ method }) => {
    if (method !== "POST") return;
    if (performance.now() - seen > BELIEVE_MS) {
      const { bavail, bsize } = statfsSync(folder);
      [free, seen] = [bavail * bsize, performance.now()];
    }
    if (free < leastBytes) throw new HttpError("QUOTA", "The disk of the server is nearly full.", 60);
  });
}
