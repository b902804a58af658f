import type { Sql } from "./database.ts";

export type JobState = "queued" | "running" | "done" | "failed" | "cancelled";

/** A job as it is kept. The result of a done job is the explanation with the same id. */
export interface Job {
  readonly id: string;
  readonly owner: string;
  readonly state: JobState;
  readonly recipe: string;
  /** How often it was begun, and how often the process died while it ran. */
  readonly attempt: number;
  readonly crashes: number;
  readonly error: string | null;
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly finished_at: Date | null;
}

export async function insertJob(sql: Sql, job: Pick<Job, "id" | "owner" | "recipe">): Promise<void> {
  await sql.query("insert into jobs (id, owner, state, recipe) values ($1, $2, 'queued', $3)", [
    job.id,
    job.owner,
    job.recipe,
  ]);
}

export async function findJob(sql: Sql, owner: string, id: string): Promise<Job | undefined> {
  return (await sql.query<Job>("select * from jobs where owner = $1 and id = $2", [owner, id]))[0];
}

/** The newest jobs first; `before` is the id of the last one already seen. */
export async function listJobs(
  sql: Sql,
  owner: string,
  limit: number,
  before?: string,
): Promise<readonly Job[]> {
  return sql.query<Job>(
    `select * from jobs where owner = $1 and ($3::uuid is null or (created_at, id) <
       (select created_at, id from jobs where owner = $1 and id = $3::uuid))
     order by created_at desc, id desc limit $2`,
    [owner, limit, before ?? null],
  );
}

export async function countOpenJobs(sql: Sql, owner: string): Promise<number> {
  const rows = await sql.query<{ count: number }>(
    "select count(*)::integer as count from jobs where owner = $1 and state in ('queued', 'running')",
    [owner],
  );
  return rows[0]!.count;
}

/** A queued job begins; undefined when it is not queued any more. */
export async function startJob(sql: Sql, id: string): Promise<Job | undefined> {
  const rows = await sql.query<Job>(
    `update jobs set state = 'running', attempt = attempt + 1, started_at = now()
     where id = $1 and state = 'queued' returning *`,
    [id],
  );
  return rows[0];
}

/** A running job ends. False when this attempt does not own it any more: its outcome must then be dropped. */
export async function endJob(
  sql: Sql,
  job: Pick<Job, "id" | "attempt">,
  state: "done" | "failed",
  error: string | null = null,
): Promise<boolean> {
  const rows = await sql.query(
    `update jobs set state = $3, error = $4, finished_at = now()
     where id = $1 and attempt = $2 and state = 'running' returning id`,
    [job.id, job.attempt, state, error],
  );
  return rows.length === 1;
}

/** A running job goes back into the line. */
export async function requeueJob(sql: Sql, job: Pick<Job, "id" | "attempt">): Promise<boolean> {
  const rows = await sql.query(
    "update jobs set state = 'queued' where id = $1 and attempt = $2 and state = 'running' returning id",
    [job.id, job.attempt],
  );
  return rows.length === 1;
}

/** True when the job was open and is cancelled now. */
export async function cancelJob(sql: Sql, owner: string, id: string): Promise<boolean> {
  const rows = await sql.query(
    `update jobs set state = 'cancelled', finished_at = now()
     where owner = $1 and id = $2 and state in ('queued', 'running') returning id`,
    [owner, id],
  );
  return rows.length === 1;
}

/** After a crash of the only process: every job that was running is queued again. Returns all open jobs. */
export async function reopenJobs(sql: Sql): Promise<readonly string[]> {
  await sql.query("update jobs set state = 'queued', crashes = crashes + 1 where state = 'running'");
  const rows = await sql.query<{ id: string }>(
    "select id from jobs where state = 'queued' order by created_at, id",
  );
  return rows.map((row) => row.id);
}
