import { rmSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findJob, insertJob, takeJob } from "../../node/store/jobs.ts";
import type { Store } from "../../node/store/store.ts";
import { DEFAULT_LIMITS } from "../../server/config.ts";
import { createEvents } from "../../server/jobs/events.ts";
import { type RunnerParts, startRunner } from "../../server/jobs/runner.ts";
import { HttpError, problemOf } from "../../server/problem.ts";
import { createSpace } from "../../server/space.ts";
import { Worker } from "../../server/work/worker.ts";
import { ColaError } from "../../src/errors.ts";
import { freshFolder, openStore, testApp } from "../support/server.ts";
import { startWorker } from "../support/worker.ts";

let store: Store;
beforeAll(async () => {
  store = await openStore(await freshFolder());
});
afterAll(async () => {
  await store.close();
  rmSync(store.folder, { recursive: true, force: true });
});

const PATIENT = { timeout: 200_000 };
const full = new ColaError("FILE_UNWRITABLE", "x: cannot be written: ENOSPC: no space left on device");
const RECIPE = { version: 1, data: null, model: { train: "logistic" }, options: { timeout: 1 } };

/** A runner whose work cannot be written at its first try. */
async function tried(
  id: string,
  low: () => boolean,
  problem: Error = full,
  report = (error: unknown): void => expect.fail(String(error)),
  kept = store,
  times = 1,
) {
  let tries = 0;
  const result = await store.blobs.put(Buffer.from("{}"), "json");
  const nothing = async (): Promise<never> => {
    throw new Error("not asked for");
  };
  const workers = {
    compute: nothing,
    shard: nothing,
    merge: nothing,
    begin: async () => {
      if (tries++ < times) throw problem;
      return { result, seed: 0, runHash: "0", model: "" };
    },
    inspect: nothing,
    report: nothing,
    letter: nothing,
    card: nothing,
    close: async () => {},
  };
  await store.db.transaction(async (sql) => {
    await insertJob(sql, { id, owner: "ada", recipe: JSON.stringify(RECIPE) });
  });
  const runner = startRunner({
    ...{ store: kept, workers, events: createEvents(), space: { low }, limits: DEFAULT_LIMITS },
    report,
  });
  return { runner, tries: () => tries, job: async () => (await findJob(store.db, "ada", id))! };
}

test("a job that finds the disk full waits in the line until there is room, and no crash is counted", async () => {
  let [calls, low] = [0, true];
  const { runner, tries, job } = await tried(
    "00000000-0000-4000-8000-000000000001",
    () => ++calls > 1 && low,
  );
  await expect.poll(async () => [tries(), (await job()).state], PATIENT).toEqual([1, "queued"]);
  runner.poke();
  await expect.poll(() => calls, PATIENT).toBeGreaterThan(4);
  expect(tries()).toBe(1);
  low = false;
  runner.poke();
  await expect.poll(async () => (await job()).state, PATIENT).toBe("done");
  expect(await job()).toMatchObject({ attempt: 2, crashes: 0, error: null });
  await runner.stop();
});

test("a job whose result cannot be written although there is room fails with the true reason", async () => {
  const readOnly = new ColaError("FILE_UNWRITABLE", "x: cannot be written: EROFS: read-only file system");
  const { runner, job } = await tried("00000000-0000-4000-8000-000000000002", () => false, readOnly);
  await expect.poll(async () => (await job()).state, PATIENT).toBe("failed");
  expect(JSON.parse((await job()).error!)).toMatchObject({
    code: "QUOTA",
    status: 507,
    detail: expect.stringContaining("disk"),
  });
  await runner.stop();
});

test("a job that meets a full disk is done later also where there is room again at once", async () => {
  const { runner, tries, job } = await tried("00000000-0000-4000-8000-000000000003", () => false);
  await expect.poll(async () => (await job()).state, PATIENT).toBe("done");
  expect([tries(), (await job()).attempt]).toEqual([2, 2]);
  await runner.stop();
});

test("a job for which no process could be started is done later, and no crash is counted", async () => {
  const reported: unknown[] = [];
  const busy = new HttpError("BUSY", "No process could be started for the work in time.", 5);
  const id = "00000000-0000-4000-8000-000000000004";
  const { runner, tries, job } = await tried(
    id,
    () => false,
    busy,
    (error) => void reported.push(error),
  );
  await expect.poll(async () => (await job()).state, PATIENT).toBe("done");
  expect([tries(), (await job()).crashes, reported]).toEqual([2, 0, [busy]]);
  await runner.stop();
});

