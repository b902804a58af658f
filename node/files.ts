import { randomBytes } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { ColaError, messageOf } from "../src/errors.ts";

const MAX_BYTES = 2 ** 30;

/** The bytes of a regular file; its size is checked before it is read. `-` is standard input. */
export function readFileBytes(path: string, maxBytes = MAX_BYTES): Uint8Array {
  if (path === "-") return limited("standard input", readFileSync(0), maxBytes);
  let stats: ReturnType<typeof statSync>;
  try {
    stats = statSync(path);
  } catch (error) {
    throw new ColaError("FILE_UNREADABLE", `${path}: cannot be opened: ${messageOf(error)}`, { path }, error);
  }
  if (!stats.isFile()) {
    throw new ColaError(
      "FILE_UNREADABLE",
      `${path}: is ${stats.isDirectory() ? "a folder" : "not a regular file"}; name a file.`,
      {
        path,
      },
    );
  }
  if (stats.size > maxBytes) throw tooLarge(path, stats.size, maxBytes);
  try {
    return limited(path, readFileSync(path), maxBytes);
  } catch (error) {
    if (error instanceof ColaError) throw error;
    throw new ColaError("FILE_UNREADABLE", `${path}: cannot be read: ${messageOf(error)}`, { path }, error);
  }
}

function limited(path: string, bytes: Uint8Array, maxBytes: number): Uint8Array {
  if (bytes.length > maxBytes) throw tooLarge(path, bytes.length, maxBytes);
  return bytes;
}

function tooLarge(path: string, size: number, maxBytes: number): ColaError {
  return new ColaError(
    "SIZE_LIMIT",
    `${path}: ${size} bytes, more than the limit of ${maxBytes}; raise the limit or split the file.`,
    {
      path,
      size,
      maxBytes,
    },
  );
}

/** Writes a file whole or not at all: a temporary neighbour, flushed, then renamed over. `-` is standard output. */
export function writeFileWhole(path: string, content: Uint8Array | string): void {
  if (path === "-") {
    process.stdout.write(content);
    return;
  }
  const temporary = join(dirname(path), `.${randomBytes(6).toString("hex")}.part`);
  let begun = false;
  try {
    mkdirSync(dirname(path), { recursive: true });
    const handle = openSync(temporary, "wx", 0o644);
    begun = true;
    try {
      const bytes = typeof content === "string" ? Buffer.from(content) : content;
      for (let done = 0; done < bytes.length; ) done += writeSync(handle, bytes, done);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(temporary, path);
  } catch (error) {
    if (begun) rmSync(temporary, { force: true });
    throw new ColaError(
      "FILE_UNWRITABLE",
      `${path}: cannot be written: ${messageOf(error)}`,
      { path },
      error,
    );
  }
}
