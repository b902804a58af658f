import { readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifyAudit } from "../../node/audit/verify.ts";
import type { Blobs } from "../../node/store/blobs.ts";
import {
  cancelJob,
  findJob,
  insertJob,
  type Job,
  renewJob,
  requeueJob,
  takeJob,
} from "../../node/store/jobs.ts";
import { cutJob, endShard, failWhole, shardResults, wholeOf } from "../../node/store/shards.ts";
import { openStore } from "../../node/store/store.ts";
import { createApp } from "../../server/app.ts";
import type { Compute } from "../../server/run/compute.ts";
import type { Recipe } from "../../server/run/recipe.ts";
import { replay } from "../../server/run/replay.ts";
import { mergeShards } from "../../server/run/shards.ts";
import { type Member, replace, startMember, stopMember } from "../support/fleet.ts";
import { refuses } from "../support/refuses.ts";
import { ended, postgres, testApp } from "../support/server.ts";

const bodies: readonly (readonly [string, Record<string, unknown>])[] = [
  ["the embedded table", { options: { rows: 60, seed: 3 } }],
  [
    "a forest, with plans from references",
    { model: { train: "forest" }, options: { rows: 60, values: "reference" } },
  ],
  ["plans alone", { options: { rows: 70, only: "plans" } }],
];

describe("a job of many rows", () => {
  let apps: Awaited<ReturnType<typeof testApp>>[];
  beforeAll(async () => {
    apps = await Promise.all([
      testApp({ limits: { shardRows: 7 } }),
      testApp({ limits: { shardRows: 1e6 } }),
    ]);
  });
  afterAll(async () => {
    for (const app of apps) await app.close();
  });
  const made = async (k: number, payload: Record<string, unknown>): Promise<string> => {
    const { id } = (await apps[k]!.inject({ method: "POST", url: "/v1/jobs", payload })).json();
    expect(await ended(apps[k]!, id)).toMatchObject({ state: "done", error: null });
    return (await apps[k]!.inject(`/v1/jobs/${id}/result`)).body;
  };

  test.each(bodies)(
    "is cut and put together to the bytes of the whole: %s",
    async (_, body) => {
      const cut = await made(0, body);
      expect(cut).toBe(await made(1, body));
      expect(JSON.parse(cut).rows.length).toBeGreaterThan(50);
    },
    300_000,
  );

  test("is one job in the list, and whole or not at all when it is cancelled", async () => {
    const payload = {
      model: { train: "forest" },
      options: { rows: 200, seed: 9, generator: "dice-genetic" },
    };
    const { id } = (await apps[0]!.inject({ method: "POST", url: "/v1/jobs", payload })).json();
    const parts = (): string[] =>
      readdirSync(join(apps[0]!.folder, "files"), { recursive: true, encoding: "utf8" }).filter((name) =>
        /\.(parquet|jsonl)$/.test(name),
      );
    await expect.poll(parts, { timeout: 200_000, interval: 20 }).not.toEqual([]);
    const before = (await apps[0]!.inject("/v1/jobs")).json().jobs.length;
    expect(before).toBe(bodies.length + 1);
    await apps[0]!.inject({ method: "DELETE", url: `/v1/jobs/${id}` });
    expect(await ended(apps[0]!, id)).toMatchObject({ state: "cancelled" });
    expect((await apps[0]!.inject({ method: "DELETE", url: `/v1/jobs/${id}?erase=true` })).statusCode).toBe(
      200,
    );
    expect((await apps[0]!.inject("/v1/jobs")).json().jobs).toHaveLength(before - 1);
    // No row of anybody is left in a file.
    await expect.poll(parts, { timeout: 200_000 }).toEqual([]);
  });
});

