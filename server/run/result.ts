import { createHash, randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeFileWhole } from "../../node/files.ts";
import { type Blobs, type Ref, sha256 } from "../../node/store/blobs.ts";
import { explanationLines, explanationOfLines, linesOf, MOST_ROWS } from "../../show/lines.ts";
import type { Explanation } from "../../src/explanation.ts";

/** A kept explanation: the file with its bytes, and what the audit trail tells of it. */
export interface Kept {
  readonly result: Ref;
  readonly seed: number;
  readonly runHash: string;
}

/** Keeps an explanation: as one JSON text, or as lines where that would be too long, as the command line writes it. */
export async function keepResult(blobs: Blobs, explanation: Explanation): Promise<Kept> {
  const { seed, runHash } = explanation;
  return { result: await keepFile(blobs, explanation), seed, runHash };
}

async function keepFile(blobs: Blobs, explanation: Explanation): Promise<Ref> {
  if (explanation.rows.length <= MOST_ROWS)
    return blobs.put(Buffer.from(JSON.stringify(explanation)), "json");
  const path = join(tmpdir(), `cola-${randomUUID()}.jsonl`);
  try {
    writeFileWhole(path, explanationLines(explanation), 0o600);
    return await blobs.putFile(path, "jsonl");
  } finally {
    await rm(path, { force: true });
  }
}

/** SHA-256 of the bytes an explanation is kept as. */
export function digestOfResult(explanation: Explanation): string {
  if (explanation.rows.length <= MOST_ROWS) return sha256(JSON.stringify(explanation));
  const hash = createHash("sha256");
  for (const line of explanationLines(explanation)) hash.update(line);
  return hash.digest("hex");
}

/** What a kept result says; whether it is an explanation is for the caller to see. */
export function resultOf(ref: Ref, bytes: Uint8Array): unknown {
  return ref.endsWith(".jsonl")
    ? explanationOfLines(linesOf(bytes))
    : JSON.parse(Buffer.from(bytes).toString());
}

/** What a kept result is sent as. */
export function typeOf(ref: Ref): string {
  return ref.endsWith(".jsonl") ? "application/x-ndjson" : "application/json";
}
