import { once } from "node:events";
import { rmSync } from "node:fs";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listen } from "../../server/listen.ts";
import { figures } from "../support/figures.ts";
import { ended, testApp } from "../support/server.ts";

let app: Awaited<ReturnType<typeof testApp>>;
beforeAll(async () => {
  app = await testApp({ limits: { requests: 200, waiting: 50 } });
});
afterAll(async () => {
  await app.close();
  rmSync(app.folder, { recursive: true, force: true });
});

/** Connects first and writes later, so that all requests really come at once. Status and Retry-After come back. */
async function waitingCaller(port: number, body: string) {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  return async (): Promise<{ status: number; retryAfter: number }> => {
    let text = "";
    socket.setEncoding("latin1").on("data", (part: string) => {
      text += part;
    });
    const length = Buffer.byteLength(body);
    socket.write(
      `POST /v1/explanations HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`,
    );
    await once(socket, "close");
    return {
      status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]),
      retryAfter: Number(/^retry-after: (\d+)/im.exec(text)?.[1] ?? 0),
    };
  };
}

test("1,000 small requests at once: answered or told to come back, health green, memory bounded", async () => {
  const url = await listen(app, "127.0.0.1", 0);
  const port = Number(new URL(url).port);
  const callers = await Promise.all(
    Array.from({ length: 1000 }, () => waitingCaller(port, '{"options":{"rows":1}}')),
  );
  await app.inject({ method: "POST", url: "/v1/explanations", payload: { options: { rows: 1 } } });
  const before = process.memoryUsage();
  let health = 0;
  let busy = true;
  const watch = (async () => {
    while (busy) {
      expect((await fetch(`${url}/health/live`)).status).toBe(200);
      health++;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })();
  const answers = await Promise.all(callers.map((call) => call()));
  busy = false;
  await watch;
  const counts = new Map<number, number>();
  for (const { status, retryAfter } of answers) {
    counts.set(status, (counts.get(status) ?? 0) + 1);
    if (status !== 200) expect(retryAfter).toBeGreaterThan(0);
  }
  const grown = Math.round((process.memoryUsage().rss - before.rss) / 2 ** 20);
  figures("1,000 requests at once", { statuses: Object.fromEntries(counts), health, grownMiB: grown });
  expect([...counts.keys()].filter((status) => ![200, 429, 503].includes(status))).toEqual([]);
  expect(counts.get(200)).toBeGreaterThanOrEqual(50);
  expect(counts.get(503)).toBeGreaterThan(0);
  expect(health).toBeGreaterThan(2);
  expect(grown).toBeLessThan(400);
  await expect.poll(async () => (await app.inject("/metrics")).body).toMatch(/^cola_requests 0$/m);
  expect((await fetch(`${url}/health/ready`)).status).toBe(200);
});

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
  await new Promise((resolve) => setTimeout(resolve, 300));
  for (const socket of sockets) socket.destroy();
  await expect
    .poll(async () => (await app.inject("/metrics")).body, { timeout: 50_000 })
    .toMatch(/^cola_request_bytes 0$/m);
});

test("work whose caller hung up is stopped", async () => {
  const { port } = app.server.address() as { port: number };
  const body = JSON.stringify({ model: { train: "gp" }, options: { rows: 100, generator: "dice-genetic" } });
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  socket.write(
    `POST /v1/explanations HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  const running = async (): Promise<string> => (await app.inject("/metrics")).body;
  await expect.poll(running, { timeout: 50_000 }).toMatch(/^cola_work_running 1$/m);
  socket.destroy();
  await expect.poll(running, { timeout: 50_000 }).toMatch(/^cola_work_running 0$/m);
});

test("a stop gives running jobs back; the next start finishes them, and watchers are told", async () => {
  const first = await testApp({ limits: { graceMs: 0 } });
  const slow = { model: { train: "forest" }, options: { rows: 60, generator: "dice-genetic" } };
  const { id } = (await first.inject({ method: "POST", url: "/v1/jobs", payload: slow })).json();
  const events = first.inject(`/v1/jobs/${id}/events`);
  const state = async (): Promise<string> => (await first.inject(`/v1/jobs/${id}`)).json().state;
  await expect.poll(state, { timeout: 50_000 }).toBe("running");
  await first.close();
  expect((await events).body).not.toContain('"state":"done"');
  const second = await testApp({ folder: first.folder });
  expect(await ended(second, id)).toMatchObject({ state: "done", attempt: 2 });
  await second.close();
  rmSync(first.folder, { recursive: true, force: true });
});
