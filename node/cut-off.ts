import { readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "./store/store.ts";

const DAY_MS = 86_400_000;
/** What files are called while they are written. */
const UNFINISHED = /^(\.[0-9a-f]{12}\.part|cola-[0-9a-f-]{36}\.(jsonl|restore))$/;

/**
 * Removes what processes that were killed have left half written: nothing names it, and it may hold anybody's rows. What is
 * younger than a day may still be written, unless the store is this process's alone and it writes nothing.
 */
export async function removeCutOff({ filesAt: { folder } }: Store, alone = false): Promise<void> {
  const dayAgo = Date.now() - DAY_MS;
  const parts = await readdir(folder, { withFileTypes: true });
  const folders = parts.flatMap((part) => (part.isDirectory() ? [join(folder, part.name)] : []));
  for (const place of [folder, ...folders]) await removeIn(place, alone ? Number.POSITIVE_INFINITY : dayAgo);
  await removeIn(tmpdir(), dayAgo);
}

async function removeIn(folder: string, before: number): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!UNFINISHED.test(name)) continue;
    const found = await stat(join(folder, name)).catch(() => undefined);
    // In a folder for everybody's temporary files others have theirs.
    const ours = found && (process.getuid === undefined || found.uid === process.getuid());
    if (ours && found.mtimeMs < before) await rm(join(folder, name), { force: true });
  }
}
