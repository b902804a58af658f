import { isOver, LEASE_S, type Sql } from "./database.ts";

type JobState = "queued" | "running" | "done" | "failed" | "cancelled";

/**
 * A job as it is kept: this row is the one place that knows its state. The result of a done job is the explanation
 * with the same id.
 */
export interface Job {
  readonly id: string;
  readonly owner: string;
  readonly state: JobState;
  readonly recipe: string;
  /** How often it was begun: a worker that holds an older number has lost the job. */
  readonly attempt: number;
  /** How often in a row its worker fell silent while this was all it worked on. */
  readonly crashes: number;
  readonly error: string | null;
  /** How far it is, as JSON. */
  readonly progress: string | null;
  /** The job that this is a shard of, and which; a shard has no recipe of its own. */
  readonly parent: string | null;
  readonly number: number | null;
  /** How a job of many rows is cut, as JSON, once it is. */
  readonly plan: string | null;
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly finished_at: Date | null;
}

/** One attempt at a job. */
export type Attempt = Pick<Job, "id" | "attempt">;

export async function insertJob(sql: Sql, job: Pick<Job, "id" | "owner" | "recipe">): Promise<void> {
  await sql.query("insert into jobs (id, owner, state, recipe) values ($1, $2, 'queued', $3)", [
    job.id,
    job.owner,
    job.recipe,
  ]);
}

export async function findJob(sql: Sql, owner: string, id: string): Promise<Job | undefined> {
  return (
    await sql.query<Job>("select * from jobs where owner = $1 and id = $2 and parent is null", [owner, id])
  )[0];
}

/** The newest jobs first; `before` is the id of the last one already seen. */
export async function listJobs(
  sql: Sql,
  owner: string,
  limit: number,
  before?: string,
): Promise<readonly Job[]> {
  return sql.query<Job>(
    `select * from jobs where owner = $1 and parent is null and ($3::uuid is null or (created_at, id) <
       (select created_at, id from jobs where owner = $1 and id = $3::uuid))
     order by created_at desc, id desc limit $2`,
    [owner, limit, before ?? null],
  );
}

export async function countOpenJobs(sql: Sql, owner: string): Promise<number> {
  const rows = await sql.query<{ count: number }>(
    "select count(*)::integer as count from jobs where owner = $1 and parent is null and state in ('queued', 'running')",
    [owner],
  );
  return rows[0]!.count;
}

/**
 * Takes the next job or shard for a worker, in one statement: one that waits, or one whose worker has been silent. The
 * owner with the fewest that run comes first, then the oldest. A silence counts against a job only where it was all
 * its worker had: one that worked on several may have died of another.
 */
export async function takeJob(sql: Sql, worker: string): Promise<Job | undefined> {
  const rows = await sql.query<Job>(
    `with busy as (
       select owner, count(*) filter (where state = 'running' and lease_until >= now() and isfinite(lease_until)) as running
       from jobs where state in ('queued', 'running') group by owner
     ), next as (
       select jobs.id from jobs join busy using (owner)
       where state = 'queued' or (state = 'running' and coalesce(${isOver("lease_until")}, true))
       order by busy.running, jobs.created_at, jobs.number, jobs.id
       limit 1 for update of jobs skip locked
     ), beside as (
       update jobs set shared = true
       where worker = $1 and state = 'running' and id not in (select id from next) and exists (select from next)
       returning id
     )
     update jobs set state = 'running', attempt = attempt + 1,
       crashes = crashes + (state = 'running' and not shared and coalesce(isfinite(lease_until) and lease_until < now(), true))::integer,
       worker = $1, shared = exists (select from beside),
       started_at = case when plan is null then now() else started_at end,
       progress = case when plan is null then null else progress end,
       lease_until = now() + make_interval(secs => ${LEASE_S})
     from next where jobs.id = next.id
     returning jobs.*`,
    [worker],
  );
  return rows[0];
}

/**
 * Keeps a job for its worker and tells how far it is. False: it was cancelled, another worker has it, or it was cut: a
 * word that was on its way meanwhile must not put an end to a lease that has none, or the job would be put together of
 * the shards that happen to be done by then.
 */