test("a job whose process is killed is done again in another, and given up when five have died", async () => {
  const died: unknown[] = [];
  const order = { kind: "data", name: "x", bytes: new Uint8Array(), type: "hang" } as const;
  const inHand = startWorker({ memoryMb: 64 });
  const worker = new Worker(inHand);
  await worker.ready;
  const killed = worker
    .perform(order, { timeMs: 200_000, onProgress: () => inHand.process.kill("SIGKILL") })
    .catch((error: unknown) => error);
  const death = (await killed) as Error;
  expect(death).toMatchObject({ code: "LIMIT_BYTES" });
  const once = await tried(
    "00000000-0000-4000-8000-000000000008",
    () => false,
    death,
    (error) => void died.push(error),
  );
  await expect.poll(async () => (await once.job()).state, PATIENT).toBe("done");
  expect([once.tries(), (await once.job()).crashes, died]).toEqual([2, 1, [death]]);
  await once.runner.stop();
  const id = "00000000-0000-4000-8000-000000000009";
  const ever = await tried(
    id,
    () => false,
    death,
    () => {},
    store,
    Number.POSITIVE_INFINITY,
  );
  await expect.poll(async () => (await ever.job()).state, PATIENT).toBe("failed");
  expect(ever.tries()).toBe(DEFAULT_LIMITS.attempts);
  expect(JSON.parse((await ever.job()).error!).detail).toMatch(/died 5 times/);
  await ever.runner.stop();
});

test("a job whose database was away for a moment is done later, and no crash is counted: no process died", async () => {
  const away = new ColaError("STORE_UNREACHABLE", "x");
  const { runner, tries, job } = await tried("00000000-0000-4000-8000-000000000005", () => false, away);
  await expect.poll(async () => (await job()).state, PATIENT).toBe("done");
  expect([tries(), (await job()).crashes]).toEqual([2, 0]);
  await runner.stop();
});

test("a job whose database stays away is done when it is back, however long its worker could not say that it lives", async () => {
  const away = new ColaError("STORE_UNREACHABLE", "x");
  let silent = 0;
  const query: Store["db"]["query"] = async (text, values) => {
    if (tries() === 1 && silent++ < 3) throw away;
    return store.db.query(text, values);
  };
  let tries = (): number => 0;
  const id = "00000000-0000-4000-8000-000000000006";
  const made = await tried(
    id,
    () => false,
    away,
    () => {},
    { ...store, db: { ...store.db, query } },
  );
  tries = made.tries;
  await expect.poll(async () => (await made.job()).state, PATIENT).toBe("done");
  expect(silent).toBeGreaterThan(3);
  expect([made.tries(), (await made.job()).crashes]).toEqual([2, 0]);
  await made.runner.stop();
});

test("a process that stood still says so when it comes back: the job that another took from it has no death to count", async () => {
  const id = "00000000-0000-4000-8000-000000000007";
  let began = (): void => {};
  const beginning = new Promise<void>((done) => {
    began = done;
  });
  const begin: RunnerParts["workers"]["begin"] = (_, { signal }) =>
    new Promise((_done, fail) => {
      began();
      signal!.addEventListener("abort", () => fail(signal!.reason), { once: true });
    });
  await insertJob(store.db, { id, owner: "ada", recipe: JSON.stringify(RECIPE) });
  const runner = startRunner({
    ...{ store, workers: { begin } as RunnerParts["workers"], events: createEvents() },
    ...{ space: { low: () => false }, limits: { ...DEFAULT_LIMITS, jobs: 1 } },
    report: (error) => expect.fail(String(error)),
  });
  await beginning;
  await store.db.query("update jobs set lease_until = now() - interval '1 second' where id = $1", [id]);
  expect(await takeJob(store.db, "another")).toMatchObject({ id, attempt: 2, crashes: 1 });
  await expect.poll(async () => (await findJob(store.db, "ada", id))!.crashes, PATIENT).toBe(0);
  expect(await findJob(store.db, "ada", id)).toMatchObject({ state: "running", attempt: 2 });
  await store.db.query("update jobs set state = 'cancelled' where id = $1", [id]);
  await runner.stop();
});

test("a full disk is our trouble, not the caller's, whoever meets it", () => {
  const disk = Object.assign(new Error("could not extend file"), { code: "53100" });
  for (const error of [full, disk])
    expect(problemOf(error, "/x")).toMatchObject({ status: 507, code: "QUOTA" });
});

test("a server without room says that it is not ready, and takes nothing", async () => {
  const app = await testApp({ limits: { freeBytes: Number.MAX_SAFE_INTEGER } });
  const ready = await app.inject("/health/ready");
  expect([ready.statusCode, ready.json().code, ready.headers["retry-after"]]).toEqual([503, "BUSY", "60"]);
  expect((await app.inject("/health/live")).statusCode).toBe(200);
  const post = await app.inject({ method: "POST", url: "/v1/constraints", payload: {} });
  expect(post.statusCode).toBe(507);
  await app.close();
  rmSync(app.folder, { recursive: true, force: true });
});

test("the disk is looked at now and then, not for every request", () => {
  let looks = 0;
  const space = createSpace("x", 10, () => 9 + looks++);
  expect([space.low(), space.low(), looks]).toEqual([true, true, 1]);
});
