import { randomBytes } from "node:crypto";
import type { Cell } from "../src/types.ts";
import { salted } from "./audit/trail.ts";
import { removeCutOff } from "./cut-off.ts";
import { dropFiles, erase, pages } from "./erase.ts";
import { type Ref, refsIn, sha256 } from "./store/blobs.ts";
import { holdFiles } from "./store/hold.ts";
import type { Store } from "./store/store.ts";
import { readTableFile } from "./tables.ts";

/** What is known of one person: what was removed, and the uploaded tables that hold the id. */
export interface Forgotten {
  readonly explanations: number;
  readonly jobs: number;
  readonly tables: readonly { readonly owner: string; readonly id: string; readonly name: string }[];
  readonly tablesRemoved: boolean;
}

type Upload = Forgotten["tables"][number] & { readonly ref: Ref };

/** What is looked through: explanations, and jobs with what they ended by. */
interface Kept {
  readonly recipe: string;
  readonly result: Ref | null;
  readonly error: string | null;
  /** It may yet be worked off, and its result hold whoever is in its table. */
  readonly open: boolean;
  /** The job it is a shard of: that one goes whole. */
  readonly parent: string | null;
}

/**
 * Removes one person, told by the id that stands in the tables: every explanation and job whose result, inline data,
 * options or error holds it, whole, what refused requests left, and with `tables` every uploaded table, also where
 * explanations of others were made from it, and the open jobs on it. The record of it holds a salted digest of the id: who
 * knows the id can show that it was done.
 */
export async function forget(store: Store, person: string, tables: boolean): Promise<Forgotten> {
  const { db, blobs } = store;
  const uploads = await db.query<Upload>(
    "select owner, id, name, ref from resources where kind in ('data', 'counterfactuals') order by owner, id",
  );
  const holds = holder(store, person);
  const found: Upload[] = [];
  for (const upload of uploads) if (await holds(upload.ref)) found.push(upload);
  const uploaded = new Set(uploads.map(({ ref }) => ref));
  const ids = new Set<string>();
  for (const [table, columns] of [
    ["explanations", "recipe, result, null as error, false as open, null as parent"],
    ["jobs", "recipe, result, error, state in ('queued', 'running') as open, parent"],
  ] as const)
    for await (const { id, ...kept } of pages<Kept>(db, table, columns)) {
      const whole = kept.parent ?? id;
      if (says(kept, person)) ids.add(whole);
      for (const ref of refsIn(`${kept.recipe} ${kept.result}`))
        if ((!uploaded.has(ref) || (tables && kept.open)) && (await holds(ref))) ids.add(whole);
    }
  const salt = randomBytes(16).toString("hex");
  const gone = await erase(store, [...ids], {
    ...{ by: "forget", person: salted(salt, sha256(person)), personSalt: salt },
    ...(tables ? { uploads: found.map(({ id }) => id) } : {}),
  });
  if (tables) for (const upload of found) await removeTable(store, upload);
  const loose: Ref[] = [];
  for (const ref of await blobs.unused(new Date(Date.now() + SOON_MS)))
    if ((!uploaded.has(ref) || tables) && (await holds(ref))) loose.push(ref);
  await dropFiles(store, loose);
  await removeCutOff(store, store.overwrite !== undefined);
  await store.overwrite?.();
  const told = found.map(({ owner, id, name }) => ({ owner, id, name }));
  return { ...gone, tables: told, tablesRemoved: tables && found.length > 0 };
}

/** Whatever clocks of other machines say, every file is older than this from now. */
const SOON_MS = 86_400_000;

/** A table goes with its file: explanations that were made from it cannot be replayed any more. */
async function removeTable({ db, blobs }: Store, { owner, id, ref }: Upload): Promise<void> {
  await db.transaction(async (sql) => {
    await holdFiles(sql, [ref], "alone");
    await sql.query("delete from resources where owner = $1 and id = $2", [owner, id]);
    await sql.query("delete from inline_files where ref = $1", [ref]);
    await blobs.remove(ref, undefined, sql);
  });
}

