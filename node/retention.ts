import { appendEvent } from "./audit/trail.ts";
import { removeCutOff } from "./cut-off.ts";
import { dropFiles, recipeRefs } from "./erase.ts";
import type { Sql } from "./store/database.ts";
import type { Store } from "./store/store.ts";

/** How many of each were removed. */
interface Swept {
  readonly explanations: number;
  readonly jobs: number;
  readonly uploads: number;
  readonly files: number;
}

const DAY_MS = 86_400_000;

/**
 * Forgets what is older than so many days: explanations, jobs that ended, uploads and files that nothing left
 * refers to. Audit records stay; a new one says which explanations were removed, so that others that vanish are
 * still missed. Whatever the clock of the machine says, nothing is old before as much time has really passed.
 */
export async function sweep(
  store: Store,
  days: number,
  now = new Date(),
  ticks = () => performance.now(),
): Promise<Swept> {
  const { before, ...rows } = await store.db.transaction(async (sql) => {
    const before = new Date((await goOn(store, sql, now, ticks)).getTime() - days * DAY_MS);
    const { removed, jobs } = {
      removed: await oldExplanations(sql, before),
      jobs: await oldJobs(sql, before),
    };
    if (removed.length + jobs.length > 0)
      await appendEvent(store, sql, { removed, jobs, by: `older than ${days} days` });
    return { before, explanations: removed.length, jobs: jobs.length };
  });
  const uploads = await removeUploads(store, before);
  return { ...rows, uploads, files: await dropFiles(store, await store.blobs.unused(before), before) };
}

/** Removes files that nothing refers to and nobody has used for a day, as those of refused requests and of killed processes. */
export async function sweepOrphans(store: Store): Promise<number> {
  await removeCutOff(store);
  const before = new Date(Date.now() - DAY_MS);
  return dropFiles(store, await store.blobs.unused(before), before);
}

/** Where the clock of forgetting stood when a process last looked, and when that was, by a clock that does not jump. */
const looks = new WeakMap<Store, { readonly clock: Date; readonly at: number }>();

/**
 * The clock of forgetting: it stands at the newest that was kept when it is first read. What a process saw goes on by
 * the time that has passed since in that process, so that no number of starts, looks or servers makes it faster.
 */
async function goOn(store: Store, sql: Sql, now: Date, ticks: () => number): Promise<Date> {
  const seen = looks.get(store);
  const reached = seen && new Date(seen.clock.getTime() + ticks() - seen.at);
  const rows = await sql.query<{ clock: Date }>(
    `with newest as (
       select max(at) as at from (
         select max(created_at) as at from explanations union all
         select max(created_at) from jobs union all select max(created_at) from resources
       ) as all_newest
     )
     insert into forgetting (clock) select least($1::timestamptz, coalesce(at + interval '1 day', $1)) from newest
     on conflict (one) do update
       set clock = greatest(forgetting.clock, least($1::timestamptz, coalesce($2::timestamptz, forgetting.clock)))
     returning clock`,
    [now, reached ?? null],
  );
  const { clock } = rows[0]!;
  looks.set(store, { clock, at: ticks() });
  return clock;
}

/** The numbers of their records. */
async function oldExplanations(sql: Sql, before: Date): Promise<number[]> {
  const old = await sql.query<{ audit_seq: number }>(
    "delete from explanations where created_at < $1 returning audit_seq",
    [before],
  );
  return old.map((row) => Number(row.audit_seq)).sort((a, b) => a - b);
}

/** Keys outlive their answer by no more than a day, so none points at what is removed here. */
async function oldJobs(sql: Sql, before: Date): Promise<string[]> {
  await sql.query(
    "delete from idempotency where answer is not null and created_at < now() - interval '1 day'",
  );
  const old = await sql.query<{ id: string }>(
    `delete from jobs where parent is null and state in ('done', 'failed', 'cancelled') and coalesce(finished_at, created_at) < $1
     returning id`,
    [before],
  );
  return old.map(({ id }) => id);
}

async function removeUploads(store: Store, before: Date): Promise<number> {
  const { db } = store;
  const old = await db.query<{ owner: string; id: string; ref: string }>(
    "select owner, id, ref from resources where created_at < $1",
    [before],
  );
  if (old.length === 0) return 0;
  const wanted = await recipeRefs(db);
  const unused = old.filter(({ ref }) => !wanted.has(ref));
  for (const { owner, id } of unused)
    await db.transaction(async (sql) => {
      const gone = await sql.query(
        "delete from resources where owner = $1 and id = $2 and created_at < $3 returning id",
        [owner, id, before],
      );
      if (gone.length > 0) await appendEvent(store, sql, { event: "delete", owner, upload: id, by: "age" });
    });
  return unused.length;
}
