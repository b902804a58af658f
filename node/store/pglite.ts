import type { PGlite, Transaction } from "@electric-sql/pglite";
import { loadPeer } from "../peers.ts";
import type { Database, Sql } from "./database.ts";

/** The embedded PostgreSQL in a folder. One process at a time: see `lockFolder`. */
export async function openPglite(folder: string): Promise<Database> {
  const { PGlite } = await loadPeer("store: the embedded database", "@electric-sql/pglite");
  const db = await PGlite.create(folder);
  return {
    ...sqlOf(db),
    transaction: async (run) => db.transaction((tx) => run(sqlOf(tx))),
    close: () => db.close(),
  };
}

function sqlOf(db: PGlite | Transaction): Sql {
  return {
    query: async <T>(statement: string, values: readonly unknown[] = []) =>
      (await db.query<T>(statement, [...values])).rows,
    script: async <T>(statements: string) => ((await db.exec(statements)).at(-1)?.rows ?? []) as T[],
  };
}
