import { randomUUID } from "node:crypto";
import { type Database, takeTurn } from "../node/store/database.ts";
import { reserve, unreserve, usedBytes } from "../node/store/resources.ts";
import { HttpError } from "./problem.ts";

/** Bytes that owners may keep. */
export interface Quota {
  /** Stores so many bytes more of an owner, or refuses before anything is stored. */
  within<T>(owner: string, bytes: number, store: () => Promise<T>): Promise<T>;
  /** Would so many bytes more be too many? */
  exceeded(owner: string, bytes: number): Promise<boolean>;
}

/** What is being stored counts like what is: many at once, on many machines, cannot get past the limit together. */
export function createQuota(db: Database, most: number): Quota {
  return {
    exceeded: async (owner, bytes) => (await usedBytes(db, owner)) + bytes > most,
    async within(owner, bytes, store) {
      if (bytes === 0) return store();
      const id = randomUUID();
      await db.transaction(async (sql) => {
        await takeTurn(sql, `owner ${owner}`);
        if ((await usedBytes(sql, owner)) + bytes > most)
          throw new HttpError(
            "QUOTA",
            `All uploads and inline data together may have ${most} bytes; delete uploads you do not need.`,
          );
        await reserve(sql, id, owner, bytes);
      });
      try {
        return await store();
      } finally {
        // What cannot be said now is forgotten of itself.
        await unreserve(db, id).catch(() => {});
      }
    },
  };
}
