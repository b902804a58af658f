import { existsSync, mkdirSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { ColaError, isColaError, messageOf } from "../../src/errors.ts";
import { checkWritable } from "../files.ts";
import { type Blobs, openBlobs } from "./blobs.ts";
import type { Database } from "./database.ts";
import { type Lock, lockFolder } from "./lock.ts";
import { migrate } from "./migrations.ts";
import { openPglite } from "./pglite.ts";

/** Everything a server keeps: rows in the database, files by content beside it. */
export interface Store {
  readonly folder: string;
  readonly db: Database;
  readonly blobs: Blobs;
  close(): Promise<void>;
}

/** Bytes below which a database that does not open is taken for one without room: it needs some to start. */
const ROOM_BYTES = 2 ** 26;

/** Opens a data folder, making it where it is missing; one process at a time. */
export async function openStore(folder: string): Promise<Store> {
  const { lock, blobs } = await take(folder);
  try {
    const db = await openDatabase(folder);
    return {
      folder,
      db: guarded(db, lock),
      blobs,
      async close() {
        if (ours(lock)) await db.close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function take(folder: string): Promise<{ readonly lock: Lock; readonly blobs: Blobs }> {
  checkWritable(folder);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const blobs = openBlobs(join(folder, "files"));
    return { lock: await lockFolder(folder), blobs };
  } catch (error) {
    throw isColaError(error) ? error : unusable(folder, error);
  }
}

/** Why a folder cannot be used: no room, or what the system says. */
function unusable(folder: string, error: unknown): ColaError {
  const mebibytes = Math.floor(freeBytes(folder) / 2 ** 20);
  if (freeBytes(folder) < ROOM_BYTES)
    return new ColaError(
      "FILE_UNWRITABLE",
      `store: the disk of ${folder} is full (${mebibytes} MiB are free); free at least ${ROOM_BYTES / 2 ** 20} MiB and start again.`,
      { folder, mebibytes },
      error,
    );
  return new ColaError(
    "FILE_UNWRITABLE",
    `store: ${folder} cannot be used: ${messageOf(error).slice(0, 300)}; name another folder by --store.`,
    { folder },
    error,
  );
}

/** Bytes left on the disk of a folder. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

async function openDatabase(folder: string): Promise<Database> {
  const path = join(folder, "database");
  const old = existsSync(path);
  let opened = false;
  try {
    const db = await openPglite(path);
    opened = true;
    await migrate(db);
    return db;
  } catch (error) {
    if (isColaError(error)) throw error;
    if (!old || freeBytes(folder) < ROOM_BYTES) throw unusable(folder, error);
    if (opened) throw error;
    throw new ColaError(
      "FILE_UNREADABLE",
      `store: the database in ${path} is damaged and cannot be opened (${messageOf(error).slice(0, 100)}); put ${folder} back from a copy, or name another folder by --store.`,
      { folder },
      error,
    );
  }
}

/** Nothing is read or written once the folder is another process's. */
function guarded(db: Database, lock: Lock): Database {
  return {
    async query(statement, values) {
      lock.check();
      return db.query(statement, values);
    },
    async script(statements) {
      lock.check();
      return db.script(statements);
    },
    async transaction(run) {
      lock.check();
      return db.transaction(run);
    },
    close: () => db.close(),
  };
}

function ours(lock: Lock): boolean {
  try {
    lock.check();
    return true;
  } catch {
    return false;
  }
}