describe("rows of shards", () => {
  const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
  const progress = (done: number): string => JSON.stringify({ done });
  const fresh = async (name: string) => openStore({ database: await (await postgres()).database(name) });

  test("are given out one by one, and the last that ends hands the job on, however many end at once", async () => {
    const store = await fresh("shards");
    const { db } = store;
    await insertJob(db, { id: uuid(1), owner: "ada", recipe: "{}" });
    const job = (await takeJob(db, "w0"))!;
    expect(await db.transaction((sql) => cutJob(sql, { ...job, attempt: 7 }, "{}", 6))).toBe(false);
    expect(await db.transaction((sql) => cutJob(sql, job, "{}", 6))).toBe(true);
    const shards: Job[] = [];
    for (let k = 0; k < 6; k++) shards.push((await takeJob(db, `w${k}`))!);
    expect(shards.map(({ number }) => number)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(await takeJob(db, "w9"), "the job itself is nobody's meanwhile").toBeUndefined();
    expect(await findJob(db, "ada", shards[0]!.id), "a shard is not a job to its owner").toBeUndefined();
    const end = (k: number) =>
      db.transaction((sql) => endShard(sql, shards[k]!, `${"a".repeat(63)}${k}.jsonl`, progress));
    const attempt = { ...shards[0]!, attempt: 9 };
    expect(await db.transaction((sql) => endShard(sql, attempt, "x", progress))).toBe(false);
    expect(await Promise.all(shards.map((_, k) => end(k)))).toEqual(shards.map(() => true));
    expect(await end(0), "a shard ends once").toBe(false);
    const merge = (await takeJob(db, "w1"))!;
    expect(merge).toMatchObject({ id: uuid(1), attempt: 2, crashes: 0, plan: "{}" });
    expect((await shardResults(db, uuid(1))).map((ref) => ref[63])).toEqual([..."012345"]);
    expect(await takeJob(db, "w2")).toBeUndefined();
    await store.close();
  });

  test("are all done before their job is handed on, also where its worker's last word comes after it was cut", async () => {
    const store = await fresh("shards-renewed");
    const { db } = store;
    await insertJob(db, { id: uuid(1), owner: "ada", recipe: "{}" });
    const job = (await takeJob(db, "w0"))!;
    expect(await db.transaction((sql) => cutJob(sql, job, "{}", 2))).toBe(true);
    expect(await renewJob(db, job, null)).toBe(false);
    // Nor does a job go back into the line whose worker has not heard that it was cut: its connection was.
    expect(await requeueJob(db, job)).toBe(false);
    const [{ endless }] = (await db.query(
      "select lease_until = 'infinity' as endless from jobs where id = $1",
      [job.id],
    )) as [{ endless: boolean }];
    expect(endless).toBe(true);
    await store.close();
  });

  test("that are not all there are not put together: a job fails rather than that rows are missing", async () => {
    const plan = { rows: 40, size: 15, hash: "", x: "" };
    const some = { recipe: {} as Recipe, plan, shards: ["one", "two"] };
    await expect(mergeShards({} as Blobs, {} as Compute, some)).rejects.toThrow(/2 of 3 shards/);
  });

  test("go with their job: cancelled, failed or erased, none is left and none is done", async () => {
    const store = await fresh("shards2");
    const { db } = store;
    const cut = async (n: number) => {
      await insertJob(db, { id: uuid(n), owner: "ada", recipe: "{}" });
      const job = (await takeJob(db, "w"))!;
      await db.transaction((sql) => cutJob(sql, job, "{}", 3));
      return (await takeJob(db, "w"))!;
    };
    const left = () => db.query("select from jobs where parent is not null");
    const first = await cut(1);
    expect(await cancelJob(db, "ada", uuid(1))).toBe(true);
    expect(await wholeOf(db, first)).toBeUndefined();
    expect(await left()).toEqual([]);
    const second = await cut(2);
    expect(await db.transaction((sql) => failWhole(sql, { ...second, attempt: 5 }, "{}"))).toBe(false);
    expect(await db.transaction((sql) => failWhole(sql, second, "{}"))).toBe(true);
    expect(await findJob(db, "ada", uuid(2))).toMatchObject({ state: "failed" });
    expect(await left()).toEqual([]);
    expect(await db.transaction((sql) => endShard(sql, second, "x", progress))).toBe(false);
    await store.close();
  });

  test("ended without the lock of their job may leave nobody to put them together: the check can fail", async () => {
    const handedOn = async (lock: boolean): Promise<void> => {
      const store = await fresh(`shards-lock-${lock}`);
      const { db } = store;
      await insertJob(db, { id: uuid(1), owner: "ada", recipe: "{}" });
      await db.transaction(async (sql) => cutJob(sql, (await takeJob(sql, "w"))!, "{}", 2));
      const shards = [(await takeJob(db, "a"))!, (await takeJob(db, "b"))!];
      let counted = 0;
      await Promise.all(
        shards.map((shard) =>
          db.transaction(async (sql) => {
            const query: typeof sql.query = async (text, values) => {
              if (!lock && /for update/.test(text)) return [];
              const rows = await sql.query<never>(text, values);
              // Without the lock both count before the end of either is there for the other.
              if (!lock && /count/.test(text)) for (counted++; counted < shards.length; ) await sleep(10);
              return rows;
            };
            await endShard({ ...sql, query }, shard, "x", progress);
            if (lock) await sleep(300);
          }),
        ),
      );
      const merge = await takeJob(db, "c");
      await store.close();
      expect(merge?.id).toBe(uuid(1));
    };
    await handedOn(true);
    await refuses(() => handedOn(false));
  });
});

const fleet: Member[] = [];
afterAll(() => {
  for (const { child } of fleet) child.kill("SIGKILL");
});

test("two workers share a job; one is killed: what it had in hand is done again and nothing else", async () => {
  const database = await (await postgres()).database("killed-halfway");
  const env = { ...process.env, DATABASE_URL: database, COLA_LIMIT_SHARD_ROWS: "6" };
  const app = await createApp({ database, limits: { jobs: 0 } });
  const workers = await Promise.all([1, 2].map(() => startMember(["worker", "--workers", "1"], env)));
  fleet.push(...workers);
  const { db } = await openStore({ database });
  const payload = { model: { train: "forest" }, options: { rows: 120, seed: 2 } };
  const { id } = (await app.inject({ method: "POST", url: "/v1/jobs", payload })).json();
  type Shard = { state: string; attempt: number; worker: string };
  let seen: readonly Shard[] = [];
  const shards = async () => {
    const text = "select state, attempt, worker from jobs where parent = $1 order by number";
    const now = await db.query<Shard>(text, [id]);
    if (now.length > 0) seen = now;
    return now;
  };
  const done = async () => (await shards()).filter(({ state }) => state === "done").length;
  await expect.poll(done, { timeout: 300_000, interval: 20 }).toBeGreaterThan(4);
  const busy = (await shards()).find(({ state }) => state === "running")?.worker.split(":")[1];
  await replace(workers.find(({ child }) => String(child.pid) === busy) ?? workers[0]!);
  while ((await shards()).length > 0) await sleep(10);
  expect(await ended(app, id)).toMatchObject({ state: "done" });
  expect(seen).toHaveLength(20);
  expect(seen.reduce((sum, { attempt }) => sum + attempt - 1, 0)).toBeLessThanOrEqual(1);
  const store = await openStore({ database });
  expect(await replay(store, id)).toMatchObject({ same: true });
  expect((await verifyAudit(store)).problems).toEqual([]);
  expect(await db.query("select ref from blobs where ref not like '%.json'"), "but the result").toEqual([]);
  await store.close();
  await app.close();
  for (const worker of workers) expect(await stopMember(worker)).toBe(0);
}, 600_000);
