import type { Ref } from "./blobs.ts";
import type { Sql } from "./database.ts";

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

export async function putResource(
  sql: Sql,
  resource: Omit<Resource, "id" | "created_at">,
): Promise<Resource> {
  const { owner, kind, name, ref, bytes, about } = resource;
  const rows = await sql.query<Resource>(
    `insert into resources (owner, id, kind, name, ref, bytes, about) values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (owner, id) do update set name = excluded.name, created_at = now() returning *`,
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

export async function listResources(
  sql: Sql,
  owner: string,
  kind: ResourceKind,
): Promise<readonly Resource[]> {
  return sql.query<Resource>(
    "select * from resources where owner = $1 and kind = $2 order by created_at desc, id limit 1000",
    [owner, kind],
  );
}

/** Bytes an owner has uploaded. */
export async function usedBytes(sql: Sql, owner: string): Promise<number> {
  const rows = await sql.query<{ used: string | number }>(
    "select coalesce(sum(bytes), 0) as used from resources where owner = $1",
    [owner],
  );
  return Number(rows[0]!.used);
}

/**
 * Forgets a resource; true when nobody else needs its file: no upload is the same, and no job or explanation of
 * another owner was made from the same bytes.
 */
export async function removeResource(sql: Sql, { owner, id, ref }: Resource): Promise<boolean> {
  await sql.query("delete from resources where owner = $1 and id = $2", [owner, id]);
  const rows = await sql.query(
    `select 1 from resources where ref = $1
     union all select 1 from jobs where owner <> $2 and position($1 in recipe) > 0
     union all select 1 from explanations where owner <> $2 and position($1 in recipe) > 0
     limit 1`,
    [ref, owner],
  );
  return rows.length === 0;
}
