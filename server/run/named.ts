import type { Blobs, Ref } from "../../node/store/blobs.ts";
import type { Sql } from "../../node/store/database.ts";
import { missingFiles } from "../../node/store/hold.ts";
import { HttpError } from "../problem.ts";

/** To be called in the transaction that names files, before it: what it names is there, and stays. */
export async function nameFiles(
  sql: Sql,
  blobs: Blobs,
  refs: readonly (Ref | null | undefined)[],
): Promise<void> {
  if ((await missingFiles(sql, blobs, refs)).length === 0) return;
  const words = "A file of this was removed meanwhile, with the last thing that needed it; try again.";
  throw new HttpError("BUSY", words, 1);
}
