import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkOrigin } from "../../server/auth.ts";
import { listen } from "../../server/listen.ts";
import { cola } from "../support/cli.ts";
import { checkOriginAlone } from "../support/mutants/server.ts";
import { refuses } from "../support/refuses.ts";
import { type ScoringServer, scoringServer } from "../support/scoring-server.ts";
import { ended, onPostgres, openStore, testApp } from "../support/server.ts";

type App = Awaited<ReturnType<typeof testApp>>;
const lines: string[] = [];
let app: App;
let remote: ScoringServer;
beforeAll(async () => {
  const away = { status: 307, headers: { location: "http://169.254.169.254/latest" } };
  remote = await scoringServer(Array.from({ length: 20 }, () => away));
  app = await testApp({
    allowHosts: [new URL(remote.url).host],
    limits: { rows: 100, columns: 40, uploadBytes: 5000, ownerBytes: 8000 },
    log: { write: (line) => void lines.push(line) },
  });
});
afterAll(async () => {
  await app.close();
  await remote.close();
  rmSync(app.folder, { recursive: true, force: true });
});

/** For things that take as long as the machine lets them. */
const PATIENT = { timeout: 200_000 };
const csv = { "content-type": "text/csv" };
const post = (url: string, payload: object | string | Buffer, headers: Record<string, string> = {}) =>
  app.inject({ method: "POST", url, payload, headers });
const told = async (answer: ReturnType<typeof post>): Promise<[number, string]> => {
  const { statusCode, body } = await answer;
  return [statusCode, (JSON.parse(body) as { code: string }).code];
};
const table = (rows: number, columns: number): string =>
  Array.from({ length: rows + 1 }, (_, i) =>
    Array.from({ length: columns }, (_, k) => (i === 0 ? `c${k}` : i * k)).join(","),
  ).join("\n");

describe("the address", () => {
  test("of the command is the loopback, and any other is refused without keys", async () => {
    const { code, err } = await cola("serve", "--host", "0.0.0.0", "--store", "nowhere");
    expect(code).toBe(2);
    expect(err).toMatch(/0\.0\.0\.0 .*COLA_API_KEYS=name:secret.*OPTION_INVALID/);
    expect((await cola("serve", "--help")).out).toContain("127.0.0.1");
  });
});

describe("limits", () => {
  test("of rows and columns hold for uploads, inline tables and jobs", async () => {
    for (const text of [table(101, 3), table(3, 41)]) {
      const payload = { data: { csv: text }, options: { label: "c1" } };
      expect(await told(post("/v1/data", text, csv))).toEqual([413, "SIZE_LIMIT"]);
      expect(await told(post("/v1/explanations", payload))).toEqual([413, "SIZE_LIMIT"]);
      const { id } = (await post("/v1/jobs", payload)).json();
      expect(await ended(app, id)).toMatchObject({ state: "failed", error: { code: "SIZE_LIMIT" } });
    }
  });

  test("of an upload and of all uploads of one owner hold", async () => {
    expect(await told(post("/v1/data", "a\n".repeat(5000), csv))).toEqual([413, "BODY_TOO_LARGE"]);
    const file = (k: number): string => `a,b\n${k},${"x".repeat(4000)}\n`;
    expect((await post("/v1/data", file(1), csv)).statusCode).toBe(201);
    expect(await told(post("/v1/data", file(2), csv))).toEqual([507, "QUOTA"]);
  });

  test("of time hold whatever the caller asks for", async () => {
    const slow = {
      model: { train: "gp" },
      options: { rows: 200, generator: "dice-genetic", timeout: 9999 },
    };
    const short = await testApp({ limits: { timeNowMs: 1500, timeJobMs: 2000 } });
    const send = (url: string) => short.inject({ method: "POST", url, payload: slow });
    const now = await send("/v1/explanations");
    if (now.statusCode === 200)
      expect(now.json().rows.some((row: { status: string }) => row.status === "budget")).toBe(true);
    else expect(now.json()).toMatchObject({ status: 422, code: "LIMIT_TIME" });
    const { id } = (await send("/v1/jobs")).json();
    const job = await ended(short, id);
    expect(job["about"]).toMatchObject({ options: { timeout: 2 } });
    if (job["state"] === "failed") expect(job["error"]).toMatchObject({ code: "LIMIT_TIME" });
    else expect((await short.inject(`/v1/jobs/${id}/result`)).body).toContain('"status":"budget"');
    await short.close();
    rmSync(short.folder, { recursive: true, force: true });
  });
});

