import { randomBytes } from "node:crypto";
import type { Explanation } from "../src/explanation.ts";
import type { Cell } from "../src/types.ts";
import { appendEvent, salted } from "./audit/trail.ts";
import { type Ref, refsIn, sha256 } from "./store/blobs.ts";
import type { Sql } from "./store/database.ts";
import { holdFiles } from "./store/hold.ts";
import type { Store } from "./store/store.ts";
import { readTableFile } from "./tables.ts";

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
    ["explanations", "recipe || ' ' || result"],
    ["jobs", "concat_ws(' ', recipe, plan, result)"],
  ] as const)
    for await (const { text } of pages(sql, table, columns)) for (const ref of refsIn(text)) refs.add(ref);
  return refs;
}

async function* pages(
  sql: Sql,
  table: "explanations" | "jobs",
  columns: string,
): AsyncGenerator<{ readonly id: string; readonly text: string }> {
  for (let last = "00000000-0000-0000-0000-000000000000"; ; ) {
    const rows = await sql.query<{ id: string; text: string }>(
      `select id, ${columns} as text from ${table} where id > $1 order by id limit ${PAGE}`,
      [last],
    );
    yield* rows;
    if (rows.length < PAGE) return;
    last = rows.at(-1)!.id;
  }
}

/** What is known of one person: what was removed, and the uploaded tables that hold the id. */
export interface Forgotten {
  readonly explanations: number;
  readonly jobs: number;
  readonly tables: readonly { readonly owner: string; readonly id: string; readonly name: string }[];
  readonly tablesRemoved: boolean;
}

/**
 * Removes one person, told by the id that stands in the tables: every explanation and job whose result or inline data
 * holds it, whole, and with `tables` every uploaded table. The record of it holds a salted digest of the id: who knows
 * the id can show that it was done.
 */
export async function forget(store: Store, person: string, tables: boolean): Promise<Forgotten> {
  const { db } = store;
  const uploads = await db.query<{ owner: string; id: string; name: string; ref: Ref }>(
    "select owner, id, name, ref from resources where kind in ('data', 'counterfactuals') order by owner, id",
  );
  const holds = holder(store, person);
  const found: (typeof uploads)[number][] = [];
  for (const upload of uploads) if (await holds(upload.ref)) found.push(upload);
  const uploaded = new Set(uploads.map(({ ref }) => ref));
  const ids = new Set<string>();
  for (const [table, columns] of [
    ["explanations", "recipe || ' ' || result"],
    ["jobs", "recipe"],
  ] as const)
    for await (const { id, text } of pages(db, table, columns))
      for (const ref of refsIn(text)) if (!uploaded.has(ref) && (await holds(ref))) ids.add(id);
  const salt = randomBytes(16).toString("hex");
  const gone = await erase(store, [...ids], {
    ...{ by: "forget", person: salted(salt, sha256(person)), personSalt: salt },
    ...(tables ? { uploads: found.map(({ id }) => id) } : {}),
  });
  if (tables) for (const upload of found) await removeTable(store, upload);
  const told = found.map(({ owner, id, name }) => ({ owner, id, name }));
  return { ...gone, tables: told, tablesRemoved: tables && found.length > 0 };
}

async function removeTable(
  { db, blobs }: Store,
  { owner, id, ref }: { readonly owner: string; readonly id: string; readonly ref: Ref },
): Promise<void> {
  await db.query("delete from resources where owner = $1 and id = $2", [owner, id]);
  await db.query("delete from inline_files where ref = $1", [ref]);
  await blobs.remove(ref);
}

/** Does a file hold the person: as a cell of a table, or as a row or cell of a result? Each is read once. */
function holder({ blobs }: Store, person: string): (ref: Ref) => Promise<boolean> {
  const known = new Map<Ref, Promise<boolean>>();
  const same = (cell: Cell | undefined): boolean =>
    cell !== null && cell !== undefined && String(cell) === person;
  const look = async (ref: Ref): Promise<boolean> => {
    if (/\.model$/.test(ref) || !(await blobs.has(ref))) return false;
    if (/\.json$/.test(ref)) {
      const value = JSON.parse(Buffer.from(await blobs.get(ref)).toString()) as
        | Partial<Explanation>
        | unknown[];
      if (!Array.isArray(value)) return (value.rows ?? []).some(({ id, x }) => same(id) || x.some(same));
      if (value.some(Array.isArray)) return false;
    }
    if (/\.jsonl$/.test(ref)) return linesHold(await blobs.get(ref), same);
    const { columns } = await readTableFile(await blobs.path(ref));
    return columns.some((column) => column.some(same));
  };
  return (ref) => {
    const answer = known.get(ref) ?? look(ref);
    known.set(ref, answer);
    return answer;
  };
}

/** Lines are rows of a result, or of a table. */
function linesHold(bytes: Uint8Array, same: (cell: Cell | undefined) => boolean): boolean {
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(10, from);
    const to = end < 0 ? bytes.length : end;
    const text = Buffer.from(bytes.subarray(from, to)).toString().trim();
    const row = (text === "" ? {} : JSON.parse(text)) as Readonly<Record<string, Cell | readonly Cell[]>>;
    if (Object.values(row).some((cell) => (Array.isArray(cell) ? cell.some(same) : same(cell as Cell))))
      return true;
    from = to + 1;
  }
  return false;
}
