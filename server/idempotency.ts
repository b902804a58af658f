import type { FastifyRequest } from "fastify";
import { sha256 } from "../node/store/blobs.ts";
import type { Sql } from "../node/store/database.ts";
import { answerKey, claimKey, releaseKey } from "../node/store/idempotency.ts";
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
  const digest = sha256(`${request.routeOptions.url}\n${JSON.stringify(request.body)}`);
  const claim = await claimKey(sql, request.owner, key, digest);
  if (claim && claim.digest !== digest)
    throw new HttpError("IDEMPOTENCY_MISMATCH", "This Idempotency-Key came with another body before.");
  if (claim && claim.answer === null)
    throw new HttpError(
      "STATE_CONFLICT",
      "The first request with this Idempotency-Key is still being answered.",
      1,
    );
  return {
    first: claim?.answer ?? undefined,
    answered: (tx, id) => answerKey(tx, request.owner, key, id),
    release: () => releaseKey(sql, request.owner, key),
  };
}
