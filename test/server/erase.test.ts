import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newKeys } from "../../node/audit/sign.ts";
import { salted } from "../../node/audit/trail.ts";
import { verifyAudit } from "../../node/audit/verify.ts";
import { forget } from "../../node/forget.ts";
import { sweep } from "../../node/retention.ts";
import { sha256 } from "../../node/store/blobs.ts";
import { insertJob, takeJob } from "../../node/store/jobs.ts";
import { cutJob, endShard } from "../../node/store/shards.ts";
import { cola } from "../support/cli.ts";
import { sweepByLooks } from "../support/mutants/server.ts";
import { refuses } from "../support/refuses.ts";
import { ended, freshFolder, onPostgres, openStore, storeWords, testApp } from "../support/server.ts";

const options = { label: "b", target: "yes", rows: 2, generator: "direct", id: "who" };
const table = (k: number): string => `who,a,b\nzora,${k},no\nbob,2,no\ncleo,3,yes\ndan,4,yes\n`;
let app: Awaited<ReturnType<typeof testApp>>;
const keys = [
  { owner: "one", secret: "secret-of-owner-one" },
  { owner: "two", secret: "secret-of-owner-two" },
];
const headers = { "x-api-key": keys[0]!.secret };
beforeAll(async () => {
  app = await testApp({ keys });
});
afterAll(async () => {
  await app.close();
  rmSync(app.folder, { recursive: true, force: true });
});
const post = async (url: string, payload: object | string, more = {}) => {
  const answer = await app.inject({ method: "POST", url, payload, headers: { ...headers, ...more } });
  expect(answer.statusCode, answer.body).toBeLessThan(300);
  return answer;
};
const status = async (method: "GET" | "DELETE", url: string, key = headers) =>
  (await app.inject({ method, url, headers: key })).statusCode;

test("an explanation, its job and what was sent with it can be erased by its owner, and are recorded as such", async () => {
  const { id } = (await post("/v1/jobs", { data: { csv: table(1) }, options })).json();
  await ended(app, id, headers);
  const other = { "x-api-key": keys[1]!.secret };
  expect(await status("DELETE", `/v1/explanations/${id}`, other)).toBe(404);
  const before = (await app.inject({ url: "/v1/audit/head", headers })).json();
  expect(await status("DELETE", `/v1/explanations/${id}`)).toBe(204);
  for (const url of [`/v1/explanations/${id}`, `/v1/jobs/${id}`]) expect(await status("GET", url)).toBe(404);
  const after = (await app.inject({ url: "/v1/audit/head", headers })).json();
  expect(after).toMatchObject({ seq: before.seq + 1, signature: null });
  const again = (await post("/v1/jobs", { data: { csv: table(1) }, options })).json();
  await ended(app, again.id, headers);
  expect(await status("DELETE", `/v1/jobs/${again.id}?erase=true`)).toBe(200);
  expect(await status("GET", `/v1/explanations/${again.id}`)).toBe(404);
});

