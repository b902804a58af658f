import { createHash } from "node:crypto";
import { existsSync, mkdirSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { ColaError } from "../../src/errors.ts";
import { readFileBytes, writeFileWhole } from "../files.ts";

/** Name of a stored file: the SHA-256 of its bytes and what kind of bytes they are. Never a path. */
export type Ref = string;

const REF = /^[0-9a-f]{64}\.[a-z]{2,8}$/;

/** Files by content, in one folder that no name can leave. */
export interface Blobs {
  readonly folder: string;
  /** Keeps bytes; the same bytes are kept once, and are as young as the last time they came. */
  put(bytes: Uint8Array, kind: string): Ref;
  /** The bytes, after their digest was checked. */
  get(ref: Ref): Uint8Array;
  /** Where a file lies, after its digest was checked. */
  path(ref: Ref): string;
  has(ref: Ref): boolean;
  /** Makes a file young: it is about to be used. */
  touch(ref: Ref): void;
  remove(ref: Ref): void;
}

export function sha256(bytes: Uint8Array | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}

export function openBlobs(folder: string): Blobs {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const place = (ref: Ref): string => {
    if (REF.test(ref)) return join(folder, ref.slice(0, 2), ref);
    throw new ColaError("FILE_UNREADABLE", `store: ${JSON.stringify(ref)} names no stored file.`);
  };
  const get = (ref: Ref): Uint8Array => {
    const path = place(ref);
    if (!existsSync(path))
      throw new ColaError("FILE_UNREADABLE", `store: ${ref} is not there any more.`, { ref });
    const bytes = readFileBytes(path);
    if (sha256(bytes) === ref.slice(0, 64)) return bytes;
    throw new ColaError("FILE_UNREADABLE", `store: the bytes of ${ref} were changed on disk.`, { ref });
  };
  const touch = (ref: Ref): void => {
    if (existsSync(place(ref))) utimesSync(place(ref), new Date(), new Date());
  };
  return {
    folder,
    touch,
    put(bytes, kind) {
      const ref = `${sha256(bytes)}.${kind}`;
      if (existsSync(place(ref))) touch(ref);
      else writeFileWhole(place(ref), bytes);
      return ref;
    },
    get,
    path(ref) {
      get(ref);
      return place(ref);
    },
    has: (ref) => existsSync(place(ref)),
    remove: (ref) => rmSync(place(ref), { force: true }),
  };
}
