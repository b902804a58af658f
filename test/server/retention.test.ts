import { readdirSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { verifyAudit } from "../../node/audit/verify.ts";
import { sweep } from "../../node/retention.ts";
import type { Store } from "../../node/store/store.ts";
import { createApp } from "../../server/app.ts";
import { replay } from "../../server/run/replay.ts";
import { sweepSilently } from "../support/mutants/server.ts";
import { refuses } from "../support/refuses.ts";
import { ended, freshFolder, openStore, testApp } from "../support/server.ts";

const csv = { "content-type": "text/csv" };
const options = { label: "b", target: "yes", rows: 1, generator: "direct" };
let folder = "";
let [usedData, unusedData] = ["", ""];
let [oldId, youngId, jobId] = ["", "", ""];
let store: Store;
beforeAll(async () => {
  const app = await testApp();
  folder = app.folder;
  const post = async (url: string, payload: object | string, headers = {}) => {
    const answer = await app.inject({ method: "POST", url, payload, headers });
    expect(answer.statusCode, answer.body).toBeLessThan(300);
    return answer;
  };
  usedData = (await post("/v1/data", "a,b\n1,no\n2,no\n3,yes\n4,yes\n", csv)).json().id;
  unusedData = (await post("/v1/data", "a,b\n5,no\n6,no\n7,yes\n8,yes\n", csv)).json().id;
  const inline = { data: { csv: "a,b\n1,no\n2,no\n3,yes\n5,yes\n" }, options };
  oldId = String((await post("/v1/explanations", inline)).headers["explanation-id"]);
  jobId = (await post("/v1/jobs", { options: { rows: 1 } })).json().id;
  await ended(app, jobId);
  const kept = await post("/v1/explanations", { data: { id: usedData }, options });
  youngId = String(kept.headers["explanation-id"]);
  await app.close();
  store = await openStore(folder);
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const files = (): string[] =>
  readdirSync(join(folder, "files"), { recursive: true, encoding: "utf8" }).filter((name) =>
    name.includes("."),
  );
/** Everything but one explanation was made forty days ago. */
async function age(): Promise<void> {
  const old = "now() - interval '40 days'";
  await store.db.query(`update explanations set created_at = ${old} where id <> $1`, [youngId]);
  await store.db.script(
    `update jobs set created_at = ${old}, finished_at = ${old}; update resources set created_at = ${old};`,
  );
  const then = new Date(Date.now() - 40 * 86_400_000);
  for (const name of files()) utimesSync(join(folder, "files", name), then, then);
}
const ids = async (table: string): Promise<string[]> =>
  (await store.db.query<{ id: string }>(`select id from ${table}`)).map(({ id }) => id);

test("a sweep forgets what is old and unused, keeps what is young or used, and the trail still verifies", async () => {
  const before = files().length;
  expect(await sweep(store, 30)).toEqual({ explanations: 0, jobs: 0, uploads: 0, files: 0 });
  await age();
  const swept = await sweep(store, 30);
  expect(swept).toMatchObject({ explanations: 2, jobs: 1, uploads: 1 });
  expect(await ids("explanations")).toEqual([youngId]);
  expect(await ids("jobs")).toEqual([]);
  expect(await ids("resources")).toEqual([usedData]);
  expect(await ids("resources")).not.toContain(unusedData);
  expect(swept.files).toBeGreaterThan(0);
  expect(files().length).toBe(before - swept.files);
  expect(await verifyAudit(store)).toMatchObject({ ok: true, records: 7 });
  expect(await replay(store, youngId)).toMatchObject({ same: true });
  await expect(replay(store, oldId)).rejects.toMatchObject({ code: "NAME_UNKNOWN" });
  expect(await sweep(store, 30)).toEqual({ explanations: 0, jobs: 0, uploads: 0, files: 0 });
});

test("an explanation that vanishes without a record of it is still missed", async () => {
  const [kept] = await store.db.query<Record<string, unknown>>("select * from explanations");
  const staysVerified = async (forget: typeof sweep): Promise<void> => {
    expect((await forget(store, 30)).explanations).toBe(1);
    expect((await verifyAudit(store)).problems).toEqual([]);
  };
  await store.db.script("update explanations set created_at = now() - interval '40 days'");
  await refuses(() => staysVerified(sweepSilently));
  const { id, owner, recipe, result, run_hash, audit_seq } = kept!;
  await store.db.query(
    "insert into explanations (id, owner, recipe, result, run_hash, audit_seq, created_at) values ($1, $2, $3, $4, $5, $6, now() - interval '40 days')",
    [id, owner, recipe, result, run_hash, audit_seq],
  );
  await staysVerified(sweep);
});

test("a server sweeps only when it was told to, at its start; less than a day is refused", async () => {
  const made = await freshFolder();
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  const first = await testApp({ folder: made });
  const asked = await first.inject({ method: "POST", url: "/v1/constraints", payload: { freeze: ["a"] } });
  expect(asked.statusCode).toBe(201);
  await first.close();
  const between = await openStore(made);
  await between.db.script(
    "update resources set created_at = now() - interval '40 days'; insert into forgetting (clock) values (now())",
  );
  await between.close();
  const items = async (app: typeof first) => (await app.inject("/v1/constraints")).json().items.length;
  const keeps = await testApp({ folder: made });
  expect(await items(keeps)).toBe(1);
  await keeps.close();
  const forgets = await testApp({ folder: made, keepDays: 30 });
  await expect.poll(() => items(forgets), { timeout: 200_000 }).toBe(0);
  await forgets.close();
  for (const keepDays of [0, -1, Number.NaN])
    await expect(createApp({ folder: made, keepDays })).rejects.toMatchObject({ code: "OPTION_INVALID" });
});
