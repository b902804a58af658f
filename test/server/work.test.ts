import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeTable } from "../../formats/index.ts";
import { createPool, type Pool } from "../../server/work/pool.ts";
import { loans } from "../../src/data/loans.ts";
import { type ScoringServer, scoringServer } from "../support/scoring-server.ts";
import { ended, testApp } from "../support/server.ts";
import { startWorker } from "../support/worker.ts";

/** For things that take as long as the machine lets them. */
const PATIENT = { timeout: 200_000 };

/** Whether a process is there and no zombie. */
function alive(pid: number): boolean {
  try {
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

describe("a pool of processes", () => {
  let started = 0;
  let pool: Pool;
  beforeAll(() => {
    pool = createPool(() => {
      started++;
      return startWorker({ memoryMb: 64 });
    });
  });
  afterAll(() => pool.close());
  const run = (type: string, more: object = {}): Promise<number> =>
    pool.run(
      { kind: "data", name: "rows.csv", bytes: new Uint8Array(), type },
      { timeMs: 60_000, cancelMs: 50, ...more },
    );

  test("gives orders one after the other to the process that is warm, and at once to several", async () => {
    const [a, b] = [await run("who"), await run("who")];
    expect(a).toBe(b);
    expect(started).toBe(1);
    const both = await Promise.all([run("who"), run("who")]);
    expect(new Set(both).size).toBe(2);
    expect(started).toBe(2);
  });

  test("says that a process did not start rather than that the work failed, and tries anew", async () => {
    const slow = createPool(() => startWorker({ memoryMb: 64 }), 1);
    const order = { kind: "data", name: "rows.csv", bytes: new Uint8Array(), type: "who" } as const;
    for (let k = 0; k < 2; k++)
      await expect(slow.run(order, { timeMs: 60_000 })).rejects.toMatchObject({ code: "BUSY" });
    await slow.close();
  });

  test.each(["spin", "hang"])(
    "ends work that does not (%s) when it is cancelled or out of time",
    async (type) => {
      const controller = new AbortController();
      const cancelled = run(type, { signal: controller.signal, onProgress: () => controller.abort() });
      await expect(cancelled).rejects.toMatchObject({ code: "ABORTED" });
      await expect(run(type, { timeMs: 300 })).rejects.toMatchObject({ code: "LIMIT_TIME" });
      await expect(run(type, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "ABORTED" });
      expect(await run("who")).toBeGreaterThan(0);
    },
  );

  test.each(["die", "throw", "crash"])(
    "outlives a process that does not (%s), and does not repeat what it said",
    async (type) => {
      const error = await run(type).catch((caught: unknown) => caught);
      expect(error).toMatchObject({ code: "INTERNAL" });
      expect((error as Error).message).not.toContain("secret");
      expect(await run("who")).toBeGreaterThan(0);
    },
  );

  test.each(["objects", "numbers", "texts", "buffers"])(
    "reports memory that ran out, of %s, and goes on",
    async (type) => {
      await expect(run(type)).rejects.toMatchObject({ code: "LIMIT_BYTES" });
      expect(await run("who")).toBeGreaterThan(0);
    },
  );

  test("tries once more in a fresh process where others may have used the memory", async () => {
    const first = await run("grow");
    let times = 0;
    const second = await run("grow", { onProgress: () => times++ });
    expect(second).not.toBe(first);
    expect(times).toBe(2);
  });

  test("hands over large uploads and answers whole", async () => {
    const bytes = new Uint8Array(2 ** 26).map((_, i) => i % 251);
    const large = createPool(() => startWorker({ memoryMb: 1024 }));
    try {
      const back = await large.run<Uint8Array>(
        { kind: "data", name: "rows.csv", bytes, type: "echo" },
        { timeMs: 60_000 },
      );
      expect(Buffer.compare(back, bytes)).toBe(0);
    } finally {
      await large.close();
    }
  });

  test("goes on when the whole group is told to stop: that is for the server to end", async () => {
    const worker = await run("who");
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.kill(worker, signal);
    expect(await run("who")).toBe(worker);
  });

  test("leaves nothing behind after many orders, deaths and its close", async () => {
    const few = createPool(() => startWorker({ memoryMb: 64 }));
    const work = (type: string, more: object = {}): Promise<number> =>
      few.run(
        { kind: "data", name: "rows.csv", bytes: new Uint8Array(1e5), type },
        { timeMs: 60_000, ...more },
      );
    const seen = new Set<number>();
    for (let k = 0; k < 300; k++) seen.add(await work("who"));
    expect(seen.size).toBe(1);
    for (let k = 0; k < 3; k++) {
      await expect(work("die")).rejects.toMatchObject({ code: "INTERNAL" });
      seen.add(await work("who"));
    }
    expect(seen.size).toBe(4);
    await few.close();
    expect([...seen].filter(alive)).toEqual([]);
  });
});

test.each(["wait", "spin"])(
  "a process ends with the one that started it, also while it is busy (%s)",
  async (type) => {
    const starter = spawn(process.execPath, ["--import", "tsx", "test/support/work-starter.ts", type]);
    const [line] = (await once(starter.stdout, "data")) as [Buffer];
    const worker = Number(String(line));
    expect(alive(worker)).toBe(true);
    starter.kill("SIGKILL");
    await expect.poll(() => alive(worker), PATIENT).toBe(false);
  },
);

describe("a server with work in hand", () => {
  let app: Awaited<ReturnType<typeof testApp>>;
  let remote: ScoringServer;
  const lines: string[] = [];
  beforeAll(async () => {
    remote = await scoringServer(Array.from({ length: 20 }, () => "silent" as const));
    app = await testApp({
      allowHosts: [new URL(remote.url).host],
      limits: { jobs: 1 },
      log: { write: (line) => void lines.push(line) },
    });
  });
  afterAll(async () => {
    await app.close();
    await remote.close();
    rmSync(app.folder, { recursive: true, force: true });
  });
  const post = (url: string, payload: object | Buffer, headers: Record<string, string> = {}) =>
    app.inject({ method: "POST", url, payload, headers });
  const state = async (id: string): Promise<string> => (await app.inject(`/v1/jobs/${id}`)).json().state;
  const heavy = { model: { train: "gp" }, options: { rows: 200, generator: "dice-genetic" } };

  test("answers health, events and small requests while a heavy job runs", async () => {
    const { id } = (await post("/v1/jobs", heavy)).json();
    await expect
      .poll(async () => (await app.inject(`/v1/jobs/${id}`)).json().progress, PATIENT)
      .not.toBeNull();
    for (let k = 0; k < 20; k++) expect((await app.inject("/health/ready")).statusCode).toBe(200);
    expect((await post("/v1/explanations", { options: { rows: 1 } })).statusCode).toBe(200);
    expect(await state(id)).toBe("running");
    await app.inject({ method: "DELETE", url: `/v1/jobs/${id}` });
    expect(await ended(app, id)).toMatchObject({ state: "cancelled" });
    const after = (await post("/v1/jobs", { options: { rows: 1 } })).json();
    expect(await ended(app, after.id)).toMatchObject({ state: "done" });
  });

  test("answers health while an upload makes its reader loop for ever, and refuses it", async () => {
    const hasty = await testApp({
      limits: { timeNowMs: 3000 },
      log: { write: (line) => void lines.push(line) },
    });
    const bytes = Buffer.from(writeTable(loans({ rows: 30 }).table, "arrow"));
    bytes[36] = 227;
    let over = false;
    const headers = { "content-type": "application/octet-stream" };
    const answer = hasty.inject({ method: "POST", url: "/v1/data", payload: bytes, headers }).finally(() => {
      over = true;
    });
    await expect
      .poll(async () => (await hasty.inject("/metrics")).body, PATIENT)
      .toMatch(/^cola_work_running 1$/m);
    let meanwhile = 0;
    for (; !over; meanwhile++) {
      expect((await hasty.inject("/health/live")).statusCode).toBe(200);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(meanwhile).toBeGreaterThan(0);
    expect((await answer).json()).toMatchObject({ status: 422, code: "LIMIT_TIME" });
    expect(lines.join("")).not.toMatch(/INTERNAL/);
    await hasty.close();
    rmSync(hasty.folder, { recursive: true, force: true });
  });

  test("cancels a job whose model never answers", async () => {
    const { id } = (
      await post("/v1/jobs", {
        data: { rows: [{ a: -3 }, { a: 4 }] },
        schema: { features: [{ name: "a", kind: "numeric" }] },
        model: { url: `${remote.url}/score` },
        options: { target: "score > 0.5" },
      })
    ).json();
    await expect.poll(() => remote.requests.length, PATIENT).toBeGreaterThan(0);
    expect(await state(id)).toBe("running");
    await app.inject({ method: "DELETE", url: `/v1/jobs/${id}` });
    const after = (await post("/v1/jobs", { options: { rows: 1 } })).json();
    expect(await ended(app, after.id)).toMatchObject({ state: "done" });
  });
});

test("a job that needs more memory than it may have fails and says so; the next one is done", async () => {
  const app = await testApp({ limits: { memoryMb: 48 } });
  try {
    const names = Array.from({ length: 20 }, (_, k) => `c${k}`);
    const line = (_: unknown, i: number): string => names.map((name) => `${name}:${i}`).join(",");
    const csv = [names.join(","), ...Array.from({ length: 45_000 }, line)].join("\n");
    const big = { data: { csv }, options: { label: "c0", rows: 1 } };
    const send = async (payload: object) =>
      (await app.inject({ method: "POST", url: "/v1/jobs", payload })).json();
    const { id } = await send(big);
    expect(await ended(app, id)).toMatchObject({
      state: "failed",
      error: { code: "LIMIT_BYTES", status: 422 },
    });
    const next = await send({ options: { rows: 1 } });
    expect(await ended(app, next.id)).toMatchObject({ state: "done" });
  } finally {
    await app.close();
    rmSync(app.folder, { recursive: true, force: true });
  }
});
