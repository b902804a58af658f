import type { Sql } from "./database.ts";

/** What is known of a key: which body came first, and the id of its answer once there is one. */
export interface Claim {
  readonly digest: string;
  readonly answer: string | null;
}

/** Takes a key for a body; undefined when it is ours now, else what the first request left. */
export async function claimKey(
  sql: Sql,
  owner: string,
  key: string,
  digest: string,
): Promise<Claim | undefined> {
  const made = await sql.query(
    "insert into idempotency (owner, key, digest) values ($1, $2, $3) on conflict do nothing returning key",
    [owner, key, digest],
  );
  if (made.length === 1) return undefined;
  const rows = await sql.query<Claim>(
    "select digest, answer from idempotency where owner = $1 and key = $2",
    [owner, key],
  );
  return rows[0];
}

export async function answerKey(sql: Sql, owner: string, key: string, answer: string): Promise<void> {
  await sql.query("update idempotency set answer = $3 where owner = $1 and key = $2", [owner, key, answer]);
}

/** Work that came to nothing frees its key. */
export async function releaseKey(sql: Sql, owner: string, key: string): Promise<void> {
  await sql.query("delete from idempotency where owner = $1 and key = $2 and answer is null", [owner, key]);
}

/** At the start: keys of requests that died with the process, and keys older than a day. */
export async function clearKeys(sql: Sql): Promise<void> {
  await sql.query("delete from idempotency where answer is null or created_at < now() - interval '1 day'");
}
