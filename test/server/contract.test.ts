import { readFileSync, rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { explainCommand } from "../../cli/commands/explain.ts";
import { HTTP_PROBLEMS } from "../../server/problem.ts";
import { stream } from "../../src/num/random.ts";
import { OPTIONS } from "../../study/options.ts";
import { figures } from "../support/figures.ts";
import { FUZZ_RUNS, mutate } from "../support/fuzz.ts";
import { ended, testApp } from "../support/server.ts";

interface Operation {
  readonly operationId: string;
  readonly security: readonly object[];
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, object>> };
  readonly responses: Readonly<
    Record<string, { headers?: object; content?: Record<string, { schema: object }> }>
  >;
  readonly parameters?: readonly { in: string; name: string }[];
}
interface Document {
  readonly openapi: string;
  readonly components: { readonly securitySchemes: object };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

let app: Awaited<ReturnType<typeof testApp>>;
let api: Document;
beforeAll(async () => {
  app = await testApp({ limits: { timeNowMs: 2000, rowsNow: 5, rows: 2000, columns: 50 } });
  api = (await app.inject("/openapi.json")).json();
});
afterAll(async () => {
  await app.close();
  rmSync(app.folder, { recursive: true, force: true });
});

/** Options a request has in another place, or whose value is the operator's or the printer's. */
const ELSEWHERE = [
  ...["data", "dataset", "dataDir", "sql", "database", "schema", "constraints", "saveSchema"],
  ...[
    "model",
    "counterfactuals",
    "references",
    "encoding",
    "calibration",
    "protocol",
    "modelName",
    "authEnv",
  ],
  ...["maxBytes", "maxRows", "maxColumns", "maxCell", "maxNodes", "maxElements"],
  ...["modelBatch", "modelRetries", "modelTimeout"],
  ...[
    "out",
    "formats",
    "plainCsv",
    "date",
    "reasons",
    "locale",
    "shardRows",
    "workers",
    "dryRun",
    "json",
    "certificate",
    "also",
  ],
];

interface Ask {
  readonly method: "GET" | "POST" | "DELETE";
  readonly url: string;
  readonly payload?: object | string | Buffer;
  readonly headers?: Record<string, string>;
}

/** Asks, and holds the answer against the document: the status is listed, and the body has its schema. */
async function asked(path: string, ask: Ask) {
  const answer = await app.inject(ask);
  const operation = api.paths[path]![ask.method.toLowerCase()]!;
  const described = operation.responses[String(answer.statusCode)];
  expect(described, `${ask.method} ${ask.url} answered ${answer.statusCode}: ${answer.body}`).toBeDefined();
  const type = String(answer.headers["content-type"] ?? "");
  if (answer.statusCode >= 400) expect(type).toContain("application/problem+json");
  const sent = type.split(";")[0]!;
  const content = described!.content;
  if (content) expect(Object.keys(content), `${ask.method} ${ask.url}`).toContain(sent);
  const schema = content?.[sent]?.schema;
  if (schema && type.includes("json")) z.fromJSONSchema(schema as never).parse(answer.json());
  return answer;
}

describe("the document", () => {
  test("is OpenAPI 3.1 and lists every address with its refusals", () => {
    expect(api.openapi).toBe("3.1.0");
    expect(Object.keys(api.paths).sort()).toEqual([
      "/health/live",
      "/health/ready",
      "/metrics",
      "/v1/audit/head",
      "/v1/audit/verify",
      "/v1/constraints",
      "/v1/constraints/{id}",
      "/v1/counterfactuals",
      "/v1/counterfactuals/{id}",
      "/v1/counterfactuals/{id}/file",
      "/v1/data",
      "/v1/data/{id}",
      "/v1/data/{id}/file",
      "/v1/explanations",
      "/v1/explanations/{id}",
      "/v1/explanations/{id}/card",
      "/v1/explanations/{id}/letter",
      "/v1/explanations/{id}/report",
      "/v1/jobs",
      "/v1/jobs/{id}",
      "/v1/jobs/{id}/events",
      "/v1/jobs/{id}/result",
      "/v1/models",
      "/v1/models/{id}",
      "/v1/models/{id}/file",
      "/v1/models/{id}:explain",
    ]);
    for (const [path, operations] of Object.entries(api.paths))
      for (const [method, { responses }] of Object.entries(operations))
        expect(Object.keys(responses), `${method} ${path}`).toEqual(expect.arrayContaining(["429", "503"]));
  });

  test("lets a client be made of it: names, uploads, keys and headers", () => {
    const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
    );
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    for (const { path, security, responses } of operations) {
      expect(security, path).toEqual(path.startsWith("/health/") ? [] : [{}, { bearer: [] }, { header: [] }]);
      expect(Object.keys(responses["503"]!.headers!)).toEqual(["Retry-After"]);
      expect(Object.keys(responses["400"]!.content!)).toEqual(["application/problem+json"]);
    }
    for (const place of ["data", "models", "counterfactuals"]) {
      const { requestBody } = api.paths[`/v1/${place}`]!["post"]!;
      expect(requestBody!.required).toBe(true);
      expect(requestBody!.content["text/csv"]).toEqual({ schema: { type: "string", format: "binary" } });
    }
    for (const [path, status, header] of [
      ["/v1/explanations", "200", "Explanation-Id"],
      ["/v1/jobs", "202", "Location"],
    ] as const) {
      const { parameters, responses } = api.paths[path]!["post"]!;
      expect(parameters).toContainEqual(expect.objectContaining({ in: "header", name: "Idempotency-Key" }));
      expect(Object.keys(responses[status]!.headers!)).toContain(header);
    }
    expect(Object.keys(api.components.securitySchemes)).toEqual(["bearer", "header"]);
  });

  test("says of the options what the one table says", () => {
    const text = JSON.stringify(api.paths["/v1/explanations"]!["post"]);
    for (const name of ["target", "generator", "policy", "perRow", "seed"] as const)
      expect(text).toContain(JSON.stringify(OPTIONS[name].help).slice(1, -1));
    for (const name of ["generator", "coupling", "policy"] as const)
      expect(text).toContain(`"enum":${JSON.stringify(OPTIONS[name].choices)}`);
  });

  test("takes every option of `cola explain` that is not a file, a limit or a way to print", () => {
    type Body = { properties: { options: { properties: Record<string, unknown> } } };
    const { requestBody } = api.paths["/v1/explanations"]!["post"] as unknown as {
      requestBody: { content: Record<string, { schema: Body }> };
    };
    const { options } = requestBody.content["application/json"]!.schema.properties;
    const elsewhere = new Set<string>(ELSEWHERE);
    const wanted = explainCommand.options.filter((name) => !elsewhere.has(name));
    const why = "a new option belongs into study/options.ts with `http`, or above with what is elsewhere";
    expect(Object.keys(options.properties).sort(), why).toEqual([...wanted].sort());
  });

  test("is what every address answers", async () => {
    const none = "00000000-0000-4000-8000-000000000000";
    const json = { "content-type": "application/json" };
    const explained = await asked("/v1/explanations", {
      method: "POST",
      url: "/v1/explanations",
      payload: { options: { rows: 1 } },
    });
    expect(explained.statusCode).toBe(200);
    const id = String(explained.headers["explanation-id"]);
    await asked("/v1/explanations/{id}", { method: "GET", url: `/v1/explanations/${id}` });
    await asked("/v1/explanations/{id}", { method: "GET", url: `/v1/explanations/${none}` });
    await asked("/v1/explanations/{id}", { method: "GET", url: "/v1/explanations/x" });
    for (const query of ["", "?locale=de", "?locale=xx"])
      await asked("/v1/explanations/{id}/report", {
        method: "GET",
        url: `/v1/explanations/${id}/report${query}`,
      });
    for (const query of ["", "?locale=de&format=markdown&date=2026-05-31", "?format=json", "?format=pdf"])
      await asked("/v1/explanations/{id}/card", {
        method: "GET",
        url: `/v1/explanations/${id}/card${query}`,
      });
    const row = explained.json().rows[0].row;
    for (const query of [`?row=${row}`, `?row=${row}&locale=de&format=text&date=2026-05-31`, "?row=none", ""])
      await asked("/v1/explanations/{id}/letter", {
        method: "GET",
        url: `/v1/explanations/${id}/letter${query}`,
      });
    await asked("/v1/explanations", { method: "POST", url: "/v1/explanations", payload: "{", headers: json });
    const job = await asked("/v1/jobs", {
      method: "POST",
      url: "/v1/jobs",
      payload: { options: { rows: 1 } },
    });
    expect(job.statusCode).toBe(202);
    const url = `/v1/jobs/${job.json().id}`;
    await asked("/v1/jobs/{id}/events", { method: "GET", url: `${url}/events` });
    await ended(app, job.json().id);
    await asked("/v1/jobs/{id}", { method: "GET", url });
    await asked("/v1/jobs/{id}/result", { method: "GET", url: `${url}/result` });
    await asked("/v1/jobs/{id}", { method: "DELETE", url });
    await asked("/v1/jobs", { method: "GET", url: "/v1/jobs" });
    await asked("/v1/jobs", { method: "GET", url: "/v1/jobs?limit=x" });
    for (const [place, payload, type] of [
      ["data", "a,b\n1,2\n3,4\n", "text/csv"],
      ["constraints", '{"freeze":["a"]}', "application/json"],
      ["counterfactuals", "a,b\n1,2\n3,4\n", "text/csv"],
      ["models", "nonsense", "application/octet-stream"],
    ] as const) {
      const made = await asked(`/v1/${place}`, {
        method: "POST",
        url: `/v1/${place}`,
        payload,
        headers: { "content-type": type },
      });
      await asked(`/v1/${place}`, { method: "GET", url: `/v1/${place}` });
      const one = `/v1/${place}/${made.json().id ?? `model_${"0".repeat(32)}`}`;
      await asked(`/v1/${place}/{id}`, { method: "GET", url: one });
      if (place !== "constraints")
        await asked(`/v1/${place}/{id}/file`, { method: "GET", url: `${one}/file` });
      await asked(`/v1/${place}/{id}`, { method: "DELETE", url: one });
      await asked(`/v1/${place}`, {
        method: "POST",
        url: `/v1/${place}`,
        payload: "",
        headers: { "content-type": type },
      });
    }
    for (const path of ["/health/live", "/health/ready", "/metrics"])
      await asked(path, { method: "GET", url: path });
  });
});

