import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { networkOf } from "../../server/auth.ts";
import { keysOf } from "../../server/config.ts";
import { listen } from "../../server/listen.ts";
import { settingsFrom } from "../../server/settings.ts";
import { type ScoringServer, scoringServer } from "../support/scoring-server.ts";
import { ended, testApp } from "../support/server.ts";

const folder = mkdtempSync(join(tmpdir(), "cola-settings-"));
const file = join(folder, "cola.json");
const write = (value: unknown, later = 0): void => {
  writeFileSync(file, JSON.stringify(value));
  utimesSync(file, new Date(), new Date(Date.now() + later));
};
const secret = (who: string): string => `secret-of-${who}-0000`;
const PATIENT = { timeout: 200_000 };
let app: Awaited<ReturnType<typeof testApp>>;
let remote: ScoringServer;
beforeAll(async () => {
  remote = await scoringServer(Array.from({ length: 100 }, () => "silent" as const));
  write({
    keys: [
      { owner: "ada", secret: secret("reader"), role: "read" },
      { owner: "ada", secret: secret("runner"), role: "run" },
      { owner: "ada", secret: secret("admin") },
      { owner: "ada", secret: secret("past"), expires: "2020-01-01" },
      { owner: "bob", secret: secret("bob"), expires: "2999-01-01" },
    ],
  });
  app = await testApp({
    ...settingsFrom(file, {}),
    allowHosts: [new URL(remote.url).host],
    limits: { perMinute: 1e6, requests: 40, running: 1, waiting: 4 },
  });
  await listen(app, "127.0.0.1", 0);
});
afterAll(async () => {
  await app.close();
  await remote.close();
  for (const path of [app.folder, folder]) rmSync(path, { recursive: true, force: true });
});
const ask = async (method: "GET" | "POST" | "DELETE", url: string, who: string, payload?: object) =>
  (await app.inject({ method, url, headers: { "x-api-key": secret(who) }, ...(payload ? { payload } : {}) }))
    .statusCode;
const metrics = async (): Promise<string> =>
  (await app.inject({ url: "/metrics", headers: { "x-api-key": secret("bob") } })).body;

