import { isOver, LEASE_S, type Sql } from "./database.ts";

/** What is known of a key: which body came first, and the id of its answer once there is one. */
interface Claim {
  readonly digest: string;
  readonly answer: string | null;
}

/** A key that a request has taken: only its own answer fits it. */
interface Taken {
  readonly owner: string;
  readonly key: string;
  readonly claim: string;
}

const UNTIL = `now() + make_interval(secs => ${LEASE_S})`;

/**
 * Takes a key for a body; undefined when it is ours now, else what the first request left. A key whose request fell
 * silent before it was answered, or that is a day old, is free again.
 */
export async function claimKey(
  sql: Sql,
  { owner, key, claim }: Taken,
  digest: string,
): Promise<Claim | undefined> {
  const made = await sql.query(
    `insert into idempotency (owner, key, digest, claim, lease_until) values ($1, $2, $3, $4, ${UNTIL})
     on conflict (owner, key) do update set digest = excluded.digest, claim = excluded.claim, answer = null,
       lease_until = excluded.lease_until, created_at = now()
     where (idempotency.answer is null and coalesce(${isOver("idempotency.lease_until")}, true))
       or idempotency.created_at < now() - interval '1 day'
     returning key`,
    [owner, key, digest, claim],
  );
  if (made.length === 1) return undefined;
  const rows = await sql.query<Claim>(
    "select digest, answer from idempotency where owner = $1 and key = $2",
    [owner, key],
  );
  return rows[0] ?? { digest, answer: null };
}

/** Keeps a key while its request is being answered. */
export async function renewKey(sql: Sql, { owner, key, claim }: Taken): Promise<void> {
  await sql.query(
    `update idempotency set lease_until = ${UNTIL} where owner = $1 and key = $2 and claim = $3`,
    [owner, key, claim],
  );
}

/** Notes the answer; false when another request has taken the key meanwhile. */
export async function answerKey(sql: Sql, { owner, key, claim }: Taken, answer: string): Promise<boolean> {
  const rows = await sql.query(
    "update idempotency set answer = $4 where owner = $1 and key = $2 and claim = $3 returning key",
    [owner, key, claim, answer],
  );
  return rows.length === 1;
}

/** Work that came to nothing frees its key. */
export async function releaseKey(sql: Sql, { owner, key, claim }: Taken): Promise<void> {
  await sql.query("delete from idempotency where owner = $1 and key = $2 and claim = $3 and answer is null", [
    owner,
    key,
    claim,
  ]);
}
