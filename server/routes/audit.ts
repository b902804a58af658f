import type { FastifyPluginAsyncZod } from "fastify-type-provider-zod";
import { z } from "zod";
import { headOf } from "../../node/audit/trail.ts";
import { verifyAudit } from "../../node/audit/verify.ts";
import { HttpError } from "../problem.ts";
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

const verified = z.object({
  ok: z.boolean(),
  records: z.int(),
  signed: z.int().describe("records that are signed by the key of the server"),
  head: z.string().describe("the newest hash"),
  problems: z.int().describe("how many were found; `cola audit verify` says which"),
});

/** The newest hash of the trail, to be kept where nobody who can write to the store can, and what a verification finds. */
export const auditRoutes =
  ({ store, gate }: Server): FastifyPluginAsyncZod =>
  async (app) => {
    app.get(
      "/v1/audit/verify",
      {
        schema: {
          summary:
            "Whether everything kept is as the audit trail says, while the server runs; for admin keys",
          tags: ["audit"],
          querystring: z.object({
            head: z
              .string()
              .regex(/^[0-9a-f]{64}$/)
              .optional()
              .describe("a hash kept elsewhere, which must still be in the trail"),
          }),
          response: { 200: verified, ...refusals },
        },
      },
      async ({ owner, mayErase, query: { head } }) => {
        if (!mayErase) throw new HttpError("ROLE_REFUSED", "A key of this role may not verify the trail.");
        const expected = head === undefined ? {} : { head };
        // What is found names others' uploads and explanations: whoever may read the store is told of them.
        const { problems, ...told } = await gate.enter(owner, () => verifyAudit(store, expected));
        return { ...told, problems: problems.length };
      },
    );
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
