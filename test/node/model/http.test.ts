import { afterEach, describe, expect, test } from "vitest";
import { type HttpModelOptions, httpModel } from "../../../node/model/http.ts";
import { checkModel } from "../../../src/contracts/model.ts";
import { type ColaError, isColaError } from "../../../src/errors.ts";
import { fromRows, rowOf } from "../../../src/num/matrix.ts";
import { stream } from "../../../src/num/random.ts";
import type { Matrix, Model } from "../../../src/types.ts";
import { arrivalOrderModel, everyAnswerModel } from "../../support/mutants/readers.ts";
import { type Fault, type ScoringServer, scoreRow, scoringServer } from "../../support/scoring-server.ts";

const open: ScoringServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});
const start = async (...args: Parameters<typeof scoringServer>): Promise<ScoringServer> => {
  const server = await scoringServer(...args);
  open.push(server);
  return server;
};
const failure = async (run: () => unknown): Promise<ColaError> => {
  try {
    await run();
  } catch (error) {
    if (isColaError(error)) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
};
const table = (rows: number): Matrix => {
  const random = stream(1, "http rows");
  return { data: Float64Array.from({ length: rows * 3 }, () => random.normal()), rows, cols: 3 };
};
const rows = table(25);
const expected = Array.from({ length: rows.rows }, (_, i) => scoreRow([...rowOf(rows, i)]));
const quick = { retryMs: 1, timeoutMs: 5000 } as const;

describe("protocols", () => {
  const twice = { outputs: ["no", "yes"] } as const;
  test.each<[string, Omit<HttpModelOptions, "url">, string]>([
    ["KServe V1", { protocol: "kserve-v1", modelName: "credit", ...twice }, "/v1/models/credit:predict"],
    ["KServe V2", { protocol: "kserve-v2", modelName: "credit", ...twice }, "/v2/models/credit/infer"],
    [
      "KServe V2 with a version and a named output",
      {
        protocol: "kserve-v2",
        modelName: "credit",
        modelVersion: "7",
        output: "probabilities",
        datatype: "FP32",
        ...twice,
      },
      "/v2/models/credit/versions/7/infer",
    ],
    [
      "KServe V2, one tensor per column",
      { protocol: "kserve-v2", modelName: "credit", layout: "columns", inputs: ["a", "b", "c"], ...twice },
      "/v2/models/credit/infer",
    ],
    ["MLflow without names", { protocol: "mlflow", ...twice }, "/invocations"],
    ["MLflow with names", { protocol: "mlflow", inputs: ["a", "b", "c"], ...twice }, "/invocations"],
  ])("%s", async (_name, options, path) => {
    const server = await start();
    const model = httpModel({ url: server.url, batchRows: 10, ...options });
    const scores = await model.predict(rows);
    scores.forEach((p, i) => {
      expect(p).toBeCloseTo(expected[i]!, 12);
    });
    (await model.predict(rows, 0)).forEach((p, i) => {
      expect(p).toBeCloseTo(1 - expected[i]!, 12);
    });
    expect(server.requests.every((request) => request.path === path)).toBe(true);
    expect(server.requests).toHaveLength(6);
    if (options.inputs) expect(model.inputs).toEqual(["a", "b", "c"]);
    expect((await checkModel(model, rows)).filter((law) => !law.ok)).toEqual([]);
  });

  test("plain JSON: one score per row, lists, records", async () => {
    const server = await start();
    const ask = (path: string, outputs?: readonly string[]): Promise<Float64Array> =>
      Promise.resolve(
        httpModel({ url: `${server.url}${path}`, protocol: "json", ...(outputs ? { outputs } : {}) }).predict(
          rows,
        ),
      );
    expect(Array.from(await ask("/score"))).toEqual(expected);
    expect(Array.from(await ask("/lists", ["no", "yes"]))).toEqual(expected);
    expect(Array.from(await ask("/pairs", ["no", "yes"]))).toEqual(expected);
    expect((await failure(() => ask("/pairs", ["bad", "good"]))).message).toMatch(/keys no, yes/);
    expect((await failure(() => ask("/lists"))).code).toBe("PREDICT_SHAPE");
  });

  test("levels leave by name, booleans as booleans, missing cells as null; V2 types them", async () => {
    const server = await start();
    const schema = {
      features: [
        { name: "amount", kind: "numeric" },
        { name: "dependants", kind: "integer" },
        { name: "owner", kind: "boolean" },
        { name: "job", kind: "categorical", categories: ["clerk", "nurse"] },
      ],
    } as const;
    const given = fromRows([
      [1.5, 2, 1, 0],
      [null, 3, 0, 1],
    ]);
    await httpModel({
      url: server.url,
      protocol: "kserve-v2",
      modelName: "credit",
      schema,
      outputs: ["0", "1"],
    }).predict(given);
    const named = httpModel({ url: server.url, protocol: "mlflow", schema, parameters: { t: 1 } });
    expect((await failure(() => named.predict(given))).code).toBe("PREDICT_NAN");
    expect(server.requests[0]!.body["inputs"]).toEqual([
      { name: "amount", shape: [2, 1], datatype: "FP64", data: [1.5, null] },
      { name: "dependants", shape: [2, 1], datatype: "INT64", data: [2, 3] },
      { name: "owner", shape: [2, 1], datatype: "BOOL", data: [true, false] },
      { name: "job", shape: [2, 1], datatype: "BYTES", data: ["clerk", "nurse"] },
    ]);
    expect(server.requests[1]!.body).toEqual({
      dataframe_split: {
        columns: ["amount", "dependants", "owner", "job"],
        data: [
          [1.5, 2, true, "clerk"],
          [null, 3, false, "nurse"],
        ],
      },
      params: { t: 1 },
    });
  });

  test("headers, and a token from the environment, are sent", async () => {
    const server = await start();
    process.env["COLA_TEST_TOKEN"] = "s3cret";
    const options = { url: `${server.url}/score`, protocol: "json", headers: { "x-tenant": "a" } } as const;
    await httpModel({ ...options, authEnv: "COLA_TEST_TOKEN" }).predict(rows);
    expect(server.requests[0]!.headers).toMatchObject({ authorization: "Bearer s3cret", "x-tenant": "a" });
    delete process.env["COLA_TEST_TOKEN"];
    expect((await failure(() => httpModel({ ...options, authEnv: "COLA_TEST_TOKEN" }))).code).toBe(
      "OPTION_INVALID",
    );
  });

  test("rows go out in batches, no more than `concurrency` at once", async () => {
    const server = await start([], { delayMs: () => 10 });
    const model = httpModel({ url: `${server.url}/score`, protocol: "json", batchRows: 2, concurrency: 3 });
    expect(Array.from(await model.predict(rows))).toEqual(expected);
    expect(server.requests).toHaveLength(13);
    expect(server.atOnce()).toBeGreaterThan(1);
    expect(server.atOnce()).toBeLessThanOrEqual(3);
  });
});

describe("what goes wrong", () => {
  const ask = async (
    faults: readonly (Fault | undefined)[],
    more: Partial<HttpModelOptions> = {},
  ): Promise<{ server: ScoringServer; answer: () => Promise<Float64Array> }> => {
    const server = await start(faults);
    const model = httpModel({ url: `${server.url}/score`, protocol: "json", ...quick, ...more });
    return { server, answer: async () => model.predict(rows) };
  };

  test.each<[string, Fault]>([
    ["429", { status: 429 }],
    ["503", { status: 503 }],
    ["502", { status: 502 }],
    ["a lost connection", "reset"],
    ["a body cut short", "truncated"],
  ])("%s is tried again, and the scores come once", async (_name, fault) => {
    const { server, answer } = await ask([fault, fault]);
    expect(Array.from(await answer())).toEqual(expected);
    expect(server.requests).toHaveLength(3);
  });

  test.each<[string, Fault]>([
    ["429", { status: 429 }],
    ["a lost connection", "reset"],
    ["a body cut short", "truncated"],
  ])("%s for ever ends in PREDICT_FAILED after `retries`", async (_name, fault) => {
    const { server, answer } = await ask(Array(9).fill(fault), { retries: 2 });
    const error = await failure(answer);
    expect(error.code).toBe("PREDICT_FAILED");
    expect(error.message).toMatch(/3 times/);
    expect(server.requests).toHaveLength(3);
  });

  test("Retry-After has precedence over the own wait, as seconds or as a date", async () => {
    const date = new Date(Date.now() - 1000).toUTCString();
    for (const after of ["0", date]) {
      const { answer } = await ask([{ status: 503, headers: { "retry-after": after } }], { retryMs: 30_000 });
      expect(Array.from(await answer())).toEqual(expected);
    }
  });

  test("a Retry-After beyond maxRetryMs ends the call at once", async () => {
    const { server, answer } = await ask([{ status: 429, headers: { "retry-after": "3600" } }]);
    expect((await failure(answer)).message).toMatch(/3600000 ms, longer than options.maxRetryMs/);
    expect(server.requests).toHaveLength(1);
  });

  test.each<[string, Fault, string, RegExp]>([
    ["a score missing", "short", "PREDICT_SHAPE", /25 rows were sent and 24 scores/],
    ["NaN", "nan", "PREDICT_NAN", /no number \(null or NaN\) for row 0 of a batch of 25/],
    ["labels", "labels", "PREDICT_FAILED", /not labels/],
    ["half an answer without a length", "half", "PREDICT_FAILED", /not complete JSON/],
    [
      "a redirect",
      { status: 307, headers: { location: "http://127.0.0.1:1/" } },
      "PREDICT_FAILED",
      /redirects \(307\)/,
    ],
    [
      "a refusal",
      { status: 400, body: "no such column\n" },
      "PREDICT_FAILED",
      /answered 400: no such column\. The model does not take the rows as they are sent: see its own columns, and options\.protocol\.$/,
    ],
    [
      "no token",
      { status: 401 },
      "PREDICT_FAILED",
      /answered 401\. Give the token it asks for \(options\.authEnv\)\.$/,
    ],
    [
      "a wrong path",
      { status: 404 },
      "PREDICT_FAILED",
      /answered 404\. See that the address is right, its path included\.$/,
    ],
    [
      "a fault of the server",
      { status: 500 },
      "PREDICT_FAILED",
      /answered 500\. The fault is the server's: its log says more\.$/,
    ],
    [
      "nothing",
      { status: 200 },
      "PREDICT_FAILED",
      /the answer is empty\. The model's address must answer with JSON/,
    ],
    [
      "a page to sign in",
      { status: 200, body: " <html>sign in" },
      "PREDICT_FAILED",
      /the answer is a web page or XML, not JSON\. .* see that it is the right one/,
    ],
    [
      "a complaint",
      { status: 200, body: '{"error":"no column dept"}' },
      "PREDICT_FAILED",
      /no "scores" or "predictions", only error; is options\.protocol right\? It says "no column dept"\.$/,
    ],
    ["an endless answer", "huge", "PREDICT_FAILED", /maxResponseBytes/],
  ])("%s is not tried again: %s %s", async (_name, fault, code, message) => {
    const { server, answer } = await ask([fault], { maxResponseBytes: 1_000_000 });
    const error = await failure(answer);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
    expect(server.requests).toHaveLength(1);
  });

  test("no answer within timeoutMs is PREDICT_TIMEOUT", async () => {
    const { answer } = await ask(["silent"], { timeoutMs: 60 });
    expect((await failure(answer)).code).toBe("PREDICT_TIMEOUT");
  });

  test("an answer with another id is not taken (KServe V2)", async () => {
    const server = await start(["other id"]);
    const model = httpModel({
      url: server.url,
      protocol: "kserve-v2",
      modelName: "credit",
      outputs: ["no", "yes"],
    });
    expect((await failure(() => model.predict(rows))).message).toMatch(/mixes up requests/);
  });

  test("nobody listening is PREDICT_FAILED with the reason", async () => {
    const server = await scoringServer();
    await server.close();
    const model = httpModel({ url: server.url, protocol: "json", retries: 1, retryMs: 1 });
    expect((await failure(() => model.predict(rows))).message).toMatch(/ECONNREFUSED.* 2 times/);
  });

  test("options.signal ends the requests", async () => {
    const stop = new AbortController();
    const { answer } = await ask(["silent"], { signal: stop.signal });
    setTimeout(() => stop.abort(), 20);
    expect((await failure(answer)).code).toBe("ABORTED");
  });

  test("one failed batch ends the others", async () => {
    const { answer } = await ask([{ status: 400 }, "silent", "silent"], { batchRows: 5, concurrency: 3 });
    expect((await failure(answer)).message).toMatch(/answered 400/);
  });

  test.each<[string, Partial<HttpModelOptions>]>([
    ["no URL", { url: "localhost" }],
    ["a file", { url: "file:///etc/passwd" }],
    ["a password in the URL", { url: "http://a:b@localhost" }],
    ["no model name", { url: "http://localhost", protocol: "kserve-v1" }],
    ["batches of nothing", { url: "http://localhost", batchRows: 0 }],
    ["no requests at all", { url: "http://localhost", concurrency: 0 }],
    ["a schema of another size", { url: "http://localhost", inputs: ["a"], schema: { features: [] } }],
  ])("%s is OPTION_INVALID", async (_name, options) => {
    const run = (): Model => httpModel({ protocol: "json", ...options } as HttpModelOptions);
    expect((await failure(run)).code).toBe("OPTION_INVALID");
  });
});

/** The law of remote models: whatever fails and however late answers come, each row gets its own score, once. */
async function onceLaw(make: (url: string) => Model): Promise<void> {
  const random = stream(7, "http faults");
  const kinds: (Fault | undefined)[] = [
    { status: 429 },
    { status: 503 },
    "reset",
    "truncated",
    undefined,
    undefined,
  ];
  for (let run = 0; run < 4; run++) {
    const faults = Array.from({ length: 12 }, () => kinds[random.int(kinds.length)]);
    const server = await scoringServer(faults, { delayMs: () => random.int(8) });
    try {
      expect(Array.from(await make(`${server.url}/score`).predict(rows))).toEqual(expected);
    } finally {
      await server.close();
    }
  }
}

describe("nothing is sent twice as two results", () => {
  test("under random faults and delays every row has its own score", async () => {
    await onceLaw((url) => httpModel({ url, protocol: "json", batchRows: 4, retries: 20, ...quick }));
  });

  test.each([
    ["answers are taken in the order they arrive", arrivalOrderModel],
    ["a batch that is sent again is scored again", everyAnswerModel],
  ])("the law notices when %s", async (_name, make) => {
    await expect(onceLaw(make)).rejects.toThrow();
  });
});
