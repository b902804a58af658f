import { once } from "node:events";
import { rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { listen } from "../../server/listen.ts";
import { figures } from "../support/figures.ts";
import { type ScoringServer, scoringServer } from "../support/scoring-server.ts";
import { ended, testApp } from "../support/server.ts";

/** For things that take as long as the machine lets them. */
const PATIENT = { timeout: 200_000 };

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Mebibytes that are really held, whatever is still to be swept up. */
function heldMiB(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return Math.round((heapUsed + external) / 2 ** 20);
}

let app: Awaited<ReturnType<typeof testApp>>;
let remote: ScoringServer;
beforeAll(async () => {
  remote = await scoringServer(Array.from({ length: 100 }, () => "silent" as const));
  app = await testApp({
    allowHosts: [new URL(remote.url).host],
    limits: { requests: 200, running: 2, waiting: 50, timeNowMs: 600_000 },
  });
});
afterAll(async () => {
  await app.close();
  await remote.close();
  rmSync(app.folder, { recursive: true, force: true });
});
const metrics = async (): Promise<string> => (await app.inject("/metrics")).body;

const requestOf = (body: string): string =>
  `POST /v1/explanations HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

/** Connects first and writes later, so that all requests really come at once. Status and Retry-After come back. */
async function waitingCaller(port: number, body: string) {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  return async (): Promise<{ status: number; retryAfter: number }> => {
    let text = "";
    socket.setEncoding("latin1").on("data", (part: string) => {
      text += part;
    });
    socket.write(requestOf(body));
    await once(socket, "close");
    return {
      status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]),
      retryAfter: Number(/^retry-after: (\d+)/im.exec(text)?.[1] ?? 0),
    };
  };
}

/** A caller whose work goes on until it hangs up: its model never answers. */
function endlessCaller(port: number): Socket {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  const body = {
    data: { rows: [{ a: -3 }, { a: 4 }] },
    schema: { features: [{ name: "a", kind: "numeric" }] },
    model: { url: `${remote.url}/score` },
    options: { target: "score > 0.5" },
  };
  socket.write(requestOf(JSON.stringify(body)));
  return socket;
}

test("1,000 small requests at once: answered or told to come back, health green, memory bounded", async () => {
  const url = await listen(app, "127.0.0.1", 0);
  const port = Number(new URL(url).port);
  const healthy = async (): Promise<void> => {
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
  };
  const callers = await Promise.all(
    Array.from({ length: 1000 }, () => waitingCaller(port, '{"options":{"rows":1}}')),
  );
  await app.inject({ method: "POST", url: "/v1/explanations", payload: { options: { rows: 1 } } });
  const endless = [endlessCaller(port), endlessCaller(port)];
  await expect.poll(metrics, PATIENT).toMatch(/^cola_work_running 2$/m);
  const before = heldMiB();
  const counts = new Map<number, number>();
  let answered = 0;
  const answers = callers.map(async (call) => {
    const { status, retryAfter } = await call();
    answered++;
    counts.set(status, (counts.get(status) ?? 0) + 1);
    if (status !== 200) expect(retryAfter).toBeGreaterThan(0);
  });
  while (answered < 950) await healthy();
  // Both places are taken: as many as may wait do, and all others were sent away.
  expect(Object.fromEntries(counts)).toEqual({ 503: 950 });
  expect(await metrics()).toMatch(/^cola_work_waiting 50$/m);
  for (let k = 0; k < 20; k++) await healthy();
  const grown = heldMiB() - before;
  for (const socket of endless) socket.destroy();
  await Promise.all(answers);
  expect(Object.fromEntries(counts)).toEqual({ 200: 50, 503: 950 });
  await expect.poll(metrics, PATIENT).toMatch(/^cola_requests 0$/m);
  const kept = heldMiB() - before;
  figures("1,000 requests at once", { statuses: Object.fromEntries(counts), grown, kept });
  expect(Math.max(grown, kept)).toBeLessThan(50);
  expect((await fetch(`${url}/health/ready`)).status).toBe(200);
}, 600_000);

test("a body that is never sent and a caller that hangs up leave nothing behind", async () => {
  const { port } = app.server.address() as { port: number };
  const sockets = Array.from({ length: 20 }, () => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    socket.write(
      "POST /v1/explanations HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{",
    );
    return socket;
  });
  await expect.poll(metrics, PATIENT).toMatch(/^cola_request_bytes 2000000$/m);
  for (const socket of sockets) socket.destroy();
  await expect.poll(metrics, PATIENT).toMatch(/^cola_request_bytes 0$/m);
});

test("a body without a length counts as the largest its address takes", async () => {
  const { port } = app.server.address() as { port: number };
  const start = (path: string): Socket => {
    const socket = connect(port, "127.0.0.1").on("error", () => {});
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{`,
    );
    return socket;
  };
  const upload = start("/v1/data");
  await expect.poll(metrics, PATIENT).toMatch(new RegExp(`^cola_request_bytes ${2 ** 26}$`, "m"));
  const job = start("/v1/jobs");
  await expect.poll(metrics, PATIENT).toMatch(new RegExp(`^cola_request_bytes ${2 ** 26 + 2 ** 24}$`, "m"));
  for (const socket of [upload, job]) socket.destroy();
  await expect.poll(metrics, PATIENT).toMatch(/^cola_request_bytes 0$/m);
});

test("work whose caller hung up is stopped", async () => {
  const { port } = app.server.address() as { port: number };
  const body = JSON.stringify({ model: { train: "gp" }, options: { rows: 100, generator: "dice-genetic" } });
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  socket.write(requestOf(body));
  await expect.poll(metrics, PATIENT).toMatch(/^cola_work_running 1$/m);
  socket.destroy();
  await expect.poll(metrics, PATIENT).toMatch(/^cola_work_running 0$/m);
});

test("a stop gives running jobs back; the next start finishes them, and watchers are told", async () => {
  const first = await testApp({ limits: { graceMs: 0 } });
  onTestFinished(() => rmSync(first.folder, { recursive: true, force: true }));
  const slow = { model: { train: "forest" }, options: { rows: 60, generator: "dice-genetic" } };
  const { id } = (await first.inject({ method: "POST", url: "/v1/jobs", payload: slow })).json();
  const events = first.inject(`/v1/jobs/${id}/events`);
  const state = async (): Promise<string> => (await first.inject(`/v1/jobs/${id}`)).json().state;
  await expect.poll(state, PATIENT).toBe("running");
  await first.close();
  expect((await events).body).not.toContain('"state":"done"');
  const second = await testApp({ folder: first.folder });
  expect(await ended(second, id)).toMatchObject({ state: "done", attempt: 2 });
  await second.close();
});
