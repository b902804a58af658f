import { existsSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { sweepOrphans } from "../../node/retention.ts";
import { putResource } from "../../node/store/resources.ts";
import { createQuota } from "../../server/quota.ts";
import { putOnce, quotaOfTheStored } from "../support/mutants/server.ts";
import { refuses } from "../support/refuses.ts";
import { freshFolder, openStore, testApp } from "../support/server.ts";

const LIMIT = 10_000;
/** One for each test: they share a server, not what they may keep. */
const keys = Array.from({ length: 10 }, (_, k) => ({ owner: `owner${k}`, secret: `secret-of-owner-${k}` }));
let app: Awaited<ReturnType<typeof testApp>>;
let [turn, before] = [0, 0];
let key: Record<string, string> = {};
beforeAll(async () => {
  app = await testApp({ keys, limits: { ownerBytes: LIMIT } });
});
beforeEach(() => {
  key = { "x-api-key": keys[turn++]!.secret };
  before = files(app.folder).length;
});
afterAll(async () => {
  await app.close();
  rmSync(app.folder, { recursive: true, force: true });
});

const csv = { "content-type": "text/csv" };
/** Content of one's own, so that a stored file is never somebody else's. */
const table = (k: number, bytes = 6000): string => `a,b\n${turn},${k}\n${"1,2\n".repeat(bytes / 4)}`;
const post = (url: string, payload: object | string, headers: Record<string, string> = {}) =>
  app.inject({ method: "POST", url, payload, headers: { ...key, ...headers } });
const get = (url: string) => app.inject({ url, headers: key });
const statuses = async (answers: readonly ReturnType<typeof post>[]): Promise<number[]> =>
  (await Promise.all(answers)).map(({ statusCode }) => statusCode).sort();
const files = (folder: string): string[] =>
  readdirSync(join(folder, "files"), { recursive: true, encoding: "utf8" }).filter((name) =>
    name.includes("."),
  );
const newFiles = (): number => files(app.folder).length - before;

describe("what an owner may keep", () => {
  test("bounds the disk: a refused upload leaves no file, one after the other or at once", async () => {
    expect((await post("/v1/data", table(0), csv)).statusCode).toBe(201);
    expect((await post("/v1/data", table(1), csv)).json()).toMatchObject({ status: 507, code: "QUOTA" });
    expect(await statuses([2, 3, 4].map((k) => post("/v1/data", table(k), csv)))).toEqual([507, 507, 507]);
    const freeze = Array.from({ length: 1000 }, (_, k) => `column${k}`);
    expect((await post("/v1/constraints", { freeze })).statusCode).toBe(507);
    expect(newFiles()).toBe(1);
  });

  test("is counted for what is on its way, too", async () => {
    const made = await freshFolder();
    const store = await openStore(made);
    const holds = async (create: typeof createQuota): Promise<void> => {
      await store.db.query("delete from reserved");
      const quota = create(store.db, LIMIT - 4000);
      let [stored, most] = [0, 0];
      const one = () =>
        quota.within("ada", 4000, async () => {
          most = Math.max(most, ++stored);
          await new Promise((resolve) => setTimeout(resolve, 5));
          stored--;
        });
      await Promise.allSettled([one(), one(), one()]);
      expect(most).toBeLessThanOrEqual(1);
    };
    await holds(createQuota);
    await refuses(() => holds(quotaOfTheStored));
    await store.close();
    rmSync(made, { recursive: true, force: true });
  });

  test("holds for data within requests, and the same content counts once", async () => {
    const ask = (k: number, more: object = {}) =>
      post("/v1/explanations", { data: { csv: table(k) }, options: { label: "nobody" }, ...more });
    const first = await ask(0);
    expect(first.statusCode, first.body).toBe(422);
    expect((await ask(0)).statusCode).toBe(422);
    expect((await ask(1)).json()).toMatchObject({ status: 507, code: "QUOTA" });
    expect((await post("/v1/jobs", { data: { csv: table(2) } })).statusCode).toBe(507);
    expect((await post("/v1/data", table(3), csv)).statusCode).toBe(507);
    expect(newFiles()).toBe(1);
  });

  test("is looked at after names and hosts: nothing of a refused request is stored", async () => {
    const data = { csv: table(0) };
    for (const [model, status] of [
      [{ id: `model_${"0".repeat(32)}` }, 404],
      [{ url: "http://models.example/" }, 403],
    ] as const)
      expect((await post("/v1/explanations", { data, model })).statusCode).toBe(status);
    const constraints = { id: `constraints_${"0".repeat(32)}` };
    expect((await post("/v1/jobs", { data, constraints })).statusCode).toBe(404);
    expect((await post("/v1/jobs", { data, options: { freeze: ["a".repeat(70_000)] } })).statusCode).toBe(
      400,
    );
    const freeze = Array.from({ length: 100 }, (_, k) => `${"a".repeat(900)}${k}`);
    expect((await post("/v1/jobs", { data, options: { freeze } })).statusCode).toBe(413);
    expect(newFiles()).toBe(0);
  });

  test("does not stand in the way of what is stored already", async () => {
    expect((await post("/v1/data?name=one", table(0), csv)).statusCode).toBe(201);
    const again = await post("/v1/data?name=two", table(0), csv);
    expect([again.statusCode, again.json().name]).toEqual([201, "two"]);
  });
});

describe("uploads", () => {
  test("of the same bytes with another type are read anew", async () => {
    const text = "income, k\tdebt, k\n10, a\t2, b\n11, a\t3, b\n12, b\t3, a\n";
    const wrong = (await post("/v1/data", text, csv)).json();
    expect(wrong.about).toMatchObject({ format: "csv" });
    const right = (await post("/v1/data", text, { "content-type": "text/tab-separated-values" })).json();
    expect(right.id).toBe(wrong.id);
    expect(right.about).toMatchObject({ format: "tsv", columns: ["income, k", "debt, k"] });
    expect((await get(`/v1/data/${right.id}`)).json().about).toEqual(right.about);
  });

  test("are listed page by page, by name only; a page after nothing is refused", async () => {
    for (const k of [1, 2, 3])
      expect((await post(`/v1/constraints?name=c${k}`, { freeze: [`f${k}`] })).statusCode).toBe(201);
    const first = (await get("/v1/constraints?limit=2")).json();
    expect(first.items.map(({ name }: { name: string }) => name)).toEqual(["c3", "c2"]);
    expect(Object.keys(first.items[0])).not.toContain("about");
    const second = (await get(`/v1/constraints?limit=2&before=${first.next}`)).json();
    expect(second).toMatchObject({ items: [{ name: "c1" }], next: null });
    for (const url of [
      `/v1/constraints?before=constraints_${"0".repeat(32)}`,
      "/v1/jobs?before=00000000-0000-4000-8000-000000000000",
    ])
      expect((await get(url)).statusCode, url).toBe(404);
    const large = { freeze: Array.from({ length: 9000 }, () => "x".repeat(200)) };
    expect((await post("/v1/constraints", large)).json()).toMatchObject({ code: "BODY_TOO_LARGE" });
  });

  test("and jobs are listed without what may be long", async () => {
    const { id } = (await post("/v1/jobs", { options: { rows: 1, freeze: ["age"] } })).json();
    const { jobs } = (await get("/v1/jobs")).json();
    expect(jobs[0]).toMatchObject({ id, about: { data: null, model: { train: "logistic" } } });
    expect(Object.keys(jobs[0].about)).not.toContain("options");
    expect((await get(`/v1/jobs/${id}`)).json().about.options).toMatchObject({ freeze: ["age"] });
  });
});

test("files of refused requests are forgotten after a day, and are free for the quota again", async () => {
  const folder = await freshFolder();
  const first = await testApp({ folder, limits: { ownerBytes: LIMIT } });
  const ask = (k: number, options: object) =>
    first.inject({ method: "POST", url: "/v1/explanations", payload: { data: { csv: table(k) }, options } });
  expect((await ask(0, { label: "nobody" })).statusCode).toBe(422);
  expect((await first.inject({ method: "POST", url: "/v1/constraints", payload: {} })).statusCode).toBe(201);
  expect((await ask(1, { label: "nobody" })).statusCode).toBe(507);
  await first.close();
  const store = await openStore(folder);
  expect(files(folder)).toHaveLength(2);
  expect(await sweepOrphans(store)).toBe(0);
  const old = new Date(Date.now() - 2 * 86_400_000);
  for (const name of files(folder)) utimesSync(join(folder, "files", name), old, old);
  expect(await sweepOrphans(store)).toBe(1);
  expect(await store.db.query("select ref from inline_files")).toEqual([]);
  // What is being written is nobody's yet, and what was for a day is what a killed process left.
  const [young, cut] = ["a", "b"].map((name) => join(folder, "files", `.${name.repeat(12)}.part`));
  for (const path of [young!, cut!]) writeFileSync(path, "");
  utimesSync(cut!, old, old);
  await sweepOrphans(store);
  expect([young!, cut!].map((path) => existsSync(path))).toEqual([true, false]);
  rmSync(young!);
  await store.close();
  expect(files(folder)).toHaveLength(1);
  rmSync(folder, { recursive: true, force: true });
});

test("a resource is what its bytes were read as last", async () => {
  const folder = await freshFolder();
  const store = await openStore(folder);
  const readAnew = async (put: typeof putResource): Promise<void> => {
    const digest = "0".repeat(64);
    const upload = { owner: "ada", kind: "data", name: "x", bytes: 1 } as const;
    await put(store.db, { ...upload, ref: `${digest}.csv`, about: '{"format":"csv"}' });
    const last = await put(store.db, { ...upload, ref: `${digest}.tsv`, about: '{"format":"tsv"}' });
    expect(last).toMatchObject({ ref: `${digest}.tsv`, about: '{"format":"tsv"}' });
    await store.db.script("delete from resources where owner = 'ada'");
  };
  await readAnew(putResource);
  await refuses(() => readAnew(putOnce));
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});
