import { createHash, randomBytes, randomUUID } from "node:crypto";
import { createReadStream, renameSync, rmSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ColaError } from "../src/errors.ts";
import { unwritable } from "./files.ts";
import { type Ref, refsIn } from "./store/blobs.ts";
import { type Sql, takeTurn } from "./store/database.ts";
import { SCHEMA } from "./store/migrations.ts";
import type { Store } from "./store/store.ts";

/** Everything but what is only of the moment. */
const TABLES = [
  ...["resources", "inline_files", "jobs", "explanations", "idempotency"],
  ...["audit", "audit_head", "forgetting"],
];
const PAGE = 500;
/**
 * Open jobs begin again: what is kept for the shards of one goes when it ends, which may be before it is copied. No other row
 * is left out or changed.
 */
const OPEN_JOBS = `select case when state in ('queued', 'running') then to_jsonb(t) ||
    '{"state": "queued", "plan": null, "worker": null, "lease_until": null, "progress": null}' else to_jsonb(t) end::text as row
  from jobs as t where parent is null`;
/** Tables whose rows name files that are kept for them. */
const NAMING = ["resources", "jobs", "explanations"];

/** How much was written or read. */
export interface BackedUp {
  readonly rows: number;
  readonly files: number;
}

/** One line of a backup: a row, a piece of a file, or the end with the digest of all before it. */
type Line =
  | { readonly table: string; readonly row: unknown }
  | { readonly file: Ref; readonly piece: string }
  | (BackedUp & { readonly end: string; readonly schema?: number });

/**
 * Writes a store as lines of JSON, whole or not at all: rows of one moment, while others go on writing, then the files
 * they name, which never change. It can be read into a folder or a PostgreSQL server, whichever it came from.
 */
export async function backup(store: Store, path: string): Promise<BackedUp> {
  const draft = `${path}.${randomBytes(6).toString("hex")}.part`;
  const handle = await open(draft, "wx", 0o600).catch((error: unknown) => {
    throw unwritable(path, error);
  });
  const hash = createHash("sha256");
  const write = async (line: Line): Promise<void> => {
    const text = `${JSON.stringify(line)}\n`;
    if (!("end" in line)) hash.update(text);
    await handle.write(text);
  };
  try {
    const { rows, refs } = await store.db.transaction((sql) => writeRows(sql, write));
    let files = 0;
    for (const ref of refs) files += Number(await writeFile(store, ref, write));
    await write({ rows, files, schema: SCHEMA, end: hash.digest("hex") });
    await handle.sync();
    await handle.close();
    renameSync(draft, path);
    return { rows, files };
  } catch (error) {
    await handle.close().catch(() => {});
    rmSync(draft, { force: true });
    throw error;
  }
}

async function writeRows(
  sql: Sql,
  write: (line: Line) => Promise<void>,
): Promise<{ readonly rows: number; readonly refs: ReadonlySet<Ref> }> {
  await sql.query("set transaction isolation level repeatable read");
  let rows = 0;
  const refs = new Set<Ref>();
  for (const table of TABLES) {
    const select = table === "jobs" ? OPEN_JOBS : `select to_jsonb(t)::text as row from ${table} as t`;
    await sql.query(`declare backup no scroll cursor for ${select}`);
    for (;;) {
      const page = await sql.query<{ row: string }>(`fetch ${PAGE} from backup`);
      for (const { row } of page) {
        await write({ table, row: JSON.parse(row) });
        if (NAMING.includes(table)) for (const ref of refsIn(row)) refs.add(ref);
      }
      rows += page.length;
      if (page.length < PAGE) break;
    }
    await sql.query("close backup");
  }
  return { rows, refs };
}

/** A file that was erased since is left out, as it would be a moment later. */
async function writeFile({ blobs }: Store, ref: Ref, write: (line: Line) => Promise<void>): Promise<boolean> {
  if (!(await blobs.has(ref))) return false;
  const { pieces } = await blobs.stream(ref);
  for await (const piece of pieces) await write({ file: ref, piece: Buffer.from(piece).toString("base64") });
  return true;
}

/**
 * Reads a backup into a store that has nothing yet; nothing is read of one that was cut off or changed. Files come
 * first and rows last, all at once: who was interrupted finds the store empty still and may begin again.
 */
export async function restore(store: Store, path: string): Promise<BackedUp> {
  const found = await checked(path);
  await store.db.transaction(refuseFull);
  await readFiles(store, path);
  await store.db.transaction(async (sql) => {
    await takeTurn(sql, "audit");
    await refuseFull(sql);
    await sql.script("delete from audit_head; delete from forgetting");
    for await (const line of linesOf(path))
      if ("table" in line && TABLES.includes(line.table))
        await sql.query(
          `insert into ${line.table} select * from jsonb_populate_record(null::${line.table}, $1::jsonb)`,
          [JSON.stringify(line.row)],
        );
  });
  return found;
}

async function refuseFull(sql: Sql): Promise<void> {
  for (const table of ["resources", "inline_files", "jobs", "explanations", "idempotency", "audit"])
    if ((await sql.query(`select from ${table} limit 1`)).length > 0)
      throw new ColaError("OPTION_INVALID", "restore: the store has something already; name an empty one.");
}

/** Every file goes over the disk, for it may be larger than memory, and is kept under the name that its bytes have. */
async function readFiles({ blobs }: Store, path: string): Promise<void> {
  const draft = join(tmpdir(), `cola-${randomUUID()}.restore`);
  let [ref, handle]: [Ref, FileHandle | undefined] = ["", undefined];
  const keep = async (): Promise<void> => {
    await handle?.close();
    if (handle && (await blobs.putFile(draft, ref.slice(65))) !== ref)
      throw new ColaError("FILE_UNREADABLE", `${path}: the bytes of ${ref} are not what it says.`, { path });
  };
  try {
    for await (const line of linesOf(path)) {
      if (!("file" in line)) continue;
      if (line.file !== ref) {
        await keep();
        [ref, handle] = [line.file, await open(draft, "wx", 0o600)];
      }
      await handle!.writeFile(Buffer.from(line.piece, "base64"));
    }
    await keep();
  } catch (error) {
    await handle?.close().catch(() => {});
    throw (error as NodeJS.ErrnoException).code === "ENOSPC" ? unwritable(draft, error) : error;
  } finally {
    rmSync(draft, { force: true });
  }
}

async function checked(path: string): Promise<BackedUp> {
  const hash = createHash("sha256");
  let last: Line | undefined;
  let held = "";
  for await (const text of textsOf(path)) {
    if (held !== "") hash.update(`${held}\n`);
    held = text;
  }
  try {
    last = JSON.parse(held) as Line;
  } catch {
    // Told below.
  }
  if (last && "end" in last && last.end === hash.digest("hex")) {
    const { rows, files, schema = SCHEMA } = last;
    if (schema <= SCHEMA) return { rows, files };
    throw new ColaError(
      "OPTION_INVALID",
      `restore: ${path} was written by a newer version of cola (schema ${schema}, this one knows ${SCHEMA}); use that version.`,
      { schema },
    );
  }
  throw new ColaError("FILE_UNREADABLE", `${path}: is not a backup, or was cut off or changed.`, { path });
}

async function* linesOf(path: string): AsyncGenerator<Line> {
  for await (const text of textsOf(path)) yield JSON.parse(text) as Line;
}

function textsOf(path: string): AsyncIterable<string> {
  const input = createReadStream(path);
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  input.on("error", (error) => lines.emit("error", error));
  return lines;
}
