import type { PGlite, Transaction } from "@electric-sql/pglite";
import { loadPeer, type Peer } from "../peers.ts";
import type { Database, Sql } from "./database.ts";

/** The package of the database. */
export const databasePeer: Peer<typeof import("@electric-sql/pglite")> = {
  name: "@electric-sql/pglite",
  load: () => import("@electric-sql/pglite"),
};

/** The embedded PostgreSQL in a folder. One process at a time: see `lockFolder`. */
export async function openPglite(folder: string): Promise<Database> {
  const { PGlite } = await loadPeer("store: the embedded database", databasePeer);
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
