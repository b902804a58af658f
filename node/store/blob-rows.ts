import {
  chmodSync,
  createReadStream,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
} from "node:fs";
import { readFile, rm, utimes } from "node:fs/promises";
import { join } from "node:path";
import { ColaError } from "../../src/errors.ts";
import {
  type Blobs,
  checked,
  checkRef,
  digestOf,
  digestOfFile,
  lost,
  PIECE,
  type Ref,
  writeDurably,
} from "./blobs.ts";
import type { Database, Sql } from "./database.ts";

const DAY_MS = 86_400_000;
/** Whether something went well. */
const SAID = [() => true, () => false] as const;

/** Files by content in rows of the database, a piece in each; what was used last is also at hand in a folder. */
export function openRows(db: Database, cache: string): Blobs {
  clearOld(cache);
  const near = (ref: Ref): string => join(cache, checkRef(ref));
  const touch = async (ref: Ref): Promise<boolean> =>
    (await db.query("update blobs set touched_at = now() where ref = $1 returning ref", [checkRef(ref)]))
      .length > 0;
  const keep = async (ref: Ref, bytes: number, pieces: AsyncIterable<Uint8Array>): Promise<Ref> => {
    if (!(await touch(ref)))
      await db.transaction(async (sql) => {
        const made = await sql.query(
          "insert into blobs (ref, bytes) values ($1, $2) on conflict do nothing returning ref",
          [ref, bytes],
        );
        if (made.length > 0) await insertPieces(sql, ref, pieces);
      });
    return ref;
  };
  const fetched = async (ref: Ref): Promise<Uint8Array> => {
    const parts: Uint8Array[] = [];
    await sizeOf(db, ref);
    for await (const piece of checked(ref, storedPieces(db, ref))) parts.push(piece);
    return Buffer.concat(parts);
  };
  const get = async (ref: Ref): Promise<Uint8Array> => {
    const known = existsSync(near(ref)) ? await readFile(near(ref)) : undefined;
    if (known && (await digestOf(known)) === ref.slice(0, 64)) return known;
    return fetched(ref);
  };
  return {
    get,
    put: async (bytes, kind) => keep(`${await digestOf(bytes)}.${kind}`, bytes.length, piecesOf(bytes)),
    async putFile(path, kind) {
      const ref = `${await digestOfFile(path)}.${kind}`;
      await keep(ref, statSync(path).size, createReadStream(path, { highWaterMark: PIECE }));
      await rm(path, { force: true });
      return ref;
    },
    async stream(ref) {
      const bytes = await sizeOf(db, ref);
      const pieces = checked(ref, storedPieces(db, ref));
      return { bytes, pieces };
    },
    async path(ref) {
      const bytes = await get(ref);
      const good = existsSync(near(ref)) && (await digestOfFile(near(ref))) === ref.slice(0, 64);
      // Marked as used now, so that no other process removes it as unused.
      const young = good && (await utimes(near(ref), new Date(), new Date()).then(...SAID));
      if (!young) await writeDurably(near(ref), bytes);
      return near(ref);
    },
    async check(ref) {
      await sizeOf(db, ref);
      for await (const _ of checked(ref, storedPieces(db, ref)));
    },
    has: async (ref, sql = db) =>
      (await sql.query("select 1 from blobs where ref = $1", [checkRef(ref)])).length > 0,
    async touch(ref) {
      await touch(ref);
    },
    async remove(ref, before, sql = db) {
      await rm(near(ref), { force: true });
      const gone = await sql.query(
        "delete from blobs where ref = $1 and ($2::timestamptz is null or touched_at < $2) returning ref",
        [ref, before ?? null],
      );
      return gone.length > 0;
    },
    unused: async (before) =>
      (await db.query<{ ref: Ref }>("select ref from blobs where touched_at < $1", [before])).map(
        ({ ref }) => ref,
      ),
  };
}

async function sizeOf(sql: Sql, ref: Ref): Promise<number> {
  const rows = await sql.query<{ bytes: number | string }>("select bytes from blobs where ref = $1", [
    checkRef(ref),
  ]);
  if (!rows[0]) throw lost(ref);
  return Number(rows[0].bytes);
}

async function insertPieces(sql: Sql, ref: Ref, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  let number = 0;
  for await (const piece of pieces)
    await sql.query("insert into blob_chunks (ref, number, bytes) values ($1, $2, $3)", [
      ref,
      number++,
      Buffer.from(piece),
    ]);
}

async function* storedPieces(sql: Sql, ref: Ref): AsyncGenerator<Uint8Array> {
  for (let number = 0; ; number++) {
    const rows = await sql.query<{ bytes: Uint8Array }>(
      "select bytes from blob_chunks where ref = $1 and number = $2",
      [ref, number],
    );
    if (!rows[0]) return;
    yield rows[0].bytes;
  }
}

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
}

/** Copies that this machine has not used for a day are removed. */
function clearOld(cache: string): void {
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  refuseForeign(cache);
  for (const name of readdirSync(cache)) {
    const found = statSync(join(cache, name), { throwIfNoEntry: false });
    if (found && Date.now() - found.mtimeMs > DAY_MS) rmSync(join(cache, name), { force: true });
  }
}

/** In a folder for everybody's temporary files another user may have been first, and could change what is read from ours. */
function refuseForeign(cache: string): void {
  const found = lstatSync(cache);
  const uid = process.getuid?.();
  if (found.isDirectory() && (uid === undefined || found.uid === uid)) {
    chmodSync(cache, 0o700);
    return;
  }
  throw new ColaError(
    "FILE_UNWRITABLE",
    `store: ${cache} belongs to another user or is a link; remove it, or name another folder for temporary files in TMPDIR.`,
    { folder: cache },
  );
}
