import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { verifyAudit } from "../../node/audit/verify.ts";
import { backup, restore } from "../../node/backup.ts";
import { openStore } from "../../node/store/store.ts";
import { createApp } from "../../server/app.ts";
import { replay } from "../../server/run/replay.ts";
import { cola } from "../support/cli.ts";
import { ended, freshFolder, postgres } from "../support/server.ts";

const place = mkdtempSync(join(tmpdir(), "cola-backup-"));
afterAll(() => rmSync(place, { recursive: true, force: true }));

test("a backup of PostgreSQL, made while it runs, is a folder's store again: the trail verifies, explanations replay", async () => {
  const database = await (await postgres()).database("source");
  const app = await createApp({ database, limits: { perMinute: 1e6 } });
  const csv = { "content-type": "text/csv" };
  const table = "a,b\n1,no\n2,no\n3,yes\n4,yes\n";
  const upload = await app.inject({ method: "POST", url: "/v1/data", payload: table, headers: csv });
  const options = { label: "b", target: "yes", rows: 1, generator: "direct" };
  const payload = { data: { id: upload.json().id }, options };
  const { id } = (await app.inject({ method: "POST", url: "/v1/jobs", payload })).json();
  await ended(app, id);
  const file = join(place, "cola.backup");
  const source = await openStore({ database });
  expect(await backup(source, file)).toMatchObject({ files: 2 });
  await source.close();
  await app.close();
  const folder = await freshFolder();
  const made = await cola("restore", file, "--store", folder);
  expect(made.code, made.err).toBe(0);
  const store = await openStore({ folder });
  expect((await verifyAudit(store)).problems).toEqual([]);
  expect(await replay(store, id)).toMatchObject({ same: true });
  await expect(restore(store, file)).rejects.toThrow(/has something already/);
  const text = readFileSync(file, "utf8");
  const other = join(place, "other.backup");
  for (const broken of [text.slice(0, -200), text.replace('"owner":"local"', '"owner":"eve"'), ""]) {
    writeFileSync(other, broken);
    await expect(restore(store, other)).rejects.toThrow(/no backup, or was cut off or changed/);
  }
  await store.close();
  rmSync(folder, { recursive: true, force: true });
}, 240_000);