/** A caller that stays until its socket is destroyed: its body is longer than what it sends, or its model is silent. */
function caller(who: string, path: string, type: string, body: string, length = body.length): Socket {
  const { port } = app.server.address() as { port: number };
  const socket = connect(port, "127.0.0.1").on("error", () => {});
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${secret(who)}\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n${body}`,
  );
  return socket;
}

test("limits come from the environment, then the file; unknown and odd ones are refused", () => {
  const env = { COLA_LIMIT_ROWS_JOB: "5", COLA_API_KEYS: "ada:0123456789abcdef" };
  expect(settingsFrom(undefined, env)).toMatchObject({ limits: { rowsJob: 5 }, keys: [{ owner: "ada" }] });
  const other = join(folder, "other.json");
  writeFileSync(other, JSON.stringify({ limits: { rowsJob: 7, columns: 3 } }));
  expect(settingsFrom(other, env).limits).toEqual({ rowsJob: 5, columns: 3 });
  for (const bad of [
    { limits: { rowz: 1 } },
    { limits: { rows: "many" } },
    { limits: { rows: -1 } },
    { key: 1 },
    { tokens: { "models.example": "COLA_TOKEN_NOT_SET" } },
    { tokens: { "models.example": 1 } },
    [],
  ]) {
    writeFileSync(other, JSON.stringify(bad));
    expect(() => settingsFrom(other, {}), JSON.stringify(bad)).toThrow(/serve: /);
  }
  writeFileSync(other, JSON.stringify({ tokens: { "models.example:8080": "TOKEN" } }));
  expect(settingsFrom(other, { TOKEN: "t" }).tokens).toEqual({ "models.example:8080": "TOKEN" });
  expect(() => settingsFrom(join(folder, "none.json"), {})).toThrow(/cannot be read/);
});

test("a key may do what its role says, until it ends", async () => {
  expect(await ask("GET", "/v1/constraints", "reader")).toBe(200);
  expect(await ask("POST", "/v1/constraints", "reader", {})).toBe(403);
  expect(await ask("POST", "/v1/constraints", "runner", {})).toBe(201);
  const verify = (who: string) => ask("GET", "/v1/audit/verify", who);
  expect([await verify("reader"), await verify("runner"), await verify("admin")]).toEqual([403, 403, 200]);
  const list = await app.inject({ url: "/v1/constraints", headers: { "x-api-key": secret("reader") } });
  const url = `/v1/constraints/${list.json().items[0].id}`;
  expect(await ask("DELETE", url, "runner")).toBe(403);
  expect(await ask("DELETE", url, "admin")).toBe(204);
  const job = await app.inject({
    ...{ method: "POST", url: "/v1/jobs", payload: { options: { rows: 1 } } },
    headers: { "x-api-key": secret("runner") },
  });
  const made = `/v1/jobs/${job.json().id}`;
  await ended(app, job.json().id, { "x-api-key": secret("admin") });
  expect(await ask("DELETE", `${made}?erase=true`, "runner"), "to erase is not to cancel").toBe(403);
  expect(await ask("DELETE", made, "runner")).toBe(409);
  expect(await ask("DELETE", `${made}?erase=true`, "admin")).toBe(200);
  expect(await ask("GET", "/v1/constraints", "past")).toBe(401);
  expect(await ask("GET", "/v1/constraints", "bob")).toBe(200);
});

test("one key that sends slowly leaves room for another", async () => {
  const sockets = Array.from({ length: 60 }, () => caller("admin", "/v1/data", "text/csv", "a,b\n", 1000));
  await expect.poll(metrics, PATIENT).toMatch(/^cola_requests 30$/m);
  expect(await ask("GET", "/v1/constraints", "admin")).toBe(503);
  expect(await ask("POST", "/v1/constraints", "bob", { freeze: ["a"] })).toBe(201);
  for (const socket of sockets) socket.destroy();
  await expect.poll(metrics, PATIENT).toMatch(/^cola_requests 0$/m);
});

test("one key whose work never ends leaves room in the line for another", async () => {
  const body = JSON.stringify({
    data: { rows: [{ a: -3 }, { a: 4 }] },
    schema: { features: [{ name: "a", kind: "numeric" }] },
    model: { url: `${remote.url}/score` },
    options: { target: "score > 0.5" },
  });
  const endless = (who: string): Socket => caller(who, "/v1/explanations", "application/json", body);
  const sockets = Array.from({ length: 10 }, () => endless("admin"));
  let away = 0;
  for (const socket of sockets)
    socket.on("data", (part) => {
      if (/^HTTP\/1\.1 503/.test(String(part))) away++;
    });
  // One is worked for and three of the four places in the line are taken; the others are sent away.
  await expect.poll(() => away, PATIENT).toBe(6);
  expect(await metrics()).toMatch(/^cola_work_waiting 3$/m);
  sockets.push(endless("bob"));
  await expect.poll(metrics, PATIENT).toMatch(/^cola_work_waiting 4$/m);
  for (const socket of sockets) socket.destroy();
  await expect.poll(metrics, PATIENT).toMatch(/^cola_work_running 0$/m);
});

test("keys change without a restart, and who guesses has to wait", async () => {
  write({ keys: [{ owner: "cleo", secret: secret("cleo") }] }, 5000);
  await expect.poll(() => ask("GET", "/v1/constraints", "cleo"), PATIENT).toBe(200);
  expect(await ask("GET", "/v1/constraints", "admin")).toBe(401);
  expect(keysOf({ keys: () => [] })).toEqual([]);
  const answers = [];
  for (let k = 0; k < 40; k++) answers.push(await ask("GET", "/v1/constraints", `wrong-${k}`));
  expect(answers.at(-1)).toBe(429);
  expect(answers.indexOf(429)).toBeGreaterThan(5);
});

test("who guesses from a network of IPv6 has one address, however it is written", () => {
  const one = [
    "2001:db8:0:7::1",
    "2001:db8::7:1:2:3:4",
    "2001:db8:0:7:ffff:ffff:ffff:ffff",
    "2001:db8:0:7::",
  ];
  expect(new Set(one.map(networkOf))).toEqual(new Set(["2001:db8:0:7"]));
  expect(networkOf("2001:db8:0:8::1")).toBe("2001:db8:0:8");
  expect(["::1", "fe80::1%eth0"].map(networkOf)).toEqual(["0:0:0:0", "fe80:0:0:0"]);
  for (const four of ["10.0.0.1", "::ffff:10.0.0.1"]) expect(networkOf(four)).toBe(four);
});
