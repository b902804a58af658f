import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { verifyAudit } from "../../node/audit/verify.ts";
import { backup, restore } from "../../node/backup.ts";
import { sweep } from "../../node/retention.ts";
import { insertJob, takeJob } from "../../node/store/jobs.ts";
import { cutJob } from "../../node/store/shards.ts";
import { openStore } from "../../node/store/store.ts";
import { createApp } from "../../server/app.ts";
import { replay } from "../../server/run/replay.ts";
import { cola } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { ended, freshFolder, postgres } from "../support/server.ts";

const place = temporaryFolder();

test("a backup of PostgreSQL, made while it runs, is a folder's store again, also where the first try was cut off: the trail verifies, explanations replay", async () => {
  const database = await (await postgres()).database("source");
  const app = await createApp({ database, limits: { perMinute: 1e6 } });
  const csv = { "content-type": "text/csv" };
  const table = "a,b\n1,no\n2,no\n3,yes\n4,yes\n";
  const upload = await app.inject({ method: "POST", url: "/v1/data", payload: table, headers: csv });
  const options = { label: "b", target: "yes", rows: 1, generator: "direct" };
  const payload = { data: { id: upload.json().id }, options };
  const { id } = (await app.inject({ method: "POST", url: "/v1/jobs", payload })).json();
  await ended(app, id);
  await app.close();
  const file = join(place, "cola.backup");
  const source = await openStore({ database });
  // A job that was cut: what is kept for its shards is gone by the time that files are copied.
  const [{ recipe }] = (await source.db.query("select recipe from jobs")) as [{ recipe: string }];
  const open = randomUUID();
  await insertJob(source.db, { id: open, owner: "local", recipe });
  const plan = JSON.stringify({ rows: 1, size: 1, hash: "h", x: `${"0".repeat(64)}.parquet` });
  await source.db.transaction(async (sql) => cutJob(sql, (await takeJob(sql, "w"))!, plan, 1));
  // Twice at once to one place, as from two clocks: one of them is there whole.
  const both = await Promise.all([backup(source, file), backup(source, file)]);
  expect(both.map(({ files }) => files)).toEqual([2, 2]);
  expect(readdirSync(place)).toEqual(["cola.backup"]);
  await source.close();
  const folder = await freshFolder();
  const first = await openStore({ folder });
  const putFile = async (): Promise<string> => Promise.reject(new Error("cut off"));
  await expect(restore({ ...first, blobs: { ...first.blobs, putFile } }, file)).rejects.toThrow("cut off");
  expect(await sweep(first, 30)).toMatchObject({ explanations: 0 });
  await first.close();
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
    await expect(restore(store, other)).rejects.toThrow(/not a backup, or was cut off or changed/);
  }
  writeFileSync(other, text.replace(/"schema":(\d+)/, '"schema":1$1'));
  await expect(restore(store, other)).rejects.toThrow(/written by a newer version of cola/);
  await store.close();
  const again = await createApp({ folder });
  expect(await ended(again, open)).toMatchObject({ state: "done", error: null });
  await again.close();
  rmSync(folder, { recursive: true, force: true });
}, 240_000);
