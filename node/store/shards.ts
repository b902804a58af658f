import { type Ref, refsIn } from "./blobs.ts";
import type { Sql } from "./database.ts";
import { type Attempt, dropShards, type Job } from "./jobs.ts";

/**
 * A job of many rows is cut: its shards are rows beside it, taken, renewed and given back as jobs are. Meanwhile its own
 * lease never ends, and once the last shard is done it is over, so that whoever is free takes it to put them together.
 */
export async function cutJob(
  sql: Sql,
  { id, attempt }: Attempt,
  plan: string,
  shards: number,
): Promise<boolean> {
  const cut = await sql.query(
    `update jobs set plan = $3, worker = null, lease_until = 'infinity'
     where id = $1 and attempt = $2 and state = 'running' returning id`,
    [id, attempt, plan],
  );
  if (cut.length === 0) return false;
  await sql.query(
    `insert into jobs (id, owner, state, recipe, parent, number)
     select gen_random_uuid(), owner, 'queued', '', id, k
     from jobs, generate_series(0, $2::integer - 1) as k where id = $1`,
    [id, shards],
  );
  return true;
}

/** The job a shard belongs to, as long as it goes on; one that is put together may be back in the line. */
export async function wholeOf(sql: Sql, { parent }: Pick<Job, "parent">): Promise<Job | undefined> {
  const rows = await sql.query<Job>("select * from jobs where id = $1 and state in ('queued', 'running')", [
    parent,
  ]);
  return rows[0];
}

/**
 * A shard is done; false when this attempt does not own it any more. The row of the job is locked first: of the last two
 * shards that end at once, one sees that there is none left.
 */
export async function endShard(
  sql: Sql,
  shard: Pick<Job, "id" | "attempt" | "parent">,
  result: Ref,
  progress: (done: number) => string,
): Promise<boolean> {
  await sql.query("select from jobs where id = $1 for update", [shard.parent]);
  const ended = await sql.query(
    `update jobs set state = 'done', result = $3, lease_until = null, progress = null, finished_at = now()
     where id = $1 and attempt = $2 and state = 'running' returning id`,
    [shard.id, shard.attempt, result],
  );
  if (ended.length === 0) return false;
  const [count] = await sql.query<{ done: number; all: number }>(
    `select (count(*) filter (where state = 'done'))::integer as done, count(*)::integer as all
     from jobs where parent = $1`,
    [shard.parent],
  );
  const { done, all } = count!;
  await sql.query(
    `update jobs set progress = $2, lease_until = case when $3 then timestamptz '-infinity' else lease_until end
     where id = $1 and state = 'running'`,
    [shard.parent, progress(done), done === all],
  );
  return true;
}

/**
 * Files that a job of many rows has beside its result: its question, and the shards that are done. Its row is held, so
 * that no other shard ends until the transaction does.
 */
export async function partsOf(sql: Sql, id: string): Promise<readonly Ref[]> {
  await sql.query("select from jobs where id = $1 for update", [id]);
  const rows = await sql.query<{ text: string }>(
    "select concat_ws(' ', plan, result) as text from jobs where id = $1 or parent = $1",
    [id],
  );
  return rows.flatMap(({ text }) => refsIn(text));
}

/** The files of a job's shards, in the order of their rows. */
export async function shardResults(sql: Sql, id: string): Promise<readonly Ref[]> {
  const rows = await sql.query<{ result: Ref }>(
    "select result from jobs where parent = $1 and result is not null order by number",
    [id],
  );
  return rows.map(({ result }) => result);
}

/** A shard that cannot be done fails the job; the others are not wanted any more. */
export async function failWhole(
  sql: Sql,
  { id, attempt, parent }: Pick<Job, "id" | "attempt" | "parent">,
  error: string,
): Promise<boolean> {
  await sql.query("select from jobs where id = $1 for update", [parent]);
  const mine = await sql.query("select from jobs where id = $1 and attempt = $2 and state = 'running'", [
    id,
    attempt,
  ]);
  if (mine.length === 0) return false;
  await sql.query(
    `update jobs set state = 'failed', error = $2, finished_at = now(), lease_until = null, progress = null, plan = null
     where id = $1 and state = 'running'`,
    [parent, error],
  );
  await dropShards(sql, parent!);
  return true;
}
