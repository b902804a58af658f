import type { FastifyPluginAsyncZod } from "fastify-type-provider-zod";
import { z } from "zod";
import { headOf } from "../../node/audit/trail.ts";
import { refusals } from "../schemas/answers.ts";
import type { Server } from "../server.ts";

const head = z.object({
  seq: z.int().describe("number of the newest record"),
  hash: z.string().describe("its hash, which covers all before it"),
  signature: z
    .string()
    .nullable()
    .describe("Ed25519 over `head SEQ HASH`, base64; null: the server has no key"),
  publicKey: z.string().nullable().describe("PEM of the key that signs now"),
});

/** The newest hash of the trail, to be kept where nobody who can write to the store can. */
export const auditRoutes =
  ({ store }: Server): FastifyPluginAsyncZod =>
  async (app) => {
    app.get(
      "/v1/audit/head",
      {
        schema: {
          summary: "The newest hash of the audit trail, for anchoring elsewhere",
          tags: ["audit"],
          response: { 200: head, ...refusals },
        },
      },
      async () => {
        const newest = (await headOf(store.db)) ?? { seq: 0, hash: "0".repeat(64), signature: null };
        return { ...newest, publicKey: store.signer?.publicKey ?? null };
      },
    );
  };