test("one person is removed from explanations, jobs, inline data and, when asked, tables; a record can be shown", async () => {
  const folder = await freshFolder();
  const server = await testApp({ folder });
  const send = async (url: string, payload: object | string, more = {}) =>
    server.inject({ method: "POST", url, payload, headers: more });
  const held = await send("/v1/explanations", { data: { csv: table(7) }, options });
  const upload = (await send("/v1/data?name=people", table(8), { "content-type": "text/csv" })).json();
  const named = await send("/v1/explanations", { data: { id: upload.id }, options });
  const free = await send("/v1/explanations", { options: { rows: 1 } });
  // What failed and what was refused holds her, too: in data that are not tables, as somebody asked for, in an error.
  const lost = [
    { data: { csv: `${table(5)}"zora` }, options },
    { data: { id: upload.id }, options: { ...options, ids: ["zora", "yves"] } },
    { data: { id: upload.id }, options: { ...options, ids: ["yves"] } },
  ];
  for (const payload of lost) {
    expect((await send("/v1/explanations", payload)).statusCode).toBe(422);
    const { id } = (await send("/v1/jobs", payload)).json();
    expect(await ended(server, id)).toMatchObject({ state: "failed" });
  }
  const asked = { data: { id: upload.id }, options: { ...options, ids: ["zora"] } };
  expect((await send("/v1/explanations", asked)).statusCode).toBe(200);
  const list = '[{"who":"zora","a":1},{"who":"bob","a":2}]';
  const listed = (await send("/v1/data?name=list", list, { "content-type": "application/x-ndjson" })).json();
  const [a, b, c] = [held, named, free].map((answer) => String(answer.headers["explanation-id"]));
  expect(held.body).toContain('"zora"');
  await server.close();
  const store = await openStore(folder);
  expect(await forget(store, "nobody", false)).toMatchObject({ explanations: 0, jobs: 0, tables: [] });
  const first = await forget(store, "zora", false);
  expect(first).toMatchObject({ explanations: 3, jobs: 3, tablesRemoved: false });
  expect(new Set(first.tables.map(({ id }) => id))).toEqual(new Set([upload.id, listed.id]));
  expect(await store.db.query("select from jobs")).toEqual([]);
  const left = await store.db.query<{ id: string }>("select id from explanations");
  expect(left.map(({ id }) => id)).toEqual([c]);
  expect([a, b]).not.toContain(c);
  const refs = async (): Promise<string[]> => [...(await store.blobs.unused(new Date(Date.now() + 1e6)))];
  const texts = await Promise.all(
    (await refs()).map(async (ref) => Buffer.from(await store.blobs.get(ref)).toString()),
  );
  expect(texts.filter((text) => text.includes("zora"))).toHaveLength(2);
  await store.close();
  const second = await cola("forget", "--id", "zora", "--tables", "--json", ...(await storeWords(folder)));
  expect(JSON.parse(second.out)).toMatchObject({ tablesRemoved: true });
  const last = await openStore(folder);
  expect(await last.db.query("select from resources")).toEqual([]);
  for (const ref of await last.blobs.unused(new Date(Date.now() + 1e6)))
    expect(Buffer.from(await last.blobs.get(ref)).toString()).not.toContain("zora");
  expect((await verifyAudit(last)).problems).toEqual([]);
  const records = await last.db.query<{ record: string }>("select record from audit order by seq");
  expect(records.map(({ record }) => record).join()).not.toContain("zora");
  const tombstone = JSON.parse(records.at(-1)!.record);
  expect(tombstone.person).toBe(salted(tombstone.personSalt, sha256("zora")));
  await last.close();
  rmSync(folder, { recursive: true, force: true });
}, 240_000);

test("a table goes with its file, also where others were explained from it; so do open jobs on it, and what the database had of them", async () => {
  const folder = await freshFolder();
  const server = await testApp({ folder, limits: { jobs: 0 } });
  const send = async (url: string, payload: object | string, more = {}) =>
    server.inject({ method: "POST", url, payload, headers: more });
  const upload = (await send("/v1/data", table(9), { "content-type": "text/csv" })).json();
  const made = await send("/v1/explanations", {
    data: { id: upload.id },
    options: { ...options, rows: 1, ids: ["bob"] },
  });
  expect(made.body).not.toContain("zora");
  const { id: open } = (await send("/v1/jobs", { data: { id: upload.id }, options })).json();
  const asked = { ...options, where: "a > 0 and who != 'zora'" };
  await send("/v1/jobs", { data: { id: upload.id }, options: asked });
  await server.close();
  // What a killed process was writing: in a folder no other can be at it, elsewhere one may be for a day.
  const half = join(folder, "files", "ab", ".0123456789ab.part");
  mkdirSync(dirname(half), { recursive: true });
  writeFileSync(half, "zora");
  if (onPostgres) utimesSync(half, 0, 0);
  const store = await openStore(folder);
  expect(await forget(store, "zora", false)).toMatchObject({ explanations: 0, jobs: 1 });
  expect((await store.db.query("select id from jobs")).map((row) => row["id"])).toEqual([open]);
  expect(await forget(store, "zora", true)).toMatchObject({ explanations: 0, jobs: 1, tablesRemoved: true });
  const [kept] = await store.db.query("select id from explanations");
  expect(kept).toEqual({ id: made.headers["explanation-id"] });
  for (const ref of await store.blobs.unused(new Date(Date.now() + 1e6)))
    expect(Buffer.from(await store.blobs.get(ref)).toString()).not.toContain("zora");
  expect((await verifyAudit(store)).problems).toEqual([]);
  await store.close();
  const left = spawnSync("grep", ["-rla", "zora", folder], { encoding: "utf8" });
  expect([left.status, left.stdout]).toEqual([1, ""]);
  rmSync(folder, { recursive: true, force: true });
}, 240_000);

