import { readdirSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeCsv } from "../../formats/index.ts";
import { checkHost } from "../../server/run/recipe.ts";
import { loans } from "../../src/data/loans.ts";
import { type ScoringServer, scoringServer } from "../support/scoring-server.ts";
import { ended, testApp } from "../support/server.ts";

const lines: string[] = [];
let app: Awaited<ReturnType<typeof testApp>>;
let remote: ScoringServer;
beforeAll(async () => {
  remote = await scoringServer();
  app = await testApp({
    log: { write: (line) => void lines.push(line) },
    allowHosts: ["models.example", new URL(remote.url).host],
  });
});
afterAll(async () => {
  await app.close();
  await remote.close();
  rmSync(app.folder, { recursive: true, force: true });
});

const post = (url: string, payload: object | string | Buffer, headers: Record<string, string> = {}) =>
  app.inject({ method: "POST", url, payload, headers });
const code = (answer: { json(): { code: string } }): string => answer.json().code;

describe("explanations", () => {
  test("are answered at once with the embedded data, and kept byte by byte", async () => {
    const answer = await post("/v1/explanations", { options: { rows: 3 } });
    expect(answer.statusCode, answer.body).toBe(200);
    const made = answer.json();
    expect(made.rows).toHaveLength(3);
    expect(made.rows[0].edits.length).toBeGreaterThan(0);
    const again = await app.inject(`/v1/explanations/${answer.headers["explanation-id"]}`);
    expect(again.body).toBe(answer.body);
  });

  test("of given rows leave frozen features alone", async () => {
    const { schema, rows } = (await post("/v1/explanations", { options: { rows: 1 } })).json();
    const names = schema.features.map((feature: { name: string }) => feature.name) as string[];
    const person = Object.fromEntries(names.map((name, k) => [name, rows[0].x[k]]));
    const free = (await post("/v1/explanations", { factuals: [person] })).json();
    const first = free.rows[0].edits[0].feature as string;
    const locked = (
      await post("/v1/explanations", { factuals: [person], constraints: { freeze: [first] } })
    ).json();
    expect(locked.rows[0].edits.map((e: { feature: string }) => e.feature)).not.toContain(first);
  });

  test("refuse more rows than small work may have, and names that do not exist", async () => {
    const many = await post("/v1/explanations", { options: { rows: 201 } });
    expect([many.statusCode, code(many)]).toEqual([413, "SIZE_LIMIT"]);
    const unknown = await post("/v1/explanations", { options: { generator: "nobody" } });
    expect([unknown.statusCode, code(unknown)]).toEqual([400, "REQUEST_INVALID"]);
    expect(unknown.json().detail).toMatch(/generator.*dice-random/);
    const extra = await post("/v1/explanations", { options: { data: "/etc/passwd" } });
    expect([extra.statusCode, code(extra)]).toEqual([400, "REQUEST_INVALID"]);
    expect(extra.headers["content-type"]).toContain("application/problem+json");
  });

  test("call no address whose host was not allowed", async () => {
    for (const url of [
      "http://127.0.0.1:9/",
      "http://169.254.169.254/latest",
      "file:///etc/passwd",
      "http://models.example@evil.test/",
      "http://user:pw@models.example/",
      "//x",
    ]) {
      const answer = await post("/v1/explanations", { model: { url } });
      expect([answer.statusCode, code(answer)], url).toEqual([403, "HOST_REFUSED"]);
    }
  });
});

test("a host is allowed with the port that is named, also where an address leaves it out", () => {
  const allows = (name: string, url: string): boolean => {
    try {
      checkHost({ allowHosts: [name] }, url);
      return true;
    } catch {
      return false;
    }
  };
  expect(allows("models.example:443", "https://models.example/score")).toBe(true);
  expect(allows("models.example:80", "http://models.example/score")).toBe(true);
  expect(allows("models.example:443", "http://models.example/score")).toBe(false);
  expect(allows("models.example:443", "https://models.example:444/score")).toBe(false);
  expect(allows("Models.example", "https://models.example:444/score")).toBe(true);
  expect(allows("[::1]:80", "http://[::1]/score")).toBe(true);
  expect(allows("127.0.0.1:8080", "http://2130706433:8080/")).toBe(true);
  expect(allows("models.example", "http://models.example.evil.test/")).toBe(false);
});

