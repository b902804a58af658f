import { appendEvent } from "./audit/trail.ts";
import { type Ref, refsIn } from "./store/blobs.ts";
import type { Sql } from "./store/database.ts";
import { holdFiles } from "./store/hold.ts";
import type { Store } from "./store/store.ts";

/** Rows read at a time. */
const PAGE = 500;

/** Who wanted something removed, and more that the record of it says. */
interface Wanted {
  readonly by: string;
  readonly [fact: string]: unknown;
}

/**
 * Removes explanations and jobs with these ids, and the files that only they needed; a record says that they were
 * removed. Returns how many of each there were.
 */
export async function erase(
  store: Store,
  ids: readonly string[],
  wanted: Wanted,
): Promise<{ readonly explanations: number; readonly jobs: number }> {
  const gone = await store.db.transaction(async (sql) => {
    const explanations = await sql.query<{ audit_seq: number; recipe: string; result: Ref }>(
      "delete from explanations where id = any($1::uuid[]) returning audit_seq, recipe, result",
      [ids],
    );
    const shards = await sql.query<{ result: Ref }>(
      "select result from jobs where parent = any($1::uuid[]) and result is not null",
      [ids],
    );
    const jobs = await sql.query<{ id: string; files: string }>(
      "delete from jobs where id = any($1::uuid[]) returning id, concat_ws(' ', recipe, plan) as files",
      [ids],
    );
    await sql.query("delete from idempotency where answer = any($1::uuid[])", [ids]);
    const removed = explanations.map((row) => Number(row.audit_seq)).sort((a, b) => a - b);
    await appendEvent(store, sql, { removed, jobs: jobs.map(({ id }) => id), ...wanted });
    return { explanations, jobs, shards };
  });
  const texts = [
    ...gone.explanations.map(({ recipe, result }) => `${recipe} ${result}`),
    ...gone.jobs.map(({ files }) => files),
    ...gone.shards.map(({ result }) => result),
  ];
  const refs = texts.flatMap(refsIn);
  await dropFiles(store, [...new Set(refs)]);
  return { explanations: gone.explanations.length, jobs: gone.jobs.length };
}

/** Files that are held at a time. */
const AT_ONCE = 500;

/**
 * Removes those of these files that nothing refers to; with a time, only those nobody has used since. What is written
 * while this looks through the store is looked at again while the files are held.
 */
export async function dropFiles({ db, blobs }: Store, refs: readonly Ref[], before?: Date): Promise<number> {
  if (refs.length === 0) return 0;
  const [head] = await db.query<{ seq: number }>("select seq from audit_head");
  const wanted = await recipeRefs(db);
  for (const { ref } of await db.query<{ ref: Ref }>("select ref from resources")) wanted.add(ref);
  const unnamed = refs.filter((ref) => !wanted.has(ref));
  let gone = 0;
  for (let from = 0; from < unnamed.length; from += AT_ONCE) {
    const some = unnamed.slice(from, from + AT_ONCE);
    gone += await db.transaction(async (sql) => {
      await holdFiles(sql, some, "alone");
      const named = await namedSince(sql, Number(head?.seq ?? 0));
      const removed: Ref[] = [];
      for (const ref of some)
        if (!named.has(ref) && (await blobs.remove(ref, before, sql))) removed.push(ref);
      await sql.query("delete from inline_files where ref = any($1::text[])", [removed]);
      return removed.length;
    });
  }
  return gone;
}

/** Files named by open jobs, uploads and by explanations whose records follow this one. */
async function namedSince(sql: Sql, seq: number): Promise<Set<Ref>> {
  const rows = await sql.query<{ text: string }>(
    `select recipe || ' ' || result as text from explanations where audit_seq > $1
     union all select concat_ws(' ', recipe, plan, result) from jobs
       where state in ('queued', 'running') or parent is not null
     union all select ref from resources`,
    [seq],
  );
  return new Set(rows.flatMap(({ text }) => refsIn(text)));
}

/** Files that the recipes of explanations and jobs name, and the files of results. */
export async function recipeRefs(sql: Sql): Promise<Set<Ref>> {
  const refs = new Set<Ref>();
  for (const [table, columns] of [
    ["explanations", "recipe || ' ' || result as text"],
    ["jobs", "concat_ws(' ', recipe, plan, result) as text"],
  ] as const)
    for await (const { text } of pages<{ readonly text: string }>(sql, table, columns))
      for (const ref of refsIn(text)) refs.add(ref);
  return refs;
}

/** Some columns of all explanations or jobs, one row after the other. */
export async function* pages<T>(
  sql: Sql,
  table: "explanations" | "jobs",
  columns: string,
): AsyncGenerator<T & { readonly id: string }> {
  for (let last = "00000000-0000-0000-0000-000000000000"; ; ) {
    const rows = await sql.query<T & { readonly id: string }>(
      `select id, ${columns} from ${table} where id > $1 order by id limit ${PAGE}`,
      [last],
    );
    yield* rows;
    if (rows.length < PAGE) return;
    last = rows.at(-1)!.id;
  }
}