test("a job that was cut goes whole when one of its shards holds the person", async () => {
  const folder = await freshFolder();
  const store = await openStore(folder);
  const { db, blobs } = store;
  await insertJob(db, { id: randomUUID(), owner: "local", recipe: '{"options":{}}' });
  await db.transaction(async (sql) => cutJob(sql, (await takeJob(sql, "w"))!, "{}", 2));
  const lines = [
    { number: 0, tally: {} },
    { id: "zora", row: 0, x: [1] },
  ].map((line) => JSON.stringify(line));
  const ref = await blobs.put(Buffer.from(`${lines.join("\n")}\n`), "jsonl");
  const shard = (await takeJob(db, "w"))!;
  await db.transaction((sql) => endShard(sql, shard, ref, () => "{}"));
  expect(await forget(store, "bob", false)).toMatchObject({ jobs: 0 });
  expect(await forget(store, "zora", false)).toMatchObject({ jobs: 1 });
  expect(await db.query("select from jobs")).toEqual([]);
  expect(await blobs.has(ref)).toBe(false);
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const YEARS_MS = 10 * 365 * 86_400_000;

/** A store with one explanation in a folder of its own. */
async function withOne(): Promise<string> {
  const server = await testApp();
  await server.inject({ method: "POST", url: "/v1/explanations", payload: { options: { rows: 1 } } });
  await server.close();
  return server.folder;
}

test("a clock that jumps erases nothing, however often, from however many processes it is looked at", async () => {
  const jumped = async (forget: typeof sweep): Promise<void> => {
    const folder = await withOne();
    const later = new Date(Date.now() + YEARS_MS);
    // Beside each other where the store allows it, else one start after the other.
    for (let start = 0; start < 4; start++) {
      const stores = [await openStore(folder), ...(onPostgres ? [await openStore(folder)] : [])];
      for (let look = 0; look < 12; look++)
        for (const store of stores) expect((await forget(store, 30, later)).explanations).toBe(0);
      for (const store of stores) await store.close();
    }
    rmSync(folder, { recursive: true, force: true });
  };
  await jumped(sweep);
  await refuses(() => jumped(sweepByLooks));
}, 300_000);

test("what is old is forgotten once that time has passed, whoever looked how often", async () => {
  const folder = await withOne();
  const store = await openStore(folder);
  const later = new Date(Date.now() + YEARS_MS);
  let ticks = 0;
  const look = async (): Promise<number> => (await sweep(store, 30, later, () => ticks)).explanations;
  // The first look may stand a day after the newest; from then on days count that have passed.
  await look();
  ticks += 28.9 * 86_400_000;
  expect([await look(), await look()]).toEqual([0, 0]);
  ticks += 2 * 86_400_000;
  expect(await look()).toBe(1);
  expect((await verifyAudit(store)).ok).toBe(true);
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

test("`cola audit key` makes a pair that signs and verifies, and replaces none", async () => {
  const place = mkdtempSync(join(tmpdir(), "cola-keys-"));
  const file = join(place, "audit.key");
  const made = await cola("audit", "key", "--audit-key", file);
  expect(made.code, made.err).toBe(0);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(`${file}.pub`, "utf8")).toContain("PUBLIC KEY");
  expect((await cola("audit", "key", "--audit-key", file)).err).toMatch(/exists already.*FILE_UNWRITABLE/);
  const server = await testApp({ auditKey: readFileSync(file, "utf8") });
  await server.inject({ method: "POST", url: "/v1/explanations", payload: { options: { rows: 1 } } });
  const head = (await server.inject("/v1/audit/head")).json();
  expect(head).toMatchObject({ seq: 1, publicKey: readFileSync(`${file}.pub`, "utf8") });
  expect(head.signature).not.toBeNull();
  const whole = { ok: true, records: 1, signed: 1, head: head.hash, problems: 0 };
  expect((await server.inject(`/v1/audit/verify?head=${head.hash}`)).json()).toEqual(whole);
  const lost = (await server.inject(`/v1/audit/verify?head=${"0".repeat(63)}1`)).json();
  expect(lost).toEqual({ ...whole, ok: false, problems: 1 });
  await server.close();
  const words = await storeWords(server.folder);
  const good = await cola("audit", "verify", "--public-key", `${file}.pub`, "--head", head.hash, ...words);
  expect([good.code, good.out]).toEqual([0, expect.stringContaining("1 signed")]);
  const store = await openStore(server.folder);
  const { problems } = await verifyAudit(store, { publicKey: newKeys().publicKey });
  expect(problems.join()).toMatch(/not signed by the key/);
  await store.close();
  rmSync(server.folder, { recursive: true, force: true });
  rmSync(place, { recursive: true, force: true });
});