describe("HTTP models", () => {
  test("on an allowed host are asked, and failing ones are told apart from us", async () => {
    const rows = [{ a: -3 }, { a: -1 }, { a: 2 }, { a: 4 }];
    const schema = { features: [{ name: "a", kind: "numeric" }] };
    const ask = (url: string) =>
      post("/v1/explanations", {
        data: { rows },
        schema,
        model: { url },
        options: { target: "score > 0.5" },
      });
    const answer = await ask(`${remote.url}/score`);
    expect(answer.statusCode, answer.body).toBe(200);
    expect(answer.json().rows).toMatchObject([{ valid: true }, { valid: true }]);
    expect(remote.requests.length).toBeGreaterThan(0);
    expect(remote.requests[0]!.headers.authorization).toBeUndefined();
    const missing = await ask(`${remote.url}/nowhere`);
    expect([missing.statusCode, code(missing)]).toEqual([502, "PREDICT_FAILED"]);
  });
});

test("a token that the operator named is sent to its host alone, and stands nowhere", async () => {
  process.env["COLA_TEST_TOKEN"] = "token-of-the-model";
  const { host } = new URL(remote.url);
  const other = await scoringServer();
  const { host: beside } = new URL(other.url);
  const own = await testApp({ allowHosts: [host, beside], tokens: { [host]: "COLA_TEST_TOKEN" } });
  const rows = [{ a: -3 }, { a: 4 }];
  const schema = { features: [{ name: "a", kind: "numeric" }] };
  const sent = async ({ url, requests }: ScoringServer) => {
    const payload = {
      data: { rows },
      schema,
      model: { url: `${url}/score` },
      options: { target: "score > 0.5" },
    };
    const answer = await own.inject({ method: "POST", url: "/v1/explanations", payload });
    expect(answer.statusCode, answer.body).toBe(200);
    expect(answer.body).not.toContain("token");
    return requests.at(-1)!.headers.authorization;
  };
  expect(await sent(remote)).toBe("Bearer token-of-the-model");
  expect(await sent(other)).toBeUndefined();
  await own.close();
  await other.close();
  rmSync(own.folder, { recursive: true, force: true });
});

test("work on a slow model ends at its limit by itself, and tells what it has by then", async () => {
  // No answer moves with its row, so that the search goes on asking.
  const slow = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { rows } = JSON.parse(Buffer.concat(parts).toString()) as { readonly rows: readonly unknown[] };
    setTimeout(() => response.end(JSON.stringify({ scores: rows.map((_, i) => i % 2) })), 3000);
  });
  await new Promise<void>((done) => slow.listen(0, "127.0.0.1", done));
  const url = `http://127.0.0.1:${(slow.address() as AddressInfo).port}/score`;
  const own = await testApp({ allowHosts: [new URL(url).host] });
  const payload = {
    data: { rows: Array.from({ length: 40 }, (_, i) => ({ a: i, b: i % 3 })) },
    schema: { features: ["a", "b"].map((name) => ({ name, kind: "numeric" })) },
    model: { url },
    options: { target: "score > 0.5", rows: 2, timeout: 8 },
  };
  const answer = await own.inject({ method: "POST", url: "/v1/explanations", payload });
  // Stages with a limit each went on until the process was ended, which left nothing to tell.
  expect([200, 504], answer.body).toContain(answer.statusCode);
  await own.close();
  slow.closeAllConnections();
  slow.close();
  rmSync(own.folder, { recursive: true, force: true });
});

describe("idempotency keys", () => {
  test.each(["/v1/explanations", "/v1/jobs"])(
    "%s: the first answer comes back, another body is refused",
    async (url) => {
      const headers = { "idempotency-key": `key-${url}` };
      const first = await post(url, { options: { rows: 1 } }, headers);
      const second = await post(url, { options: { rows: 1 } }, headers);
      const id = (answer: typeof first) => answer.headers["explanation-id"] ?? answer.json().id;
      expect(id(second)).toBe(id(first));
      const other = await post(url, { options: { rows: 2 } }, headers);
      expect([other.statusCode, code(other)]).toEqual([422, "IDEMPOTENCY_MISMATCH"]);
    },
  );

  test("are freed when the work came to nothing, and refused while it runs", async () => {
    const headers = { "idempotency-key": "again" };
    const bad = { options: { target: "nobody" } };
    expect((await post("/v1/explanations", bad, headers)).statusCode).toBe(422);
    expect((await post("/v1/explanations", { options: { rows: 1 } }, headers)).statusCode).toBe(200);
    const both = await Promise.all(
      [1, 2].map(() =>
        post("/v1/explanations", { options: { rows: 4, seed: 9 } }, { "idempotency-key": "twice" }),
      ),
    );
    const statuses = both.map((answer) => answer.statusCode).sort();
    expect(statuses[0]).toBe(200);
    expect([200, 409]).toContain(statuses[1]);
  });
});

