import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { appendRemoval, noteHead } from "./audit.ts";
import type { Sql } from "./store/database.ts";
import type { Store } from "./store/store.ts";

/** How many of each were removed. */
export interface Swept {
  readonly explanations: number;
  readonly jobs: number;
  readonly uploads: number;
  readonly files: number;
}

const DAY_MS = 86_400_000;
/** Recipes read at a time. */
const PAGE = 1000;
const REF = /[0-9a-f]{64}\.[a-z]{2,8}/g;

/**
 * Forgets what is older than so many days: explanations, jobs that ended, uploads and files that nothing left
 * refers to. Audit records stay; a new one says which explanations were removed, so that others that vanish are
 * still missed.
 */
export async function sweep(store: Store, days: number): Promise<Swept> {
  const before = new Date(Date.now() - days * DAY_MS);
  const rows = await store.db.transaction(async (sql) => ({
    explanations: await removeExplanations(sql, before),
    jobs: await removeJobs(sql, before),
  }));
  if (rows.explanations > 0) await noteHead(store);
  const uploads = await removeUploads(store, before);
  return { ...rows, uploads, files: await removeFiles(store, before) };
}

/** Removes files that nothing refers to and nobody has used for a day, as those of refused requests. */
export async function sweepOrphans(store: Store): Promise<number> {
  return removeFiles(store, new Date(Date.now() - DAY_MS));
}

async function removeExplanations(sql: Sql, before: Date): Promise<number> {
  const old = await sql.query<{ audit_seq: number | string }>(
    "delete from explanations where created_at < $1 returning audit_seq",
    [before],
  );
  if (old.length === 0) return 0;
  await appendRemoval(
    sql,
    old.map((row) => Number(row.audit_seq)).sort((a, b) => a - b),
  );
  return old.length;
}

/** Keys outlive their answer by no more than a day, so none points at what is removed here. */
async function removeJobs(sql: Sql, before: Date): Promise<number> {
  await sql.query(
    "delete from idempotency where answer is not null and created_at < now() - interval '1 day'",
  );
  const old = await sql.query(
    `delete from jobs where state in ('done', 'failed', 'cancelled') and coalesce(finished_at, created_at) < $1
     returning id`,
    [before],
  );
  return old.length;
}

async function removeUploads({ db }: Store, before: Date): Promise<number> {
  const old = await db.query<{ owner: string; id: string; ref: string }>(
    "select owner, id, ref from resources where created_at < $1",
    [before],
  );
  if (old.length === 0) return 0;
  const wanted = await recipeRefs(db);
  const unused = old.filter(({ ref }) => !wanted.has(ref));
  for (const { owner, id } of unused)
    await db.query("delete from resources where owner = $1 and id = $2 and created_at < $3", [
      owner,
      id,
      before,
    ]);
  return unused.length;
}

/** Files that the recipes of explanations and jobs name, and the files of results. */
async function recipeRefs(sql: Sql): Promise<Set<string>> {
  const refs = new Set<string>();
  const read = async (table: string, columns: string): Promise<void> => {
    let last = "00000000-0000-0000-0000-000000000000";
    for (;;) {
      const rows = await sql.query<{ id: string; text: string }>(
        `select id, ${columns} as text from ${table} where id > $1 order by id limit ${PAGE}`,
        [last],
      );
      for (const { text } of rows) for (const [ref] of text.matchAll(REF)) refs.add(ref);
      if (rows.length < PAGE) return;
      last = rows.at(-1)!.id;
    }
  };
  await read("explanations", "recipe || ' ' || result");
  await read("jobs", "recipe");
  return refs;
}

/** Young files stay whether or not something refers to them yet: what is being made now is written first. */
async function removeFiles({ db, blobs }: Store, before: Date): Promise<number> {
  const wanted = await recipeRefs(db);
  for (const { ref } of await db.query<{ ref: string }>("select ref from resources")) wanted.add(ref);
  const gone: string[] = [];
  for (const folder of await readdir(blobs.folder)) {
    for (const name of await readdir(join(blobs.folder, folder))) {
      const path = join(blobs.folder, folder, name);
      if (wanted.has(name) || (await stat(path)).mtime >= before) continue;
      await rm(path, { force: true });
      gone.push(name);
    }
  }
  if (gone.length > 0) await db.query("delete from inline_files where ref = any($1::text[])", [gone]);
  return gone.length;
}
