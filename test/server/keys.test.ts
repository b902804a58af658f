import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
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

test("behind a proxy callers are told apart by what it says, and by nobody else's word", async () => {
  const own = await testApp({ keys, proxies: ["127.0.0.1"], limits: { jobs: 0 } });
  const alone = await testApp({ keys, limits: { jobs: 0 } });
  const asked = async (to: typeof own, from: string, secret: string) => {
    const headers = { "x-api-key": secret, "x-forwarded-for": from };
    return (await to.inject({ url: "/v1/jobs", headers, remoteAddress: "127.0.0.1" })).statusCode;
  };
  for (let k = 0; k < 30; k++) {
    expect(await asked(own, "192.0.2.1", "wrong")).toBe(401);
    expect(await asked(alone, `192.0.2.${k}`, "wrong")).toBe(401);
  }
  const { secret } = keys[0]!;
  expect(await asked(own, "192.0.2.1", secret)).toBe(429);
  expect(await asked(own, "192.0.2.2", secret)).toBe(200);
  expect(await asked(alone, "198.51.100.7", secret)).toBe(429);
  for (const proxies of [["10.0.0.0/8/8"], ["proxy"], [""]])
    await expect(testApp({ keys, proxies })).rejects.toMatchObject({ code: "OPTION_INVALID" });
  for (const app of [own, alone]) await app.close();
});

test("one owner sees no figures of another, and leaves event streams to others; who watches sees all", async () => {
  const watch = { owner: "ops", secret: "secret-of-the-watch", role: "watch" as const };
  const own = await testApp({ keys: [...keys, watch], limits: { jobs: 0, streams: 4 } });
  const [ada, bob] = keys.map(({ secret }) => ({ "x-api-key": secret }));
  const job = async (headers: Record<string, string>) =>
    (await own.inject({ method: "POST", url: "/v1/jobs", payload: { options: { rows: 1 } }, headers })).json()
      .id;
  const ids = [await job(ada!), await job(bob!)];
  const figures = async (headers: Record<string, string>) =>
    (await own.inject({ url: "/metrics", headers })).body;
  const [first, second] = keys.map(({ owner }) => `owner="${owner}"`);
  expect(await figures(ada!)).toContain(first);
  expect(await figures(ada!)).not.toContain(second);
  const all = await figures({ "x-api-key": watch.secret });
  expect(all).toContain(first);
  expect(all).toContain(second);
  const refused = await own.inject({ url: "/v1/jobs", headers: { "x-api-key": watch.secret } });
  expect([refused.statusCode, refused.json().code]).toEqual([403, "ROLE_REFUSED"]);
  const address = await own.listen({ host: "127.0.0.1", port: 0 });
  const events = (k: number, headers: Record<string, string>) =>
    fetch(`${address}/v1/jobs/${ids[k]}/events`, { headers });
  const open = [];
  for (let k = 0; k < 4; k++) open.push(await events(0, ada!));
  open.push(await events(1, bob!));
  expect(open.map(({ status }) => status)).toEqual([200, 200, 200, 503, 200]);
  for (const one of open) await one.body?.cancel();
  await own.close();
});

test("files of the page do not count among requests: a page without a part of itself would stand still", async () => {
  const page = mkdtempSync(join(tmpdir(), "cola-page-"));
  writeFileSync(join(page, "index.html"), "<p>page");
  const own = await testApp({ page, limits: { perMinute: 5 } });
  try {
    const asked = async (url: string): Promise<number> => {
      let answered = 0;
      for (let k = 0; k < 12; k++) answered += Number((await own.inject({ url })).statusCode === 200);
      return answered;
    };
    expect(await asked("/index.html")).toBe(12);
    expect(await asked("/studio.json")).toBe(12);
    expect(await asked("/v1/jobs")).toBe(5);
    expect(await asked("/index.html")).toBe(12);
  } finally {
    await own.close();
    rmSync(own.folder, { recursive: true, force: true });
    rmSync(page, { recursive: true, force: true });
  }
});