describe("jobs", () => {
  test("go from 202 over events to a result", async () => {
    const accepted = await post("/v1/jobs", { options: { rows: 2 } });
    expect(accepted.statusCode, accepted.body).toBe(202);
    const { id } = accepted.json();
    const events = await app.inject(`/v1/jobs/${id}/events`);
    expect(events.headers["content-type"]).toContain("text/event-stream");
    expect(events.body).toMatch(/event: state\ndata: \{.*"state":"done".*\}\n\n$/);
    expect((await app.inject(`/v1/jobs/${id}/result`)).json().rows).toHaveLength(2);
    const list = (await app.inject("/v1/jobs?limit=1")).json();
    expect(list.jobs).toHaveLength(1);
    const next = (await app.inject(`/v1/jobs?limit=200&before=${list.next}`)).json();
    expect(next.jobs.map((job: { id: string }) => job.id)).not.toContain(list.jobs[0].id);
  });

  test("can be cancelled, queued and running", async () => {
    const slow = { model: { train: "gp" }, options: { rows: 50, generator: "dice-genetic", seed: 3 } };
    const [a, b] = [(await post("/v1/jobs", slow)).json(), (await post("/v1/jobs", slow)).json()];
    for (const { id } of [a, b]) {
      const cancelled = await app.inject({ method: "DELETE", url: `/v1/jobs/${id}` });
      expect(cancelled.json()).toMatchObject({ id, state: "cancelled" });
      const again = await app.inject({ method: "DELETE", url: `/v1/jobs/${id}` });
      expect([again.statusCode, code(again)]).toEqual([409, "STATE_CONFLICT"]);
      expect((await app.inject(`/v1/jobs/${id}/result`)).statusCode).toBe(409);
    }
    const after = (await post("/v1/jobs", { options: { rows: 1 } })).json();
    expect(await ended(app, after.id)).toMatchObject({ state: "done" });
  });

  test("that fail say why", async () => {
    const { id } = (await post("/v1/jobs", { options: { target: "nobody" } })).json();
    expect(await ended(app, id)).toMatchObject({ state: "failed", error: { code: "TARGET_INVALID" } });
  });
});

const uploadOf = async (rows: readonly { readonly income: number }[]): Promise<string> => {
  const csv = `income\n${rows.map(({ income }) => income).join("\n")}\n`;
  return (await post("/v1/data", csv, { "content-type": "text/csv" })).json().id;
};