/** Bodies that are nearly right, to be broken. */
const SEEDS = [
  {
    data: {
      rows: [
        { a: 1, b: "x" },
        { a: 2, b: "y" },
        { a: null, b: "x" },
      ],
    },
    options: { label: "b", rows: 2 },
  },
  { data: { csv: "a,b,c\n1,2,yes\n3,4,no\n5,6,yes\n" }, options: { label: "c", target: "yes", perRow: 1 } },
  {
    data: { embedded: true },
    model: { train: "tree" },
    constraints: { features: { age: { min: 1, max: 99, direction: "up" } }, rules: ["age > 3"], freeze: [] },
    options: { rows: 1, effect: 0.5, policy: "greedy", coupling: "transport", seed: 3, timeout: 0.1 },
  },
  {
    data: { rows: [{ a: 1 }, { a: 5 }] },
    factuals: [{ a: 2 }],
    counterfactuals: { rows: [{ a: 4 }, { a: 5 }] },
    calibration: [
      [0, 0.1],
      [1, 0.9],
    ],
    schema: { features: [{ name: "a", kind: "numeric", min: 0, step: 1 }], rules: [] },
    model: { id: `model_${"0".repeat(32)}`, encoding: { inputs: [{ feature: "a" }] } },
    options: { generator: "knn", vary: ["a"], missing: ["?"], budget: 1 },
  },
];
const VALUES = [
  null,
  -1,
  1e308,
  2 ** 60,
  "",
  "\u0000",
  "\ud800",
  "__proto__",
  "../x",
  [],
  {},
  [[[]]],
  true,
  0.5,
  "NaN",
];

