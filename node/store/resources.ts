import type { Ref } from "./blobs.ts";
import { isOver, type Sql } from "./database.ts";

/** How long bytes that are on their way count without a word. */
const RESERVED_S = 600;

export type ResourceKind = "data" | "model" | "constraints" | "counterfactuals";

/** Something uploaded once and named by its id afterwards. */
export interface Resource {
  readonly owner: string;
  readonly id: string;
  readonly kind: ResourceKind;
  readonly name: string;
  readonly ref: Ref;
  readonly bytes: number;
  /** What was found in it, as JSON. */
  readonly about: string;
  readonly created_at: Date;
}

/** Ids follow from the content, so that the same upload has the same id. */
export function resourceId(kind: ResourceKind, ref: Ref): string {
  return `${kind}_${ref.slice(0, 32)}`;
}

/** The same bytes uploaded again are named and read as they came last. */
export async function putResource(
  sql: Sql,
  resource: Omit<Resource, "id" | "created_at">,
): Promise<Resource> {
  const { owner, kind, name, ref, bytes, about } = resource;
  const rows = await sql.query<Resource>(
    `insert into resources (owner, id, kind, name, ref, bytes, about) values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (owner, id) do update
       set name = excluded.name, ref = excluded.ref, about = excluded.about, created_at = now() returning *`,
    [owner, resourceId(kind, ref), kind, name, ref, bytes, about],
  );
  return rows[0]!;
}

export async function findResource(
  sql: Sql,
  owner: string,
  kind: ResourceKind,
  id: string,
): Promise<Resource | undefined> {
  const rows = await sql.query<Resource>(
    "select * from resources where owner = $1 and kind = $2 and id = $3",
    [owner, kind, id],
  );
  return rows[0];
}

/** The newest first, without what was found in them; `before` is the id of the last one already seen. */
export async function listResources(
  sql: Sql,
  owner: string,
  kind: ResourceKind,
  limit: number,
  before?: string,
): Promise<readonly Omit<Resource, "about">[]> {
  return sql.query<Omit<Resource, "about">>(
    `select owner, id, kind, name, ref, bytes, created_at from resources
     where owner = $1 and kind = $2 and ($4::text is null or (created_at, id) <
       (select created_at, id from resources where owner = $1 and id = $4))
     order by created_at desc, id desc limit $3`,
    [owner, kind, limit, before ?? null],
  );
}

/** Bytes an owner has uploaded, sent within requests or is storing just now; the same content counts once. */
export async function usedBytes(sql: Sql, owner: string): Promise<number> {
  const rows = await sql.query<{ used: string | number }>(
    `select (select coalesce(sum(bytes), 0) from resources where owner = $1)
       + (select coalesce(sum(bytes), 0) from inline_files where owner = $1)
       + (select coalesce(sum(bytes), 0) from reserved where owner = $1 and not ${isOver("lease_until", RESERVED_S)}) as used`,
    [owner],
  );
  return Number(rows[0]!.used);
}

/** Counts bytes that are on their way; those of a process that dies are free again after a while. */
export async function reserve(sql: Sql, id: string, owner: string, bytes: number): Promise<void> {
  await sql.query(
    "insert into reserved (id, owner, bytes, lease_until) values ($1, $2, $3, now() + make_interval(secs => $4))",
    [id, owner, bytes, RESERVED_S],
  );
}

export async function unreserve(sql: Sql, id: string): Promise<void> {
  await sql.query("delete from reserved where id = $1 or lease_until < now()", [id]);
}

/** Is a file among those an owner has sent within requests? */
export async function hasInline(sql: Sql, owner: string, ref: Ref): Promise<boolean> {
  const rows = await sql.query("select 1 from inline_files where owner = $1 and ref = $2", [owner, ref]);
  return rows.length > 0;
}

export async function putInline(sql: Sql, owner: string, ref: Ref, bytes: number): Promise<void> {
  await sql.query("insert into inline_files (owner, ref, bytes) values ($1, $2, $3) on conflict do nothing", [
    owner,
    ref,
    bytes,
  ]);
}

/**
 * Forgets a resource; true when nobody else needs its file: no upload is the same, and no job or explanation of
 * another owner was made from the same bytes.
 */
export async function removeResource(sql: Sql, { owner, id, ref }: Resource): Promise<boolean> {
  await sql.query("delete from resources where owner = $1 and id = $2", [owner, id]);
  await sql.query("delete from inline_files where owner = $1 and ref = $2", [owner, ref]);
  const rows = await sql.query(
    `select 1 from resources where ref = $1
     union all select 1 from jobs where owner <> $2 and position($1 in recipe) > 0
     union all select 1 from explanations where owner <> $2 and position($1 in recipe) > 0
     limit 1`,
    [ref, owner],
  );
  return rows.length === 0;
}
