import type { Sql } from "../node/store/database.ts";
import { usedBytes } from "../node/store/resources.ts";
import { HttpError } from "./problem.ts";

/** Bytes that owners may keep. */
export interface Quota {
  /** Stores so many bytes more of an owner, or refuses before anything is stored. */
  within<T>(owner: string, bytes: number, store: () => Promise<T>): Promise<T>;
  /** Would so many bytes more be too many? */
  exceeded(owner: string, bytes: number): Promise<boolean>;
}

/** What is being stored counts like what is: many at once cannot get past the limit together. */
export function createQuota(sql: Sql, most: number): Quota {
  const coming = new Map<string, number>();
  const exceeded = async (owner: string, bytes: number): Promise<boolean> =>
    (await usedBytes(sql, owner)) + (coming.get(owner) ?? 0) + bytes > most;
  const add = (owner: string, bytes: number): void => {
    const sum = (coming.get(owner) ?? 0) + bytes;
    if (sum === 0) coming.delete(owner);
    else coming.set(owner, sum);
  };
  return {
    exceeded,
    async within(owner, bytes, store) {
      if (bytes === 0) return store();
      add(owner, bytes);
      try {
        if (await exceeded(owner, 0))
          throw new HttpError(
            "QUOTA",
            `All uploads and inline data together may have ${most} bytes; delete uploads you do not need.`,
          );
        return await store();
      } finally {
        add(owner, -bytes);
      }
    },
  };
}