/** One leaf of a body replaced, a field dropped or added. */
function spoil(body: unknown, pick: (n: number) => number): unknown {
  const copy = structuredClone(body) as Record<string, unknown>;
  let at: Record<string, unknown> = copy;
  for (;;) {
    const keys = Object.keys(at);
    const key = keys[pick(keys.length)]!;
    const next = at[key];
    if (typeof next === "object" && next !== null && Object.keys(next).length > 0 && pick(4) > 0) {
      at = next as Record<string, unknown>;
      continue;
    }
    const kind = pick(4);
    if (kind === 0) delete at[key];
    else if (kind === 1) at[`extra${pick(3)}`] = VALUES[pick(VALUES.length)];
    else at[key] = VALUES[pick(VALUES.length)];
    return copy;
  }
}

/** Addresses with parameters that fit, nearly fit or do not, and every method that one of them knows. */
function oddAsk(pick: (n: number) => number, made: readonly string[]): { path: string; ask: Ask } {
  const work = Array.from({ length: 6 }, () => ["/v1/explanations", "/v1/jobs"]).flat();
  const paths = [...Object.keys(api.paths).filter((path) => !/events|metrics/.test(path)), ...work];
  const path = paths[pick(paths.length)]!;
  const methods = Object.keys(api.paths[path]!).map((name) => name.toUpperCase() as Ask["method"]);
  const id = (): string => {
    const odd = ["x", "..%2f..", "%00", "__proto__", "a".repeat(90), "1 or 1=1", "data_", "%F0%9F%98%80"];
    const plain = [
      "00000000-0000-4000-8000-000000000000",
      `data_${"0".repeat(32)}`,
      `model_${"f".repeat(32)}`,
    ];
    const among = [[...made, ...plain], odd, plain][pick(3)]!;
    return encodeURIComponent(among[pick(among.length)]!).replace(/%25/g, "%");
  };
  const values = [
    "1",
    "0",
    "-1",
    "201",
    "1e9",
    "NaN",
    "",
    "true",
    "de",
    "xx",
    "%00",
    "999999999999999999999",
  ];
  const names = ["limit", "before", "name", "locale", "erase", "data", "row", "date", "format", "nothing"];
  const words = Array.from({ length: pick(3) }, () => {
    const value = pick(3) === 0 ? id() : values[pick(values.length)]!;
    return `${names[pick(names.length)]!}=${value}`;
  });
  const url = path.replace(/\{\w+\}/g, id) + (words.length > 0 ? `?${words.join("&")}` : "");
  return { path, ask: { method: methods[pick(methods.length)]!, url } };
}

