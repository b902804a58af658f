import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Blobs, openBlobs } from "./blobs.ts";
import type { Database } from "./database.ts";
import { lockFolder } from "./lock.ts";
import { migrate } from "./migrations.ts";
import { openPglite } from "./pglite.ts";

/** Everything a server keeps: rows in the database, files by content beside it. */
export interface Store {
  readonly folder: string;
  readonly db: Database;
  readonly blobs: Blobs;
  close(): Promise<void>;
}

/** Opens a data folder, making it where it is missing; one process at a time. */
export async function openStore(folder: string): Promise<Store> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const release = lockFolder(folder);
  try {
    const db = await openPglite(join(folder, "database"));
    await migrate(db);
    return {
      folder,
      db,
      blobs: openBlobs(join(folder, "files")),
      async close() {
        await db.close();
        release();
      },
    };
  } catch (error) {
    release();
    throw error;
  }
}
