import { existsSync, mkdirSync, statfsSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join, resolve } from "node:path";
import { ColaError, isColaError, messageOf } from "../../src/errors.ts";
import { type Signer, signerOf } from "../audit/sign.ts";
import { checkWritable } from "../files.ts";
import { openRows } from "./blob-rows.ts";
import { type Blobs, openFolder } from "./blobs.ts";
import { type Database, takeTurn } from "./database.ts";
import { endLeases } from "./jobs.ts";
import { type Lock, lockFolder } from "./lock.ts";
import { migrate } from "./migrations.ts";
import { openPglite } from "./pglite.ts";
import { isPostgres, openPostgres } from "./postgres.ts";

/** Where everything is kept: a folder with the embedded database, or a PostgreSQL server. */
export interface Place {
  readonly folder?: string;
  /** Address of a PostgreSQL server; many processes may use it. */
  readonly database?: string;
  /** With a PostgreSQL server: a folder for the files, which all machines share. Default: in the database. */
  readonly blobs?: string;
  /** PEM of the private key that signs the audit trail. */
  readonly auditKey?: string;
}

/** Where the files are, for a process beside this one: a folder, or the database with a folder to have some at hand. */
export interface FilesAt {
  readonly folder: string;
  readonly rows: boolean;
}

/** Everything a server keeps: rows in the database, files by content beside it or in it. */
export interface Store {
  /** A folder of this machine: of the files, or of those at hand. */
  readonly folder: string;
  readonly db: Database;
  readonly blobs: Blobs;
  readonly filesAt: FilesAt;
  /** Signs the audit trail, where a key was given. */
  readonly signer?: Signer;
  /** Leaves nothing of deleted rows in the files of the database; absent where these are another's to look after. */
  overwrite?(): Promise<void>;
  close(): Promise<void>;
}

/** The variable by which processes beside this one know the database: command lines can be read by everybody. */
export const DATABASE = "COLA_DATABASE_URL";

/** Bytes below which a database that does not open is taken for one without room: it needs some to start. */
const ROOM_BYTES = 2 ** 26;

/** Opens a store, making it where it is missing. */
export async function openStore(place: string | Place): Promise<Store> {
  const given: Place = typeof place === "string" ? { folder: place } : place;
  const { database, blobs } = given;
  const signed = given.auditKey === undefined ? {} : { signer: signerOf(given.auditKey) };
  if (database !== undefined) return { ...(await openShared(database, blobs)), ...signed };
  if (isPostgres(given.folder ?? ""))
    throw new ColaError(
      "OPTION_INVALID",
      "store: --store takes a folder; give the address of a PostgreSQL server with --database.",
    );
  return { ...(await openEmbedded(folderOf(given))), ...signed };
}

/** The folder on this machine that a store uses. */
export function folderOf({ folder = "cola-store", database, blobs }: Place): string {
  if (database === undefined) return resolve(folder);
  return blobs === undefined ? join(tmpdir(), `cola-files-${userInfo().uid}`) : resolve(blobs);
}

/** The files again, in a process beside the one that opened the store. */
export async function openFiles({ folder, rows }: FilesAt, database: string): Promise<Blobs> {
  return rows ? openRows(await openPostgres(database, 2), folder) : openFolder(folder);
}

/** A PostgreSQL server, for as many processes as come. */
async function openShared(database: string, blobs: string | undefined): Promise<Store> {
  if (!isPostgres(database))
    throw new ColaError(
      "OPTION_INVALID",
      "store: --database takes the address of a PostgreSQL server here, as postgres://user:password@host:5432/name.",
    );
  const rows = blobs === undefined;
  const folder = folderOf({ database, ...(rows ? {} : { blobs }) });
  checkWritable(folder);
  const db = await openPostgres(database);
  try {
    await db.transaction(async (sql) => {
      await takeTurn(sql, "schema");
      await sql.script("create schema if not exists cola");
    });
    await migrate(db);
  } catch (error) {
    await db.close();
    throw error;
  }
  return {
    ...{ folder, db, filesAt: { folder, rows } },
    blobs: rows ? openRows(db, folder) : openFolder(folder),
    close: () => db.close(),
  };
}

/** A data folder of one process; what a process that died had taken is free at once. */
async function openEmbedded(folder: string): Promise<Store> {
  const { lock, blobs } = await take(folder);
  try {
    const db = await openDatabase(folder);
    return {
      ...{ folder, blobs, filesAt: { folder: join(folder, "files"), rows: false } },
      db: guarded(db, lock),
      overwrite: () => overwriteDeleted(db),
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
    const blobs = openFolder(join(folder, "files"));
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
    await endLeases(db);
    return db;
  } catch (error) {
    if (isColaError(error)) throw error;
    if (!old || freeBytes(folder) < ROOM_BYTES) throw unusable(folder, error);
    if (opened) throw error;
    throw new ColaError(
      "FILE_UNREADABLE",
      `store: the database in ${path} is damaged and cannot be opened (${messageOf(error).slice(0, 100)}); put ${folder} back from a copy, or name another folder with --store.`,
      { folder },
      error,
    );
  }
}

/** Tables are written anew, and the log of what was written to them ends. */
async function overwriteDeleted(db: Database): Promise<void> {
  const tables = "jobs, explanations, idempotency, resources, inline_files";
  for (const statement of [
    `vacuum full ${tables}`,
    "set wal_recycle = off",
    "select pg_switch_wal()",
    "checkpoint",
  ])
    await db.script(statement);
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
