import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, extname, join, resolve } from "node:path";
import { meant } from "../src/data/nearby.ts";
import { ColaError, messageOf } from "../src/errors.ts";

const MAX_BYTES = 2 ** 30;
/** Bytes asked of standard input at a time. */
const CHUNK = 2 ** 16;

/** The bytes of a regular file; its size is checked before it is read. `-` is standard input. */
export function readFileBytes(path: string, maxBytes = MAX_BYTES): Uint8Array {
  if (path === "-") return readStandardInput(maxBytes);
  checkFile(path, maxBytes);
  return reading(path, () => limited(path, readFileSync(path), maxBytes));
}

/** The first bytes of a regular file of at most `maxBytes`, at most `count`. */
export function readFileHead(path: string, count: number, maxBytes = MAX_BYTES): Uint8Array {
  checkFile(path, maxBytes);
  return reading(path, () => {
    const handle = openSync(path, "r");
    try {
      const bytes = new Uint8Array(count);
      return bytes.subarray(0, readSync(handle, bytes, 0, count, 0));
    } finally {
      closeSync(handle);
    }
  });
}

/** The size of a regular file of at most `maxBytes`; anything else is refused without being opened. */
export function checkFile(path: string, maxBytes = MAX_BYTES): number {
  const stats = reading(path, () => statSync(path), "opened");
  if (!stats.isFile()) {
    throw new ColaError(
      "FILE_UNREADABLE",
      `${path}: is ${stats.isDirectory() ? "a folder" : "not a regular file"}; name a file.`,
      { path },
    );
  }
  if (stats.size > maxBytes) throw tooLarge(path, stats.size, maxBytes);
  return stats.size;
}

function reading<T>(path: string, read: () => T, done = "read"): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ColaError) throw error;
    throw new ColaError(
      "FILE_UNREADABLE",
      `${path.slice(0, 300)}: cannot be ${done}: ${whyNot(path, error)}`,
      { path },
      error,
    );
  }
}

/** Why a file cannot be read, and what to do; where it is not there, the file that was perhaps meant. */
function whyNot(path: string, error: unknown): string {
  const { code } = error as { readonly code?: string };
  if (code === "EACCES" || code === "EPERM")
    return "you may not read it; change its permissions, or copy it to a place of yours.";
  if (code !== "ENOENT" && code !== "ENOTDIR") return messageOf(error).slice(0, 300);
  return `there is no such file${nearFile(path)}; correct the path.`;
}

