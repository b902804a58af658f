import type { Blobs, Ref } from "./blobs.ts";
import type { Sql } from "./database.ts";

/**
 * Holds files until the transaction ends. Whoever writes a row that names files holds them with others, whoever removes
 * a file holds it alone and looks for such rows only then: no row is ever left without its file, on however many machines.
 */
export async function holdFiles(sql: Sql, refs: readonly Ref[], how: "together" | "alone"): Promise<void> {
  const lock = how === "alone" ? "pg_advisory_xact_lock" : "pg_advisory_xact_lock_shared";
  // In one order, so that no two wait for each other.
  await sql.query(
    `select ${lock}(hashtextextended('cola file ' || ref, 0))
     from (select distinct ref from unnest($1::text[]) as ref order by ref offset 0) as files`,
    [refs],
  );
}

/** Holds files that are about to be named; those that were removed meanwhile, with the last thing that named them. */
export async function missingFiles(
  sql: Sql,
  blobs: Blobs,
  refs: readonly (Ref | null | undefined)[],
): Promise<readonly Ref[]> {
  const wanted = refs.filter((ref) => typeof ref === "string");
  if (wanted.length === 0) return [];
  await holdFiles(sql, wanted, "together");
  const there = await Promise.all(wanted.map((ref) => blobs.has(ref, sql)));
  return wanted.filter((_, k) => !there[k]);
}
