import type { Ref } from "./blobs.ts";
import type { Sql } from "./database.ts";

/** A finished explanation: how it was made, and the file with its bytes. */
export interface StoredExplanation {
  readonly id: string;
  readonly owner: string;
  readonly recipe: string;
  readonly result: Ref;
  readonly run_hash: string;
  readonly audit_seq: number;
  readonly created_at: Date;
}

export async function insertExplanation(sql: Sql, explanation: StoredExplanation): Promise<void> {
  const { id, owner, recipe, result, run_hash, audit_seq, created_at } = explanation;
  await sql.query(
    `insert into explanations (id, owner, recipe, result, run_hash, audit_seq, created_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [id, owner, recipe, result, run_hash, audit_seq, created_at],
  );
}

/** An explanation by its id; without an owner, whoever owns it. */
export async function findExplanation(
  sql: Sql,
  id: string,
  owner?: string,
): Promise<StoredExplanation | undefined> {
  const rows = await sql.query<StoredExplanation>(
    "select * from explanations where id = $1 and ($2::text is null or owner = $2)",
    [id, owner ?? null],
  );
  return rows[0];
}
