import type { Sql } from "../store/database.ts";
import { type Resource, resourceId } from "../store/resources.ts";
import type { AuditRecord } from "./trail.ts";

/** An upload as it is kept. */
type Upload = Pick<Resource, "owner" | "id" | "kind" | "ref" | "created_at">;

export function keptUploads(sql: Sql): Promise<readonly Upload[]> {
  return sql.query<Upload>("select owner, id, kind, ref, created_at from resources order by owner, id");
}

/**
 * Uploads are those whose last record says that they came, with the bytes their id names. Stores of old have uploads
 * without a record, from before the first one that tells of its machine.
 */
export function strangeUploads(
  records: ReadonlyMap<number, AuditRecord>,
  rows: readonly Upload[],
): readonly string[] {
  const { there, since } = uploadsSaid(records);
  const problems: string[] = [];
  for (const { owner, id, kind, ref, created_at } of rows) {
    const name = keyOf(owner, id);
    const said = there.get(name);
    if (resourceId(kind, ref) !== id)
      problems.push(`upload ${id} of ${owner} names other bytes than its id.`);
    if (said === false) problems.push(`upload ${id} of ${owner} is there, but a record says it was removed.`);
    if (said === undefined && created_at.toISOString() > since)
      problems.push(`upload ${id} of ${owner} has no record in the trail.`);
    there.delete(name);
  }
  for (const [name, said] of there)
    if (said) problems.push(`upload ${name} is not there, and no record says that it was removed.`);
  return problems;
}

const keyOf = (owner: string, id: string): string => `${id} of ${owner}`;

/** Which uploads are there by the word of the trail, and since when it speaks of them. */
function uploadsSaid(records: ReadonlyMap<number, AuditRecord>): {
  readonly there: Map<string, boolean>;
  readonly since: string;
} {
  const there = new Map<string, boolean>();
  let since = "9999";
  for (const record of records.values()) {
    if (record.node !== undefined && since === "9999") since = record.at;
    const { event, owner, upload, uploads } = record as unknown as Readonly<Record<string, unknown>>;
    if (event === "upload" || event === "delete")
      there.set(keyOf(String(owner), String(upload)), event === "upload");
    // Who was forgotten was so for all owners.
    if (Array.isArray(uploads))
      for (const name of there.keys())
        if (uploads.includes(name.slice(0, name.indexOf(" ")))) there.set(name, false);
  }
  return { there, since };
}