test(`${FUZZ_RUNS} odd requests to every address: never a crash, never 500, never an answer that is not described`, async () => {
  const random = stream(7, "requests");
  const pick = (n: number): number => random.int(Math.max(1, n));
  const types = [
    ...["application/json", "application/json", "text/csv"],
    ...["application/octet-stream", "text/plain", "a/b"],
  ];
  const jobs: string[] = [];
  const made: string[] = [];
  const seen = new Map<number, number>();
  for (let run = 0; run < FUZZ_RUNS; run++) {
    const { path, ask } = oddAsk(pick, made);
    const body = spoil(SEEDS[pick(SEEDS.length)], pick);
    const small = /constraints/.test(path) ? '{"freeze":["age"]}' : `a,b\n${pick(9)},2\n3,4\n`;
    const text = Buffer.from(pick(2) === 0 ? small : JSON.stringify(body));
    const payload = pick(3) === 0 ? Buffer.from(mutate(random, text)) : text;
    const fits = /data|counterfactuals/.test(path) ? "text/csv" : "application/json";
    const type = pick(5) === 0 ? types[pick(types.length)]! : fits;
    const key = pick(10) === 0 ? { "idempotency-key": `k${pick(5)}` } : {};
    const answer = await asked(path, {
      ...ask,
      ...(ask.method === "POST" ? { payload, headers: { "content-type": type, ...key } } : {}),
    });
    expect(answer.statusCode, `${ask.method} ${ask.url} ${type}\n${answer.body.slice(0, 500)}`).not.toBe(500);
    seen.set(answer.statusCode, (seen.get(answer.statusCode) ?? 0) + 1);
    if (answer.statusCode === 202) jobs.push(answer.json().id);
    if ([201, 202].includes(answer.statusCode)) made.push(answer.json().id);
    const id = answer.headers["explanation-id"];
    if (typeof id === "string") made.push(id);
  }
  for (const id of new Set(jobs)) {
    const job = (await app.inject(`/v1/jobs/${id}`)).statusCode === 404 ? undefined : await ended(app, id);
    const { code } = (job?.["error"] ?? {}) as { code?: string };
    expect(code, JSON.stringify(job)).not.toBe("INTERNAL");
  }
  figures("fuzzed requests", { runs: FUZZ_RUNS, statuses: Object.fromEntries(seen), jobs: jobs.length });
  for (const status of [200, 201, 202, 400, 404, ...(FUZZ_RUNS > 1000 ? [204] : [])])
    expect(seen.get(status) ?? 0, String(status)).toBeGreaterThan(0);
  expect((await app.inject("/health/ready")).statusCode).toBe(200);
}, 1_800_000);

