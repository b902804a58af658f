import { rmSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { appendEvent } from "../../node/audit/trail.ts";
import { verifyAudit } from "../../node/audit/verify.ts";
import { openPostgres } from "../../node/store/postgres.ts";
import { openStore, type Place, type Store } from "../../node/store/store.ts";
import { createApp } from "../../server/app.ts";
import { startWorker } from "../../server/start-worker.ts";
import { startMember, stopMember } from "../support/fleet.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";
import { ended } from "../support/server.ts";

let pg: Postgres;
beforeAll(async () => {
  pg = await startPostgres();
});
afterAll(() => pg.stop());
const PATIENT = { timeout: 200_000 };
const place = async (name: string): Promise<Place> => ({ database: await pg.database(name) });

test("ten that start at once on an empty database make one schema, and one trail together", async () => {
  const where = await place("ten");
  const stores = await Promise.all(Array.from({ length: 10 }, () => openStore(where)));
  const append = async ({ db }: Store): Promise<void> => {
    for (let k = 0; k < 10; k++) await db.transaction((sql) => appendEvent(stores[0]!, sql, { removed: [] }));
  };
  await Promise.all(stores.map(append));
  expect(await verifyAudit(stores[0]!)).toMatchObject({ ok: true, records: 100 });
  await Promise.all(stores.map((store) => store.close()));
});

test("a database that is not there, and one that is no PostgreSQL, are told as such, without a password", async () => {
  const away = openStore({ database: `postgres://cola:secret@127.0.0.1:1/x` });
  await expect(away).rejects.toMatchObject({ code: "STORE_UNREACHABLE" });
  await expect(away).rejects.not.toThrow(/secret/);
  const { database } = await place("weak");
  await expect(openStore({ database: `${database}?sslmode=verify-full` })).rejects.toMatchObject({
    code: "STORE_UNREACHABLE",
    message: expect.stringContaining("SSL"),
  });
  const { db, close } = await openStore({ database: database! });
  await db.script("create role weak login; revoke usage on schema cola from public");
  await close();
  const weak = Object.assign(new URL(database!), { username: "weak" }).href;
  await expect(openStore({ database: weak })).rejects.toMatchObject({
    code: "STORE_UNREACHABLE",
    message: expect.stringContaining("permission denied"),
  });
  await expect(openStore({ database: "data.duckdb" })).rejects.toThrow(/postgres:\/\//);
});

test("a database that falls silent without a word is told as such in time, and used again when it speaks", async () => {
  const address = new URL((await place("silent")).database!);
  const port = Number(address.port);
  let silent = false;
  const open = new Set<Socket>();
  const between = createServer((near) => {
    const far = connect(port, address.hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from);
      from.on("error", () => {}).on("close", () => to.destroy());
      from.on("data", (part: Buffer) => void (silent || to.write(part)));
    }
  });
  await new Promise<void>((done) => between.listen(0, "127.0.0.1", done));
  address.port = String((between.address() as AddressInfo).port);
  const db = await openPostgres(address.href, 1, 2000);
  expect(await db.query("select 1 as one")).toEqual([{ one: 1 }]);
  silent = true;
  await expect(db.query("select 2 as one")).rejects.toMatchObject({ code: "STORE_UNREACHABLE" });
  silent = false;
  expect(await db.query("select 3 as one")).toEqual([{ one: 3 }]);
  await db.close();
  for (const socket of open) socket.destroy();
  between.close();
});

test("a connection that ends with the word that it is ready ends no process: it is told as such, and another is made", async () => {
  const address = new URL((await place("early")).database!);
  const port = Number(address.port);
  const ready = Buffer.from([90, 0, 0, 0, 5, 73]);
  const fields = Buffer.from("SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0");
  const length = Buffer.alloc(4);
  length.writeInt32BE(4 + fields.length);
  const open = new Set<Socket>();
  let early = 1;
  const between = createServer((near) => {
    const far = connect(port, address.hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from);
      from.on("error", () => {}).on("close", () => to.destroy());
    }
    near.on("data", (part: Buffer) => far.write(part));
    far.on("data", (part: Buffer) => {
      const ends = part.subarray(-ready.length).equals(ready) && early-- > 0;
      near.write(ends ? Buffer.concat([part, Buffer.from("E"), length, fields]) : part);
    });
  });
  await new Promise<void>((done) => between.listen(0, "127.0.0.1", done));
  address.port = String((between.address() as AddressInfo).port);
  const db = await openPostgres(address.href, 1);
  await expect(db.query("select 1 as one")).rejects.toMatchObject({ code: "STORE_UNREACHABLE" });
  expect(await db.query("select 2 as two")).toEqual([{ two: 2 }]);
  await db.close();
  for (const socket of open) socket.destroy();
  between.close();
});