describe("uploads", () => {
  test("a table and constraints are named by their content and used by id", async () => {
    const { table, labels } = loans();
    const outcome = [...labels].map((label) => (label === 1 ? "granted" : "refused"));
    const full = {
      names: [...table.names, "outcome"],
      columns: [...table.columns, outcome],
      rows: table.rows,
    };
    const csv = writeCsv(full);
    const headers = { "content-type": "text/csv" };
    const made = await post("/v1/data?name=loans", csv, headers);
    expect(made.statusCode, made.body).toBe(201);
    const data = made.json();
    expect(data).toMatchObject({ name: "loans", about: { rows: table.rows, columns: full.names } });
    expect((await post("/v1/data", csv, headers)).json().id).toBe(data.id);
    const constraints = (await post("/v1/constraints", { freeze: [table.names[0]] })).json();
    const answer = await post("/v1/explanations", {
      data: { id: data.id },
      constraints: { id: constraints.id },
      model: { train: "tree" },
      options: { label: "outcome", target: "granted", rows: 2 },
    });
    expect(answer.statusCode, answer.body).toBe(200);
    expect(answer.json().rows).toHaveLength(2);
    expect((await app.inject({ method: "DELETE", url: `/v1/data/${data.id}` })).statusCode).toBe(204);
    expect((await app.inject(`/v1/data/${data.id}`)).statusCode).toBe(404);
  });

  test("a trained model is kept and used by id; pickles and paths are refused", async () => {
    const { fit } = await import("../../src/train/registry.ts");
    const model = await fit(
      "logistic",
      { data: Float64Array.of(0, 1, 2, 3), rows: 4, cols: 1 },
      [0, 0, 1, 1],
    );
    const type = { "content-type": "application/octet-stream" };
    const made = await post("/v1/models", Buffer.from(JSON.stringify(model.toJSON!())), type);
    expect(made.statusCode, made.body).toBe(201);
    const rows = [0, 1, 2, 3].map((income) => ({ income }));
    const answer = await post("/v1/explanations", {
      data: { rows },
      model: { id: made.json().id },
      schema: { features: [{ name: "income", kind: "numeric" }] },
    });
    expect(answer.statusCode, answer.body).toBe(200);
    const instances = [{ income: 0 }, { income: 1 }];
    const key = { "idempotency-key": "of-one-model" };
    const address = `/v1/models/${made.json().id}:explain?data=`;
    const kserve = await post(`${address}${await uploadOf(rows)}`, { instances }, key);
    const elsewhere = await post(`${address}${await uploadOf(rows.slice(1))}`, { instances }, key);
    expect([elsewhere.statusCode, code(elsewhere)]).toEqual([422, "IDEMPOTENCY_MISMATCH"]);
    expect(kserve.statusCode, kserve.body).toBe(200);
    expect(kserve.json().explanations).toHaveLength(2);
    expect(kserve.headers["explanation-id"]).toMatch(/^[0-9a-f-]{36}$/);
    for (const filler of ["", "x".repeat(300_000)]) {
      const odd = await post(`/v1/models/${made.json().id}:explain`, { instances: [[0, filler]] });
      expect([odd.statusCode, code(odd)]).toEqual([400, "REQUEST_INVALID"]);
      expect(odd.json().detail).toBe("/instances/0: must be an object of cells by column.");
    }
    const pickle = await post("/v1/models", Buffer.from([0x80, 4, 0x95, 1, 0, 0, 0, 0, 0, 0, 0, 0x2e]), type);
    expect([pickle.statusCode, code(pickle)]).toEqual([422, "MODEL_FILE_UNSUPPORTED"]);
    for (const id of ["../../etc/passwd", "..%2f..%2fetc%2fpasswd", "%2e%2e", "..\\..\\x", "model_x"]) {
      const answer = await app.inject(`/v1/models/${id}`);
      expect([400, 404], id).toContain(answer.statusCode);
    }
    const files = readdirSync(join(app.folder, "files"), { recursive: true, encoding: "utf8" });
    expect(files.filter((file) => !/^[0-9a-f]{2}([\\/][0-9a-f]{64}\.[a-z]+)?$/.test(file))).toEqual([]);
  });
});

describe("the server as a whole", () => {
  test("is healthy, measured, described, and sends a policy without inline script", async () => {
    expect((await app.inject("/health/live")).json()).toMatchObject({ status: "ok" });
    expect((await app.inject("/health/ready")).json()).toMatchObject({ status: "ok" });
    expect((await app.inject("/metrics")).body).toContain("cola_jobs_ended_total");
    const page = await app.inject("/");
    expect(page.statusCode).toBe(200);
    const policy = String(page.headers["content-security-policy"]);
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toContain("unsafe-inline");
    expect(page.headers["x-content-type-options"]).toBe("nosniff");
  });

  test("answers under local names only when there is no key", async () => {
    const answer = await app.inject({ url: "/v1/jobs", headers: { host: "evil.test" } });
    expect([answer.statusCode, code(answer)]).toEqual([403, "HOST_REFUSED"]);
  });

  test("logs no cell, no message and no body", async () => {
    await post("/v1/explanations", { data: { rows: [{ secretcolumn: "secretcell" }] } });
    await post("/v1/data?name=secretname", "secretcolumn\nsecretcell\n", { "content-type": "text/csv" });
    await app.inject("/v1/secretpath?secretquery=1");
    const text = lines.join("");
    expect(text).toContain('"route":"/v1/explanations"');
    expect(text).not.toMatch(/secret/);
  });
});
