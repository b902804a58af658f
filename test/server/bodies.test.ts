import { createHash, randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { writeCsv } from "../../formats/index.ts";
import { PIECE, sha256 } from "../../node/store/blobs.ts";
import { DEFAULT_LIMITS } from "../../server/config.ts";
import { listen } from "../../server/listen.ts";
import { keep } from "../../server/run/keep.ts";
import type { Recipe } from "../../server/run/recipe.ts";
import { checkBody } from "../../server/schemas/body.ts";
import { faultOfText } from "../../server/text-fault.ts";
import { loans } from "../../src/data/loans.ts";
import { checkWholeBody } from "../support/mutants/server.ts";
import { refuses } from "../support/refuses.ts";
import { freshFolder, openStore, testApp } from "../support/server.ts";

let app: Awaited<ReturnType<typeof testApp>>;
beforeAll(async () => {
  app = await testApp();
});
afterAll(async () => {
  await app.close();
  rmSync(app.folder, { recursive: true, force: true });
});

const json = { "content-type": "application/json" };
const send = (payload: string | Buffer, headers: Record<string, string> = json, url = "/v1/explanations") =>
  app.inject({ method: "POST", url, payload, headers });
/** A refusal is short, however large what it refuses. */
const SHORT = 5000;

describe("a body that does not fit", () => {
  test("is read no further than its first fault", async () => {
    const endsEarly = async (check: typeof checkBody): Promise<void> => {
      let looked = 0;
      const good = { a: 1, b: "x", c: null, d: true };
      const bad = new Proxy({ a: [] } as object, {
        ownKeys: (row) => {
          looked++;
          return Reflect.ownKeys(row);
        },
      });
      const factuals = [good, ...Array.from({ length: 1000 }, () => bad)];
      const refused = check(DEFAULT_LIMITS)({ body: { factuals } });
      await expect(refused).rejects.toMatchObject({
        code: "REQUEST_INVALID",
        message: expect.stringMatching(/^\/factuals\/1\/a: must be .{1,200}$/),
      });
      expect(looked).toBe(1);
    };
    await endsEarly(checkBody);
    await refuses(() => endsEarly(checkWholeBody));
  });

  test("is refused in a few words", async () => {
    const many = (n: number, one: (k: number) => string): string =>
      Array.from({ length: n }, (_, k) => one(k)).join(",");
    const cases: readonly (readonly [string, number, RegExp])[] = [
      [`{"factuals":[${many(150_000, () => '{"a":[]}')}]}`, 400, /\/factuals\/0\/a: must be/],
      [`{"data":{"rows":[${many(150_000, () => "[]")}]}}`, 400, /\/data\/rows\/0: must be an object/],
      [`{"data":{"rows":[${many(200_001, () => '{"a":1}')}]}}`, 413, /200001 rows, more than 200000/],
      [`{"data":{"rows":[{${many(2000, (k) => `"c${k}":1`)}}]}}`, 413, /more than 1000 columns/],
      ['{"counterfactuals":{"rows":[]}}', 400, /\/counterfactuals\/rows: must be a list of at least one/],
      ['{"data":{"rows":[{"a":1e999}]}}', 400, /finite number/],
      ['{"data":{}}', 400, /\/data/],
      ['{"constraints":{"features":{"age":{"min":90,"max":10}}}}', 400, /age\/min: min is above max/],
      [
        '{"schema":{"features":[{"name":"a","kind":"numeric","min":1,"max":0}]}}',
        400,
        /features\/0\/min: min/,
      ],
      [`{${many(50_000, (k) => `"unknown${k}":1`)}}`, 400, /"unknown0".*"unknown4" and 49995 more/],
      [`{${many(70_000, (k) => `"unknown${k}":1`)}}`, 413, /more than 60000 keys/],
      [`{"schema":{"features":[${many(70_000, () => "1")}]}}`, 413, /more than 60000 values/],
      [`{"data":${"[".repeat(300)}${"]".repeat(300)}}`, 413, /More than 200 objects and lists/],
      [`{"${"k".repeat(100_000)}":1}`, 400, /Unrecognized key/],
      [`{"constraints":{"freeze":[${many(9000, () => "3")}]}}`, 400, /\/constraints/],
    ];
    for (const [body, status, words] of cases) {
      const answer = await send(body);
      expect([answer.statusCode, answer.json().status], answer.body.slice(0, 300)).toEqual([status, status]);
      expect(answer.json().detail).toMatch(words);
      expect(answer.body.length).toBeLessThan(SHORT);
    }
  });

  test("is not taken for JSON when it says it is something else", async () => {
    for (const type of ["text/plain", "text/csv", "application/octet-stream"]) {
      for (const url of ["/v1/explanations", "/v1/jobs", "/v1/constraints"]) {
        const answer = await send('{"options":{"rows":1}}', { "content-type": type }, url);
        expect([answer.statusCode, answer.json().code], `${url} ${type}`).toEqual([415, "MEDIA_TYPE"]);
      }
    }
  });
});

test("keys are counted per object, outside of strings only", () => {
  const fits = (value: unknown, most: number): boolean =>
    faultOfText(JSON.stringify(value), most) === undefined;
  const odd = { 'a":{"b': 1, "c\\": '::\\":', d: [{ e: 1 }, { f: { g: ":" } }] };
  expect([fits(odd, 3), fits(odd, 2)]).toEqual([true, false]);
  expect(fits([odd, odd, odd], 3)).toBe(true);
  for (const text of ["", '"', '"\\', "}}}]", '{"a', ":::"]) expect(faultOfText(text)).toBeUndefined();
});

test("rows of every kind of cell are taken as they are", async () => {
  const rows = [
    { a: 1, b: "x", yes: false },
    { a: 2, b: null, yes: false },
    { a: 3, b: "x", yes: false },
    { a: 7, b: "y", yes: true },
    { a: 8, b: "y", yes: true },
    { a: 9, b: "y", yes: true },
  ];
  const answer = await app.inject({
    method: "POST",
    url: "/v1/explanations",
    payload: { data: { rows }, options: { label: "yes", rows: 1 } },
  });
  expect(answer.statusCode, answer.body).toBe(200);
});

test("letters of another encoding are refused, not lost; a byte order mark is not read", async () => {
  const rows = (count: number) => Array.from({ length: count }, (_, i) => ({ town: "Köln", a: i }));
  for (const count of [3, 20_000]) {
    const text = JSON.stringify({ data: { rows: rows(count) }, options: { label: "town", rows: 1 } });
    const given = (payload: Buffer) => send(payload, json, "/v1/jobs");
    const other = await given(Buffer.from(text, "latin1"));
    expect([other.statusCode, other.json().detail], String(count)).toEqual([
      400,
      expect.stringMatching(/UTF-8/),
    ]);
    expect((await given(Buffer.from(text, "utf16le"))).statusCode).toBe(400);
    const marked = await given(Buffer.from(`\ufeff${text}`));
    expect(marked.statusCode, marked.body).toBe(202);
    await app.inject({ method: "DELETE", url: `/v1/jobs/${marked.json().id}` });
  }
});

/** The longest text that this thread reads or writes as JSON. */
function longestText(): { longest(): number; forget(): void; end(): void } {
  let longest = 0;
  const seen = (text: unknown): void => {
    if (typeof text === "string") longest = Math.max(longest, text.length);
  };
  const { parse, stringify } = JSON;
  const spies = [
    vi.spyOn(JSON, "parse").mockImplementation((text, reviver) => {
      seen(text);
      return parse(text, reviver);
    }),
    vi.spyOn(JSON, "stringify").mockImplementation(((...given: Parameters<typeof stringify>) => {
      const text = stringify(...given);
      seen(text);
      return text;
    }) as typeof stringify),
  ];
  return {
    longest: () => longest,
    forget: () => {
      longest = 0;
    },
    end: () => {
      for (const spy of spies) spy.mockRestore();
    },
  };
}

test("a large result leaves piece by piece, and this thread never holds its text", async () => {
  const folder = await freshFolder();
  const store = await openStore(folder);
  const bytes = Buffer.from(JSON.stringify({ rows: Array.from({ length: 46 }, () => "x".repeat(PIECE)) }));
  const result = await store.blobs.put(bytes, "json");
  const id = randomUUID();
  const recipe: Recipe = {
    ...{ version: 1, data: null, schema: null, constraints: null, factuals: null, encoding: null },
    ...{ model: { train: "tree" }, options: { timeout: 1 } },
  };
  const computed = { result, model: "m", seed: 0, runHash: "h" };
  await keep(store, { id, owner: "local", recipe, computed }, async () => true);
  await store.close();
  const own = await testApp({ folder });
  const url = await listen(own, "127.0.0.1", 0);
  const texts = longestText();
  try {
    const { body, headers } = await fetch(`${url}/v1/explanations/${id}`, {
      headers: { "accept-encoding": "identity" },
    });
    expect(Number(headers.get("content-length"))).toBe(bytes.length);
    const hash = createHash("sha256");
    for await (const part of body!) hash.update(part);
    expect(hash.digest("hex")).toBe(result.slice(0, 64));
    expect(texts.longest()).toBeLessThan(2 ** 18);
  } finally {
    texts.end();
    await own.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

describe("a large body", () => {
  const rows = Array.from({ length: 60_000 }, (_, i) => ({
    age: 20 + (i % 50),
    income: 1000 + i,
    granted: i % 3 === 0,
  }));
  const options = { label: "granted", rows: 1 };
  const bodies = {
    rows: JSON.stringify({ data: { rows }, factuals: rows.slice(0, 3000), options }),
    csv: JSON.stringify({ data: { csv: writeCsv(loans().table).repeat(8) }, options }),
    counterfactuals: JSON.stringify({
      data: { rows },
      counterfactuals: { rows: rows.slice(0, 9000) },
      options,
    }),
  };

  test("is read, told from others and kept without this thread ever holding its text", async () => {
    const texts = longestText();
    try {
      for (const [name, payload] of Object.entries(bodies)) {
        expect(payload.length, name).toBeGreaterThan(400_000);
        const sent = () => send(payload, { ...json, "idempotency-key": name }, "/v1/jobs");
        texts.forget();
        const [first, again] = [await sent(), await sent()];
        expect([first.statusCode, again.statusCode], first.body).toEqual([202, 202]);
        expect(again.json().id).toBe(first.json().id);
        expect(texts.longest(), name).toBeLessThan(2 ** 18);
        await app.inject({ method: "DELETE", url: `/v1/jobs/${first.json().id}` });
      }
    } finally {
      texts.end();
    }
  });

  test("is kept as the bytes of a small one, and refused in the same words", async () => {
    const { about } = (await send(bodies.rows, json, "/v1/jobs")).json();
    expect(about.data).toBe(sha256(JSON.stringify(rows)));
    const answers = await Promise.all(
      [3, 60_000].map(async (count) => {
        const some = rows.slice(0, count);
        const bad = (change: object) => send(JSON.stringify({ data: { rows: some }, options, ...change }));
        const poisoned = JSON.stringify({ data: { rows: some } }).replace("{", '{"__proto__":{"x":1},');
        const all = [
          bad({ factuals: [{ age: [] }] }),
          bad({ unknown: 1 }),
          bad({ options: { rows: -1 } }),
          send(poisoned),
          send(poisoned.replace("__proto__", "constructor").replace('{"x":1}', '{"prototype":1}')),
          send(`${JSON.stringify({ data: { rows: some } })}}`),
          bad({ data: { rows: some, csv: "a,b" } }),
        ];
        return (await Promise.all(all)).map((answer) => [answer.statusCode, answer.json().detail]);
      }),
    );
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[0]!.every(([status]) => status === 400)).toBe(true);
    const shown = { bytes: [1, 2], count: 5, digest: "0".repeat(64) };
    expect(
      (await send(JSON.stringify({ data: { rows: shown } }))).statusCode,
      "bytes cannot be made up",
    ).toBe(400);
  });
});
