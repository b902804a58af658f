import { createHash, type Hash, randomBytes } from "node:crypto";
import { createReadStream, existsSync, mkdirSync } from "node:fs";
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ColaError } from "../../src/errors.ts";
import { unwritable } from "../files.ts";
import type { Sql } from "./database.ts";

/** Name of a stored file: the SHA-256 of its bytes and what kind of bytes they are. Never a path. */
export type Ref = string;

const REF = /^[0-9a-f]{64}\.[a-z]{2,8}$/;
const REFS = /[0-9a-f]{64}\.[a-z]{2,8}/g;

/** The stored files that a text names. */
export function refsIn(text: string): readonly Ref[] {
  return text.match(REFS) ?? [];
}
/** Bytes read, hashed or written at a time: who else waits for the thread is heard in between. */
export const PIECE = 2 ** 20;

/** Files by content: in a folder, or in rows of the database. No name leaves where they are. */
export interface Blobs {
  /** Keeps bytes; the same bytes are kept once, and are as young as the last time they came. */
  put(bytes: Uint8Array, kind: string): Promise<Ref>;
  /** Keeps a file that was made elsewhere on this machine; it is gone from there afterwards. */
  putFile(path: string, kind: string): Promise<Ref>;
  /** The bytes, after their digest was checked. */
  get(ref: Ref): Promise<Uint8Array>;
  /** The bytes piece by piece, as long as they are what their name says; else the last of them never comes. */
  stream(ref: Ref): Promise<{ readonly bytes: number; readonly pieces: AsyncIterable<Uint8Array> }>;
  /** Where a file with the bytes lies on this machine, after their digest was checked. */
  path(ref: Ref): Promise<string>;
  /** Throws unless what is stored, not what is at hand, is what its name says. */
  check(ref: Ref): Promise<void>;
  /** Is it there? Within a transaction where one is given. */
  has(ref: Ref, sql?: Sql): Promise<boolean>;
  /** Makes a file young: it is about to be used. */
  touch(ref: Ref): Promise<void>;
  /** Removes a file; with a time, only one that nobody has used since; within a transaction where one is given. */
  remove(ref: Ref, before?: Date, sql?: Sql): Promise<boolean>;
  /** Files that nobody has used since a time. */
  unused(before: Date): Promise<readonly Ref[]>;
}

export function sha256(bytes: Uint8Array | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** SHA-256 with pauses, so that large files do not block other work. */
export async function digestOf(bytes: Uint8Array): Promise<string> {
  const hash = createHash("sha256");
  for (let at = 0; at < bytes.length; at += PIECE) {
    hash.update(bytes.subarray(at, at + PIECE));
    if (at + PIECE < bytes.length) await new Promise(setImmediate);
  }
  return hash.digest("hex");
}

/** The reference itself, where it is one. */
export function checkRef(ref: Ref): Ref {
  if (REF.test(ref)) return ref;
  throw new ColaError("FILE_UNREADABLE", `store: ${JSON.stringify(ref)} names no stored file.`);
}

export function lost(ref: Ref): ColaError {
  return new ColaError("FILE_UNREADABLE", `store: ${ref} is not there any more.`, { ref });
}

function changed(ref: Ref): ColaError {
  return new ColaError("FILE_UNREADABLE", `store: the bytes of ${ref} were changed on disk.`, { ref });
}

/** Pieces as they come, ending in an error when they are not what their name says. */
export async function* checked(ref: Ref, pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const hash: Hash = createHash("sha256");
  let held: Uint8Array | undefined;
  for await (const piece of pieces) {
    hash.update(piece);
    if (held) yield held;
    held = piece;
  }
  if (hash.digest("hex") !== ref.slice(0, 64)) throw changed(ref);
  if (held) yield held;
}

/** Files by content in one folder, which several machines may share. */
export function openFolder(folder: string): Blobs {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const place = (ref: Ref): string => join(folder, checkRef(ref).slice(0, 2), ref);
  const get = async (ref: Ref): Promise<Uint8Array> => {
    const path = place(ref);
    if (!existsSync(path)) throw lost(ref);
    const bytes = await readFile(path);
    if ((await digestOf(bytes)) === ref.slice(0, 64)) return bytes;
    throw changed(ref);
  };
  const touch = async (ref: Ref): Promise<void> => {
    if (existsSync(place(ref))) await utimes(place(ref), new Date(), new Date());
  };
  return {
    get,
    touch,
    async put(bytes, kind) {
      const ref = `${await digestOf(bytes)}.${kind}`;
      if (existsSync(place(ref))) await touch(ref);
      else await writeDurably(place(ref), bytes);
      return ref;
    },
    async putFile(path, kind) {
      const ref = `${await digestOfFile(path)}.${kind}`;
      if (existsSync(place(ref))) await touch(ref);
      else await moveDurably(path, place(ref));
      await rm(path, { force: true });
      return ref;
    },
    async stream(ref) {
      const { size } = await stat(place(ref)).catch(() => Promise.reject(lost(ref)));
      const pieces = checked(ref, createReadStream(place(ref), { highWaterMark: PIECE }));
      return { bytes: size, pieces };
    },
    async path(ref) {
      await get(ref);
      return place(ref);
    },
    async check(ref) {
      await get(ref);
    },
    has: async (ref) => existsSync(place(ref)),
    async remove(ref, before) {
      const found = await stat(place(ref)).catch(() => undefined);
      if (!found || (before && found.mtime >= before)) return false;
      await rm(place(ref), { force: true });
      return true;
    },
    async unused(before) {
      const old: Ref[] = [];
      for (const part of await readdir(folder, { withFileTypes: true })) {
        if (!part.isDirectory()) continue;
        for (const name of await readdir(join(folder, part.name))) {
          const found = await stat(join(folder, part.name, name)).catch(() => undefined);
          if (found && found.mtime < before && REF.test(name)) old.push(name);
        }
      }
      return old;
    },
  };
}

export async function digestOfFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const piece of createReadStream(path, { highWaterMark: PIECE }))
    hash.update(piece as Uint8Array);
  return hash.digest("hex");
}

/** Whole and on the disk, or not at all. */
export async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  const draft = join(dirname(path), `.${randomBytes(6).toString("hex")}.part`);
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const handle = await open(draft, "wx", 0o600);
    try {
      for (let at = 0; at < bytes.length; at += PIECE) await handle.write(bytes.subarray(at, at + PIECE));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, path);
    await syncFolder(dirname(path));
  } catch (error) {
    await rm(draft, { force: true });
    throw unwritable(path, error);
  }
}

/** A file that was made on the same disk, or on another: then it is copied. */
async function moveDurably(from: string, to: string): Promise<void> {
  try {
    await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    const handle = await open(from, "r+");
    await handle.sync();
    await handle.close();
    await rename(from, to);
    await syncFolder(dirname(to));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw unwritable(to, error);
    await writeDurably(to, await readFile(from));
  }
}

/** A name is on the disk when its folder is; a system that knows no such thing needs none. */
async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, "r").catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
}