test("deep, wide and odd bodies and addresses are refused with a problem", async () => {
  const json = { "content-type": "application/json" };
  const send = (payload: string, headers: Record<string, string> = json) =>
    app.inject({ method: "POST", url: "/v1/explanations", payload, headers });
  const bodies = [
    "[".repeat(100_000),
    `${'{"data":'.repeat(5000)}1${"}".repeat(5000)}`,
    `{"data":{"rows":${"[".repeat(20_000)}${"]".repeat(20_000)}}}`,
    '{"__proto__":{"polluted":true}}',
    '{"constructor":{"prototype":{"polluted":true}}}',
    "null",
    '"text"',
    "",
    "\u0000",
    `{"data":{"rows":[{"a":1,"a":2}]},"options":{"timeout":-1}}`,
    `{"data":{"rows":[{${Array.from({ length: 60 }, (_, k) => `"c${k}":${k}`).join(",")}}]}}`,
  ];
  for (const body of bodies) {
    const answer = await send(body);
    expect([400, 413, 415, 422], `${body.slice(0, 40)} → ${answer.body}`).toContain(answer.statusCode);
    expect(answer.json()).toMatchObject({ code: expect.any(String), status: answer.statusCode });
  }
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  for (const url of [
    "/v1/%zz",
    `/v1/jobs/${"a".repeat(5000)}`,
    "/v1/../../etc/passwd",
    "//",
    "/%00",
    "/..%2fpackage.json",
  ]) {
    expect([400, 404, 414], url).toContain((await app.inject({ url })).statusCode);
  }
});

test("docs/HTTP.md lists exactly the addresses and refusals there are", () => {
  const text = readFileSync("docs/HTTP.md", "utf8");
  const addresses = [...text.matchAll(/^\| `([A-Z]+ \/[^`]+)` \|/gm)].map((m) => m[1]!);
  const real = Object.entries(api.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(addresses.sort()).toEqual(real.sort());
  const codes = [...text.matchAll(/^\| `([A-Z_]+)` \| (\d+) \| (.+) \|$/gm)];
  const listed = codes.map(([, code, status, title]) => [code, { status: Number(status), title }]);
  expect(Object.fromEntries(listed)).toEqual(HTTP_PROBLEMS);
});
