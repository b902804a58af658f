import { randomUUID } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { digestOf } from "../node/store/blobs.ts";
import { RENEW_MS, type Sql } from "../node/store/database.ts";
import { answerKey, claimKey, releaseKey, renewKey } from "../node/store/idempotency.ts";
import { HttpError } from "./problem.ts";

/** What the caller's key says: do it (and tell the id of the answer), or it was done. */
export interface Once {
  /** Id of the first answer, when there is one. */
  readonly first: string | undefined;
  /** Notes the answer, within the transaction that keeps it. */
  answered(sql: Sql, id: string): Promise<void>;
  /** The work came to nothing. */
  release(): Promise<void>;
}

/**
 * A repeated `Idempotency-Key` returns the first answer; with another body it is refused (422), and while the
 * first is still being answered too (409).
 */
export async function once(sql: Sql, request: FastifyRequest): Promise<Once> {
  const key = request.headers["idempotency-key"];
  if (key === undefined) return { first: undefined, answered: async () => {}, release: async () => {} };
  if (typeof key !== "string" || !/^[\x21-\x7e]{1,200}$/.test(key))
    throw new HttpError(
      "REQUEST_INVALID",
      "Idempotency-Key must be 1 to 200 printable characters without spaces.",
    );
  const taken = { owner: request.owner, key, claim: randomUUID() };
  const digest = await digestOf(Buffer.from(`${request.url}\n${JSON.stringify(request.body)}`));
  const claim = await claimKey(sql, taken, digest);
  if (claim && claim.digest !== digest)
    throw new HttpError("IDEMPOTENCY_MISMATCH", "This Idempotency-Key came with another body before.");
  if (claim && claim.answer === null) throw stillAnswered();
  if (claim) return { first: claim.answer!, answered: async () => {}, release: async () => {} };
  const renewed = setInterval(() => void renewKey(sql, taken).catch(() => {}), RENEW_MS).unref();
  return {
    first: undefined,
    async answered(tx, id) {
      clearInterval(renewed);
      if (!(await answerKey(tx, taken, id))) throw stillAnswered();
    },
    async release() {
      clearInterval(renewed);
      // A key that cannot be freed now is free of itself soon.
      await releaseKey(sql, taken).catch(() => {});
    },
  };
}

function stillAnswered(): HttpError {
  const words = "The first request with this Idempotency-Key is still being answered.";
  return new HttpError("STATE_CONFLICT", words, 1);
}