describe("what callers send", () => {
  test("cannot lead to another host by a redirect of an allowed one", async () => {
    const answer = await post("/v1/explanations", {
      data: { rows: [{ a: -3 }, { a: 4 }] },
      schema: { features: [{ name: "a", kind: "numeric" }] },
      model: { url: `${remote.url}/score` },
      options: { target: "score > 0.5" },
    });
    expect([answer.statusCode, answer.json().code]).toEqual([502, "PREDICT_FAILED"]);
  });

  test("comes back as JSON that no browser takes for a page, however it is called", async () => {
    const name = "<script>alert(1)</script>";
    const answer = await post(`/v1/data?name=${encodeURIComponent(name)}`, `a,${name}\n1,${name}\n`, csv);
    expect(answer.json()).toMatchObject({ name, about: { columns: ["a", name] } });
    const list = await app.inject("/v1/data");
    for (const { headers } of [answer, list]) {
      expect(headers["content-type"]).toMatch(/^application\/json/);
      expect(headers["x-content-type-options"]).toBe("nosniff");
    }
    const policy = String(list.headers["content-security-policy"]);
    expect(policy).toMatch(/default-src 'self'/);
    expect(policy).toMatch(/object-src 'none'/);
    expect(policy).not.toMatch(/unsafe-inline|\*/);
  });

  test("is not in the log, also when a job or its process fails on it", async () => {
    const jobs = [
      { data: { csv: "secretcolumn,b\nsecretcell,no\nother,yes\n" }, options: { label: "secretlabel" } },
      { data: { csv: "a,b\n1,no\n2,yes\n" }, options: { label: "b", target: "secrettarget" } },
    ];
    for (const job of jobs)
      expect(await ended(app, (await post("/v1/jobs", job)).json().id)).toMatchObject({ state: "failed" });
    expect(await told(post("/v1/models", Buffer.from('{"learner":"secretmodel"}')))).toEqual([
      expect.any(Number),
      expect.any(String),
    ]);
    expect(lines.join("")).toContain('"route":"/v1/jobs"');
    expect(lines.join("")).not.toMatch(/secret/);
  });
});

