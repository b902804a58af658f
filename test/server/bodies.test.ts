import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../../server/config.ts";
import { faultOfText } from "../../server/json-body.ts";
import { checkBody } from "../../server/schemas/body.ts";
import { checkWholeBody } from "../support/mutants/server.ts";
import { refuses } from "../support/refuses.ts";
import { testApp } from "../support/server.ts";

let app: Awaited<ReturnType<typeof testApp>>;
beforeAll(async () => {
  app = await testApp();
});
afterAll(async () => {
  await app.close();
  rmSync(app.folder, { recursive: true, force: true });
});

const json = { "content-type": "application/json" };
const send = (payload: string, headers: Record<string, string> = json, url = "/v1/explanations") =>
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
