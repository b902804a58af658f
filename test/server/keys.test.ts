import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createApp } from "../../server/app.ts";
import { parseKeys } from "../../server/config.ts";
import { testApp } from "../support/server.ts";

let app: Awaited<ReturnType<typeof testApp>>;
const keys = parseKeys("ada:0123456789abcdef,bob:fedcba9876543210");
const ada = { authorization: "Bearer 0123456789abcdef" };
const bob = { "x-api-key": "fedcba9876543210" };
beforeAll(async () => {
  app = await testApp({ host: "0.0.0.0", keys, limits: { perMinute: 20, bodyBytes: 10_000, openJobs: 0 } });
});
afterAll(async () => {
  await app.close();
  rmSync(app.folder, { recursive: true, force: true });
});

test("another address than the loopback is refused without a key, and weak keys are too", async () => {
  await expect(createApp({ folder: "nowhere", host: "0.0.0.0" })).rejects.toMatchObject({
    code: "OPTION_INVALID",
  });
  const weak = createApp({ folder: "nowhere", keys: parseKeys("a:short") });
  await expect(weak).rejects.toMatchObject({ code: "OPTION_INVALID" });
});

test("without or with a wrong key there is nothing; health stays open", async () => {
  for (const headers of [{}, { authorization: "Bearer wrong" }, { authorization: "Basic x" }]) {
    for (const url of [
      "/v1/jobs",
      "/metrics",
      "/v1/data",
      "/%76%31/jobs",
      "/v1/jobs?x=/health/live",
      "/%6detrics",
    ]) {
      const answer = await app.inject({ url, headers });
      expect([answer.statusCode, answer.json().code]).toEqual([401, "KEY_INVALID"]);
    }
  }
  expect((await app.inject("/health/ready")).statusCode).toBe(200);
});

test("what belongs to one key is not there for another", async () => {
  const made = await app.inject({
    method: "POST",
    url: "/v1/constraints",
    payload: { freeze: ["a"] },
    headers: ada,
  });
  const url = `/v1/constraints/${made.json().id}`;
  expect((await app.inject({ url, headers: ada })).statusCode).toBe(200);
  expect((await app.inject({ url, headers: bob })).statusCode).toBe(404);
  expect((await app.inject({ url: "/v1/constraints", headers: bob })).json().items).toEqual([]);
});

test("what one key forgets stays where another key made something of the same bytes", async () => {
  const csv = "a,b\n1,no\n2,no\n3,yes\n4,yes\n";
  const up = await app.inject({
    method: "POST",
    url: "/v1/data",
    payload: csv,
    headers: { ...ada, "content-type": "text/csv" },
  });
  const { id } = up.json();
  const options = { label: "b", target: "yes", rows: 1, generator: "direct" };
  const payload = { data: { csv }, options };
  const made = await app.inject({ method: "POST", url: "/v1/explanations", payload, headers: bob });
  expect(made.statusCode, made.body).toBe(200);
  const gone = await app.inject({ method: "DELETE", url: `/v1/data/${id}`, headers: ada });
  expect(gone.statusCode).toBe(204);
  const file = `${up.json().sha256}.csv`;
  expect(existsSync(join(app.folder, "files", file.slice(0, 2), file))).toBe(true);
});

test("bodies over the limit and encoded bodies are refused; so are jobs over the limit", async () => {
  const send = (payload: string, more = {}) =>
    app.inject({
      method: "POST",
      url: "/v1/jobs",
      payload,
      headers: { ...ada, "content-type": "application/json", ...more },
    });
  expect((await send(JSON.stringify({ data: { csv: "x".repeat(20_000) } }))).json().code).toBe(
    "BODY_TOO_LARGE",
  );
  expect((await send("{}", { "content-encoding": "gzip" })).json().code).toBe("MEDIA_TYPE");
  const full = await send("{}");
  expect([full.statusCode, full.json().code]).toEqual([503, "BUSY"]);
  expect(Number(full.headers["retry-after"])).toBeGreaterThan(0);
});

test("a key that asks too often is told when to come back; the other key is not", async () => {
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => app.inject({ url: "/v1/jobs", headers: bob })),
  );
  const refused = answers.filter((answer) => answer.statusCode === 429);
  expect(refused.length).toBeGreaterThanOrEqual(10);
  expect(refused[0]!.json().code).toBe("RATE_LIMITED");
  expect(Number(refused[0]!.headers["retry-after"])).toBeGreaterThan(0);
  expect((await app.inject({ url: "/v1/data", headers: ada })).statusCode).toBe(200);
});
