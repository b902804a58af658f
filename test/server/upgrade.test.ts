import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { verifyAudit } from "../../node/audit/verify.ts";
import { restore } from "../../node/backup.ts";
import { openFolder } from "../../node/store/blobs.ts";
import { migrate } from "../../node/store/migrations.ts";
import { openPglite } from "../../node/store/pglite.ts";
import { openPostgres } from "../../node/store/postgres.ts";
import { createApp } from "../../server/app.ts";
import { replay } from "../../server/run/replay.ts";
import { ended, openStore, placeOf } from "../support/server.ts";

/** What a store of schema 6 held, as its backup tells it: an upload, an explanation, and jobs done, waiting and begun. */
const SCHEMA = 6;
const KEPT = "test/fixtures/store-0.1.jsonl";
type Line =
  | { readonly table: string; readonly row: Readonly<Record<string, unknown>> }
  | { readonly file: string; readonly piece: string }
  | { readonly end: string };
const lines = readFileSync(KEPT, "utf8")
  .trim()
  .split("\n")
  .map((text) => JSON.parse(text) as Line);

/** The folder, or the database, as that version left it. */
async function oldFolder(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "cola-upgrade-"));
  const { database } = await placeOf(folder);
  const db = await (database === undefined ? openPglite(join(folder, "database")) : openPostgres(database));
  if (database !== undefined) await db.script("create schema cola");
  await migrate(db, SCHEMA);
  await db.script("delete from audit_head");
  const blobs = openFolder(join(folder, "files"));
  for (const line of lines) {
    if ("table" in line)
      await db.query(
        `insert into ${line.table} select * from jsonb_populate_record(null::${line.table}, $1::jsonb)`,
        [JSON.stringify(line.row)],
      );
    if ("file" in line) await blobs.put(Buffer.from(line.piece, "base64"), line.file.slice(65));
  }
  await db.close();
  return folder;
}

const ids = (table: string, fits: (row: Readonly<Record<string, unknown>>) => boolean): string[] =>
  lines.flatMap((line) =>
    "table" in line && line.table === table && fits(line.row) ? [String(line.row["id"])] : [],
  );

test.each([
  ["a store of an older version, opened", oldFolder],
  [
    "a backup of an older version, read",
    async () => {
      const folder = mkdtempSync(join(tmpdir(), "cola-upgrade-"));
      const store = await openStore(folder);
      await restore(store, KEPT);
      await store.close();
      return folder;
    },
  ],
])("%s: everything is there, the trail verifies, results replay and open jobs are done", async (_, make) => {
  const folder = await make();
  const app = await createApp(await placeOf(folder));
  const open = ids("jobs", ({ state }) => state !== "done");
  expect(open).toHaveLength(2);
  for (const id of open) expect(await ended(app, id)).toMatchObject({ state: "done", error: null });
  expect((await app.inject("/v1/data")).json().items).toMatchObject([{ name: "people.csv" }]);
  const kept = ids("explanations", () => true);
  expect(kept).toHaveLength(2);
  for (const id of kept) expect((await app.inject(`/v1/explanations/${id}`)).statusCode).toBe(200);
  await app.close();
  const store = await openStore(folder);
  const { max } = (await store.db.query<{ max: number }>("select max(version) from migrations"))[0]!;
  expect(max).toBeGreaterThan(SCHEMA);
  expect((await verifyAudit(store)).problems).toEqual([]);
  for (const id of [...kept, ...open]) expect(await replay(store, id)).toMatchObject({ same: true });
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});