test.each([
  ["25006", "it follows another server now"],
  ["40P01", "two transactions waited for each other"],
  ["57014", "it gave the statement up"],
  ["53200", "it has no memory left"],
])(
  "a database that cannot for now (%s: %s) is told as such, and asked again on another connection",
  async (code) => {
    const db = await openPostgres((await place("roles")).database!, 1);
    const pid = async () => (await db.query("select pg_backend_pid() as pid"))[0]!["pid"];
    const before = await pid();
    const fault = `do $$ begin raise exception using errcode = '${code}', message = 'for now'; end $$`;
    await expect(db.query(fault)).rejects.toMatchObject({ code: "STORE_UNREACHABLE" });
    expect(await pid()).not.toBe(before);
    await db.close();
  },
);

describe("two servers and a worker", () => {
  let apps: Awaited<ReturnType<typeof createApp>>[];
  let worker: Awaited<ReturnType<typeof startWorker>>;
  const keys = [{ owner: "ada", secret: "secret-of-ada-0001" }];
  const headers = { "x-api-key": "secret-of-ada-0001" };
  beforeAll(async () => {
    const where = await place("two");
    const limits = { jobs: 0, openJobs: 3, ownerBytes: 10_000, perMinute: 1e6 };
    apps = await Promise.all([1, 2].map(() => createApp({ ...where, keys, limits })));
    worker = await startWorker({ ...where, limits: { jobs: 1 } });
  });
  afterAll(async () => {
    await worker.stop();
    for (const app of apps) await app.close();
  });
  const post = (k: number, url: string, payload: object | string, more = {}) =>
    apps[k]!.inject({ method: "POST", url, payload, headers: { ...headers, ...more } });

  test("what one accepted the other tells of, and the worker does", async () => {
    const { id } = (await post(0, "/v1/jobs", { options: { rows: 2 } })).json();
    const events = await apps[1]!.inject({ url: `/v1/jobs/${id}/events`, headers });
    expect(events.body).toMatch(/"state":"done"/);
    const results = await Promise.all(
      apps.map((app) => app.inject({ url: `/v1/jobs/${id}/result`, headers })),
    );
    expect(results[0]!.body).toBe(results[1]!.body);
    expect(results[0]!.json().rows).toHaveLength(2);
  });

  test("progress and cancelling reach every server", async () => {
    const heavy = { model: { train: "gp" }, options: { rows: 200, generator: "dice-genetic" } };
    const { id } = (await post(0, "/v1/jobs", heavy)).json();
    const job = async (k: number) => (await apps[k]!.inject({ url: `/v1/jobs/${id}`, headers })).json();
    await expect.poll(async () => (await job(1)).progress, PATIENT).not.toBeNull();
    const cancelled = await apps[1]!.inject({ method: "DELETE", url: `/v1/jobs/${id}`, headers });
    expect(cancelled.json()).toMatchObject({ state: "cancelled" });
    expect(await job(0)).toMatchObject({ state: "cancelled" });
    const after = (await post(0, "/v1/jobs", { options: { rows: 1 } })).json();
    expect(await ended(apps[1]!, after.id, headers)).toMatchObject({ state: "done" });
  });

  test("share keys, quotas and the number of open jobs", async () => {
    const key = { "idempotency-key": "one" };
    const both = await Promise.all([0, 1].map((k) => post(k, "/v1/jobs", { options: { rows: 1 } }, key)));
    const made = both.filter(({ statusCode }) => statusCode === 202).map((answer) => answer.json().id);
    expect(new Set(made).size).toBe(1);
    expect((await post(1, "/v1/jobs", { options: { rows: 2 } }, key)).statusCode).toBe(422);
    const csv = (k: number): string => `a,b\n${k},1\n${"1,2\n".repeat(1500)}`;
    const uploads = await Promise.all(
      [0, 1, 0, 1].map((k, i) => post(k, "/v1/data", csv(i), { "content-type": "text/csv" })),
    );
    expect(uploads.map(({ statusCode }) => statusCode).sort()).toEqual([201, 507, 507, 507]);
    await ended(apps[0]!, made[0]!, headers);
    const heavy = { model: { train: "gp" }, options: { rows: 150, generator: "dice-genetic" } };
    const many = await Promise.all(Array.from({ length: 8 }, (_, k) => post(k % 2, "/v1/jobs", heavy)));
    const taken = many.filter(({ statusCode }) => statusCode === 202);
    expect(taken).toHaveLength(3);
    for (const answer of taken)
      await apps[0]!.inject({ method: "DELETE", url: `/v1/jobs/${answer.json().id}`, headers });
  });

  test("count requests together", async () => {
    const where = await place("two");
    const few = await Promise.all(
      [1, 2].map(() =>
        createApp({
          ...where,
          keys: [{ owner: "bob", secret: "secret-of-bob-00001" }],
          limits: { jobs: 0, perMinute: 10 },
        }),
      ),
    );
    const codes: number[] = [];
    for (let k = 0; k < 14; k++)
      codes.push(
        (await few[k % 2]!.inject({ url: "/v1/jobs", headers: { "x-api-key": "secret-of-bob-00001" } }))
          .statusCode,
      );
    expect(codes.filter((code) => code === 200)).toHaveLength(10);
    expect(codes.slice(10)).toEqual([429, 429, 429, 429]);
    for (const app of few) await app.close();
  });

  test("answer 503 while the database is away, and go on when it is back", async () => {
    const { id } = (await post(0, "/v1/jobs", { options: { rows: 1 } })).json();
    await pg.restart();
    await expect.poll(async () => (await apps[0]!.inject("/health/ready")).statusCode, PATIENT).toBe(200);
    expect(await ended(apps[1]!, id, headers)).toMatchObject({ state: "done" });
  });
});

test("a worker outlives its connections, and stops when it is told to", async () => {
  const { database } = await place("alone");
  const worker = await startMember(["worker", "--workers", "1"], { ...process.env, DATABASE_URL: database });
  await pg.restart();
  await pg.cut(10);
  await new Promise((done) => setTimeout(done, 3000));
  expect(worker.child.exitCode).toBeNull();
  expect(await stopMember(worker)).toBe(0);
});

test("files in a folder that all share", async () => {
  const { mkdtempSync } = await import("node:fs");
  const { tmpdir } = await import("node:os");
  const { join } = await import("node:path");
  const blobs = mkdtempSync(join(tmpdir(), "cola-shared-"));
  const where = { ...(await place("shared")), blobs };
  const [one, other] = [await openStore(where), await openStore(where)];
  const ref = await one.blobs.put(Buffer.from("a,b\n1,2\n"), "csv");
  expect(Buffer.from(await other.blobs.get(ref)).toString()).toBe("a,b\n1,2\n");
  expect(await one.db.query("select from blobs")).toEqual([]);
  for (const store of [one, other]) await store.close();
  rmSync(blobs, { recursive: true, force: true });
});