/** Does a recipe ask for the person by name, or an error tell of the person? */
function says({ recipe, error }: Kept, person: string): boolean {
  const { ids = [], where = "" } = recipe === "" ? {} : optionsOf(recipe);
  const word = new RegExp(
    `(?<![\\p{L}\\p{N}_])${person.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\p{L}\\p{N}_])`,
    "u",
  );
  return ids.includes(person) || word.test(where) || (error !== null && word.test(error));
}

function optionsOf(recipe: string): { readonly ids?: readonly string[]; readonly where?: string } {
  return (JSON.parse(recipe) as { readonly options: ReturnType<typeof optionsOf> }).options;
}

/** Does a file hold the person: as a cell of a table, or as a row or cell of a result? Each is read once. */
function holder({ blobs }: Store, person: string): (ref: Ref) => Promise<boolean> {
  const known = new Map<Ref, Promise<boolean>>();
  const same: Same = (value) => isCell(value) && String(value) === person;
  const look = async (ref: Ref): Promise<boolean> => {
    if (/\.model$/.test(ref) || !(await blobs.has(ref))) return false;
    const bytes = await blobs.get(ref);
    try {
      if (/\.json$/.test(ref)) return jsonHolds(JSON.parse(Buffer.from(bytes).toString()), same);
      if (/\.jsonl$/.test(ref)) return linesHold(bytes, same);
      const { columns } = await readTableFile(await blobs.path(ref));
      return columns.some((column) => column.some(same));
    } catch {
      // What cannot be read as what it should be, as the data of a job that failed, is looked through as it stands.
      return Buffer.from(bytes).includes(person);
    }
  };
  return (ref) => {
    const answer = known.get(ref) ?? look(ref);
    known.set(ref, answer);
    return answer;
  };
}

type Same = (value: unknown) => boolean;

function isCell(value: unknown): value is Cell {
  return value !== null && ["string", "number", "boolean"].includes(typeof value);
}

/** A row of a result is told by its id and cells, and by nothing that is counted or scored. */
interface ResultRow {
  readonly id: unknown;
  readonly x: readonly unknown[];
}

function isResultRow(value: unknown): value is ResultRow {
  return typeof value === "object" && value !== null && Array.isArray((value as Partial<ResultRow>).x);
}

const rowHolds = ({ id, x }: ResultRow, same: Same): boolean => same(id) || x.some(same);

/** A result, rows of a table, or anything else that was sent as JSON; pairs of a calibration are not people. */
function jsonHolds(value: unknown, same: Same): boolean {
  if (Array.isArray(value)) return !value.some(Array.isArray) && value.some((row) => cellsHold(row, same));
  const { rows } = Object(value) as { readonly rows?: unknown };
  if (Array.isArray(rows) && rows.every(isResultRow)) return rows.some((row) => rowHolds(row, same));
  return insideHolds(value, same);
}

/** A row of a table, as an object of cells or as a list of them. */
function cellsHold(row: unknown, same: Same): boolean {
  return Object.values(Object(row)).some((cell) => (Array.isArray(cell) ? cell.some(same) : same(cell)));
}

/** Texts anywhere, numbers in lists alone: elsewhere they are bounds and counts. */
function insideHolds(value: unknown, same: Same): boolean {
  if (typeof value !== "object") return typeof value === "string" && same(value);
  return Object.values(value ?? {}).some(
    (inside) => insideHolds(inside, same) || (Array.isArray(value) && same(inside)),
  );
}

/** Lines are rows of a result, between its first and its last, or of a table. */
function linesHold(bytes: Uint8Array, same: Same): boolean {
  let result = false;
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(10, from);
    const to = end < 0 ? bytes.length : end;
    const text = Buffer.from(bytes.subarray(from, to)).toString().trim();
    const line: unknown = text === "" ? {} : JSON.parse(text);
    if (from === 0) result = Object.hasOwn(Object(line), "runHash") || Object.hasOwn(Object(line), "tally");
    else if (result && isResultRow(line) && rowHolds(line, same)) return true;
    if (!result && (Array.isArray(line) ? jsonHolds(line, same) : cellsHold(line, same))) return true;
    from = to + 1;
  }
  return false;
}