/** A hint at the file of the same folder and ending that was perhaps meant. */
export function nearFile(path: string): string {
  const [folder, ending] = [dirname(path), extname(path)];
  if (!existsSync(folder) || !statSync(folder).isDirectory()) return "";
  const alike = readdirSync(folder).filter((name) => extname(name) === ending);
  return meant(
    basename(path, ending),
    alike.map((name) => basename(name, ending)),
  ).replace(/"\?\)$/, `${ending}"?)`);
}

/** Read piece by piece, so that what is too long is refused before it is all there. */
function readStandardInput(maxBytes: number): Uint8Array {
  const parts: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const part = new Uint8Array(CHUNK);
    const count = reading("standard input", () => readSome(part));
    if (count === 0) return Buffer.concat(parts);
    size += count;
    if (size > maxBytes) throw tooLarge("standard input", size, maxBytes);
    parts.push(part.subarray(0, count));
  }
}

/** A pipe without news yet says EAGAIN; Windows ends one with EOF. */
function readSome(part: Uint8Array): number {
  for (;;) {
    try {
      return readSync(0, part);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EOF") return 0;
      if (code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}

function limited(path: string, bytes: Uint8Array, maxBytes: number): Uint8Array {
  if (bytes.length > maxBytes) throw tooLarge(path, bytes.length, maxBytes);
  return bytes;
}

function tooLarge(path: string, size: number, maxBytes: number): ColaError {
  return new ColaError(
    "SIZE_LIMIT",
    `${path}: ${size} bytes, more than the limit of ${maxBytes}; raise --max-bytes (option maxBytes) or split the file.`,
    {
      path,
      size,
      maxBytes,
    },
  );
}

/**
 * FILE_UNWRITABLE unless files can be made in a folder that is there or can be made: one is made, in the folder or the
 * nearest one above that is there, and removed. Permissions alone do not tell, as in /proc.
 */
export function checkWritable(folder: string): void {
  let at = resolve(folder);
  while (!entry(at) && dirname(at) !== at) at = dirname(at);
  try {
    if (!statSync(at).isDirectory()) throw new Error(`${at} is a file, not a folder`);
    const temporary = temporaryIn(at);
    closeSync(openSync(temporary, "wx", 0o644));
    rmSync(temporary);
  } catch (error) {
    throw unwritable(folder, error);
  }
}

/** FILE_UNWRITABLE unless a file of this name can be made or replaced. `-` is standard output. */
export function checkWritableFile(path: string): void {
  if (path === "-") return;
  if (entry(path)?.isDirectory()) throw unwritable(path, "it is a folder");
  checkWritable(dirname(path));
}

/** What stands at a path, be it a link that leads nowhere; undefined where nothing does. */
function entry(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

const temporaryIn = (folder: string): string => join(folder, `.${randomBytes(6).toString("hex")}.part`);

/** Why a file cannot be written, as an error. */
export function unwritable(path: string, error: unknown): ColaError {
  return new ColaError(
    "FILE_UNWRITABLE",
    `${path.slice(0, 300)}: cannot be written: ${messageOf(error).slice(0, 300)}; name a place where files can be made.`,
    { path },
    error,
  );
}

/** One folder after the other: `recursive` goes on for ever where a file system knows no new folders (/proc). */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    if (!existsSync(path)) throw error;
  }
}

/** Writes a file whole or not at all: a temporary neighbour, flushed, then renamed over. `-` is standard output. */
export function writeFileWhole(path: string, content: Content, mode = 0o644): void {
  if (path !== "-") writeFilesWhole([[path, content]], mode);
  else for (const piece of piecesOf(content)) process.stdout.write(piece);
}

/** What a file holds: bytes, a text, or texts one after another that together would be too long for one. */
export type Content = Uint8Array | string | Iterable<string>;

const piecesOf = (content: Content): Iterable<Uint8Array | string> =>
  typeof content === "string" || content instanceof Uint8Array ? [content] : content;

/** Writes files that belong together: none is replaced before all of them are on the disk. */
export function writeFilesWhole(
  files: readonly (readonly [path: string, content: Content])[],
  mode = 0o644,
): void {
  const paths = files.map(([path]) => path);
  const pieces = (put: Put): void => {
    for (const [path, content] of files) for (const piece of piecesOf(content)) put(path, piece);
  };
  writeTogether(paths, pieces, mode);
}

/** Adds a piece to one of the files. */
type Put = (path: string, piece: Uint8Array | string) => void;

/** The same for files that are written piece by piece, in any order. */
export function writeTogether(paths: readonly string[], fill: (put: Put) => void, mode = 0o644): void {
  const made = new Map<string, { readonly temporary: string; readonly handle: number }>();
  let at = "";
  try {
    for (const path of paths) {
      at = path;
      makeFolder(dirname(path));
      if (entry(path)?.isDirectory()) throw new Error("it is a folder");
      const temporary = temporaryIn(dirname(path));
      made.set(path, { temporary, handle: openSync(temporary, "wx", mode) });
    }
    fill((path, piece) => {
      at = path;
      const bytes = typeof piece === "string" ? Buffer.from(piece) : piece;
      for (let done = 0; done < bytes.length; ) done += writeSync(made.get(path)!.handle, bytes, done);
    });
    for (const [path, { handle }] of made) {
      at = path;
      fsyncSync(handle);
    }
    for (const [path, { temporary }] of made) {
      at = path;
      renameSync(temporary, path);
    }
  } catch (error) {
    for (const { temporary } of made.values()) if (entry(temporary)) rmSync(temporary);
    throw unwritable(at, error);
  } finally {
    for (const { handle } of made.values()) closeSync(handle);
  }
}