export async function renewJob(
  sql: Sql,
  { id, attempt }: Attempt,
  progress: string | null,
): Promise<boolean> {
  const rows = await sql.query(
    `update jobs set lease_until = now() + make_interval(secs => ${LEASE_S}), progress = coalesce($3, progress)
     where id = $1 and attempt = $2 and state = 'running' and isfinite(lease_until) returning id`,
    [id, attempt, progress],
  );
  return rows.length === 1;
}

/** A running job ends. False when this attempt does not own it any more: its outcome must then be dropped. */
export async function endJob(
  sql: Sql,
  job: Attempt,
  state: "done" | "failed",
  error: string | null = null,
): Promise<boolean> {
  const rows = await sql.query(
    `update jobs set state = $3, error = $4, finished_at = now(), lease_until = null, progress = null, plan = null
     where id = $1 and attempt = $2 and state = 'running' returning id`,
    [job.id, job.attempt, state, error],
  );
  if (rows.length === 1) await dropShards(sql, job.id);
  return rows.length === 1;
}

/** A running job goes back into the line; one that was cut, of which its worker may not have heard, has left it for its shards. */
export async function requeueJob(sql: Sql, job: Attempt): Promise<boolean> {
  const rows = await sql.query(
    `update jobs set state = 'queued', lease_until = null, progress = null
     where id = $1 and attempt = $2 and state = 'running' and isfinite(lease_until) returning id`,
    [job.id, job.attempt],
  );
  return rows.length === 1;
}

/** A job of which a process has died goes back into the line, with one death more. */
export async function crashJob(sql: Sql, job: Attempt): Promise<void> {
  await sql.query(
    `update jobs set state = 'queued', lease_until = null, progress = null, crashes = crashes + 1
     where id = $1 and attempt = $2 and state = 'running' and isfinite(lease_until)`,
    [job.id, job.attempt],
  );
}

/**
 * A job whose worker could not say so in time that it lives, as while the database was away, goes back into the line.
 * Where another has taken it meanwhile, that silence was not a death, and is not counted as one.
 */
export async function giveBackJob(sql: Sql, job: Pick<Job, "id" | "attempt" | "crashes">): Promise<void> {
  if (await requeueJob(sql, job)) return;
  await sql.query(
    "update jobs set crashes = $3 where id = $1 and attempt = $2::integer + 1 and crashes = $3::integer + 1",
    [job.id, job.attempt, job.crashes],
  );
}

/** True when the job was open and is cancelled now. */
export async function cancelJob(sql: Sql, owner: string, id: string): Promise<boolean> {
  const rows = await sql.query(
    `update jobs set state = 'cancelled', finished_at = now(), lease_until = null, progress = null, plan = null
     where owner = $1 and id = $2 and parent is null and state in ('queued', 'running') returning id`,
    [owner, id],
  );
  if (rows.length === 1) await dropShards(sql, id);
  return rows.length === 1;
}

/** Forgets the shards of a job that has ended: whoever works on one hears that it is gone. */
export async function dropShards(sql: Sql, id: string): Promise<void> {
  await sql.query("delete from jobs where parent = $1", [id]);
}

/** Open jobs by owner and state, and the longest silence of a worker among them, in seconds. */
export async function openLine(
  sql: Sql,
): Promise<readonly { owner: string; state: string; count: number; silence: number | null }[]> {
  return sql.query(
    `select owner, state, (count(*) filter (where parent is null))::integer as count,
       max(extract(epoch from now() - lease_until) + ${LEASE_S}) filter (where isfinite(lease_until))::float8 as silence
     from jobs where state in ('queued', 'running') group by owner, state order by owner, state`,
  );
}

/** Nobody but the caller can have anything: what others had taken is free at once, not after their silence. */
export async function endLeases(sql: Sql): Promise<void> {
  await sql.script(
    `update jobs set lease_until = now() - interval '1 second'
       where state = 'running' and coalesce(isfinite(lease_until), true);
     update idempotency set lease_until = now() - interval '1 second' where answer is null;
     delete from reserved;`,
  );
}