describe("a page of another origin", () => {
  test("is told by what its browser says, however much it looks like ours", async () => {
    const keepsOut = (check: typeof checkOrigin): void => {
      const from = (headers: Record<string, string>) => () =>
        check({ method: "POST", headers, host: "localhost:8080" });
      for (const site of ["cross-site", "same-site"])
        expect(from({ origin: "http://localhost:8080", "sec-fetch-site": site })).toThrow();
      for (const origin of ["http://localhost", "http://localhost:80801", "http://x/localhost:8080", "null"])
        expect(from({ origin }), origin).toThrow();
      expect(from({ origin: "https://localhost:8080", "sec-fetch-site": "same-origin" })).not.toThrow();
    };
    keepsOut(checkOrigin);
    await refuses(() => keepsOut(checkOriginAlone));
  });

  test("changes nothing on a server without keys; programs and the page itself do", async () => {
    const send = (method: "POST" | "DELETE", headers: Record<string, string>) =>
      app.inject({
        method,
        url: method === "POST" ? "/v1/constraints" : "/v1/jobs/00000000-0000-4000-8000-000000000000",
        headers: { host: "localhost:8080", ...headers },
        ...(method === "POST" ? { payload: { freeze: ["a"] } } : {}),
      });
    for (const foreign of [
      { origin: "https://evil.example" },
      { origin: "http://localhost:9090" },
      { origin: "null" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site", origin: "http://localhost:8080" },
    ]) {
      for (const method of ["POST", "DELETE"] as const)
        expect(await told(send(method, foreign)), JSON.stringify(foreign)).toEqual([403, "ORIGIN_REFUSED"]);
      const read = await app.inject({ url: "/v1/jobs", headers: foreign });
      expect(read.statusCode).toBe(200);
    }
    for (const own of [
      {},
      { origin: "http://localhost:8080", "sec-fetch-site": "same-origin" },
      { "sec-fetch-site": "none" },
    ])
      expect((await send("POST", own)).statusCode, JSON.stringify(own)).toBe(201);
  });
});

describe("odd requests", () => {
  test("are refused in words that are true", async () => {
    const json = { "content-type": "application/json" };
    for (const body of ['{"__proto__":{"a":1}}', '{"constructor":{"prototype":{"a":1}}}']) {
      const answer = await post("/v1/explanations", body, json);
      expect([answer.statusCode, answer.json().detail]).toEqual([400, expect.stringContaining("__proto__")]);
    }
    for (const url of ["/%zz", "/v1/%zz"]) {
      const bad = await app.inject(url);
      expect([bad.statusCode, bad.json().code], url).toEqual([400, "REQUEST_INVALID"]);
      expect(bad.headers["content-type"]).toContain("application/problem+json");
    }
    const url = "/v1/jobs/00000000-0000-4000-8000-000000000000";
    expect(await told(app.inject({ method: "DELETE", url, headers: json }))).toEqual([404, "NOT_FOUND"]);
  });

  test("that never become one, or have huge headers, hear a problem as others do", async () => {
    const served = await testApp();
    await served.listen({ port: 0 });
    const { port } = served.server.address() as { port: number };
    const raw = async (text: string): Promise<string> => {
      const socket = connect(port, "127.0.0.1");
      let answer = "";
      socket.setEncoding("latin1").on("data", (part: string) => {
        answer += part;
      });
      socket.on("error", () => {});
      socket.write(text);
      await once(socket, "close");
      return answer;
    };
    const start = "GET /v1/jobs HTTP/1.1\r\nHost: localhost\r\n";
    for (const [text, status, code] of [
      [`${start}X-A: ${"a".repeat(20_000)}\r\n\r\n`, 431, "HEADERS_TOO_LARGE"],
      [`GET /?${"a".repeat(20_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`, 431, "HEADERS_TOO_LARGE"],
      ["GARBAGE\r\n\r\n", 400, "REQUEST_INVALID"],
      [`${start}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`, 400, "REQUEST_INVALID"],
      [`${start}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n`, 400, "REQUEST_INVALID"],
    ] as const) {
      const [head, body] = (await raw(text)).split("\r\n\r\n") as [string, string];
      expect(head).toContain("application/problem+json");
      expect(JSON.parse(body)).toMatchObject({ status, code });
    }
    await served.close();
    rmSync(served.folder, { recursive: true, force: true });
  });

  test("for files beside the page find nothing", async () => {
    const page = mkdtempSync(join(tmpdir(), "cola-page-"));
    writeFileSync(join(page, "index.html"), "<p>page</p>");
    writeFileSync(join(page, ".secret"), "secret");
    const served = await testApp({ page });
    expect((await served.inject("/")).body).toBe("<p>page</p>");
    for (const url of ["/..%2fpackage.json", "/.secret", "/%2e%2e/%2e%2e/etc/passwd", "/nothing.js"])
      expect(await told(served.inject(url)), url).toEqual([404, "NOT_FOUND"]);
    await served.close();
    for (const folder of [page, served.folder]) rmSync(folder, { recursive: true, force: true });
  });

  test("with a method that an address does not know are told from unknown addresses", async () => {
    for (const [method, url] of [
      ["PUT", "/v1/jobs"],
      ["DELETE", "/v1/explanations"],
      ["PATCH", "/v1/data/data_0"],
      ["POST", "/health/live"],
    ] as const) {
      const answer = await app.inject({ method, url });
      expect([answer.statusCode, answer.json().code], url).toEqual([405, "METHOD_UNKNOWN"]);
      expect(String(answer.headers["allow"])).toMatch(/GET|POST/);
    }
    expect(await told(app.inject({ method: "PUT", url: "/v1/nothing" }))).toEqual([404, "NOT_FOUND"]);
  });
});

describe("a stop", () => {
  test("does not wait for a request that never comes whole", async () => {
    const first = await testApp({ limits: { graceMs: 100 } });
    const { port, hostname } = new URL(await listen(first, "127.0.0.1", 0));
    const head =
      "POST /v1/data HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\nContent-Length: 1000\r\n\r\n";
    const socket = connect({ port: Number(port), host: hostname });
    const gone = once(socket, "close");
    socket.on("error", () => {});
    socket.write(`${head}a,b\n`);
    await expect
      .poll(async () => (await first.inject("/metrics")).body, PATIENT)
      .toMatch(/^cola_requests 1$/m);
    await first.close();
    await gone;
    rmSync(first.folder, { recursive: true, force: true });
  });

  test("answers what is being worked on, and finishes jobs that end in time", async () => {
    const first = await testApp();
    const url = await listen(first, "127.0.0.1", 0);
    const send = (path: string) =>
      fetch(`${url}${path}`, {
        method: "POST",
        body: JSON.stringify({ options: { rows: 5 } }),
        headers: { "content-type": "application/json" },
      });
    const { id } = (await (await send("/v1/jobs")).json()) as { id: string };
    await expect
      .poll(async () => (await first.inject(`/v1/jobs/${id}`)).json().state, PATIENT)
      .not.toBe("queued");
    const answer = send("/v1/explanations");
    await expect
      .poll(async () => (await first.inject("/metrics")).body, PATIENT)
      .toMatch(/^cola_work_running 1$/m);
    const closed = first.close();
    expect((await answer).status).toBe(200);
    await closed;
    const store = await openStore(first.folder);
    const rows = await store.db.query<{ state: string }>("select state from jobs");
    await store.close();
    expect(["done", "queued"]).toContain(rows[0]!.state);
    rmSync(first.folder, { recursive: true, force: true });
  });
});

test.skipIf(onPostgres)(
  "`cola audit verify` and `cola replay` beside a running server say what to do",
  async () => {
    const id = "00000000-0000-4000-8000-000000000000";
    for (const words of [
      ["audit", "verify"],
      ["replay", id],
    ]) {
      const { code, err } = await cola(...words, "--store", app.folder);
      expect(code).toBe(2);
      expect(err).toContain(`kill ${process.pid}`);
      expect(err).toMatch(/in use by process .*--store.*STORE_LOCKED/);
    }
  },
);
