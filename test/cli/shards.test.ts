import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { shardsOf } from "../../cli/shards.ts";
import type { Explanation } from "../../src/explanation.ts";
import { cola } from "../support/cli.ts";
import { COMMAND } from "../support/command.ts";
import { expectSameFiles } from "../support/folder.ts";

const folder = mkdtempSync(join(tmpdir(), "cola-shards-"));
const at = (name: string): string => join(folder, name);
const FORMATS = ["--formats", "csv"];
const soon = (): Promise<void> => new Promise((done) => setTimeout(done, 2));

/** A scorer that counts what it is asked, takes its time where a run is to be stopped, and does not answer from the request `holdFrom` on. */
let server: Server;
let address = "";
let scored = 0;
let requests = 0;
/** Another number is another model behind the same address. */
let shift = 0;
let holdFrom = Number.POSITIVE_INFINITY;
let pauseMs = 0;
beforeAll(async () => {
  server = createServer(async (request, response) => {
    const { rows } = JSON.parse(Buffer.concat(await request.toArray()).toString()) as { rows: number[][] };
    scored += rows.length;
    requests++;
    if (requests >= holdFrom) return;
    if (pauseMs > 0) await new Promise((done) => setTimeout(done, pauseMs));
    const scores = rows.map((row) => 1 / (1 + Math.exp((Number(row[3]) - 0.6 * Number(row[1])) / 4 + shift)));
    response.end(JSON.stringify({ scores }));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { code, err } = await cola(...run("calm", "--shard-rows", "3"));
  expect(code, err).toBe(0);
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

const ROWS = 12;
const run = (out: string, ...more: string[]): string[] => [
  ...["explain", "--data", "examples/parts/loans.csv", "--id", "id", "--model", address],
  ...["--rows", String(ROWS), "--out", at(out), ...FORMATS, ...more],
];

interface Stop {
  readonly signal: "SIGKILL" | "SIGINT" | "SIGTERM";
  /** Send it when the model is asked this often and waited for; default: once the first shard is kept. */
  readonly request?: number;
  readonly options?: readonly string[];
  /** Default: `explain` of the rows of this file. */
  readonly words?: readonly string[];
}

/** Starts the command in a process of its own and stops it in the middle. */
async function stopped(out: string, stop: Stop): Promise<{ code: number | null; err: string }> {
  [requests, holdFrom, pauseMs] = [0, stop.request ?? Number.POSITIVE_INFINITY, 15];
  const words = stop.words ?? run(out, ...(stop.options ?? ["--shard-rows", "3"]));
  const child = spawn(process.execPath, [...COMMAND, ...words]);
  let err = "";
  child.stderr.on("data", (data: Buffer) => {
    err += data.toString();
  });
  const ended = new Promise<number | null>((done) => child.on("exit", done));
  const shards = at(`${out}/.shards`);
  const kept = (): boolean =>
    existsSync(shards) && readdirSync(shards).some((name) => name.endsWith(".shard"));
  const ready = (): boolean => (stop.request === undefined ? kept() : requests >= stop.request);
  while (!ready() && child.exitCode === null) await soon();
  child.kill(stop.signal);
  const code = await ended;
  [holdFrom, pauseMs] = [Number.POSITIVE_INFINITY, 0];
  return { code, err };
}

const read = (path: string): Explanation => JSON.parse(readFileSync(at(path), "utf8")) as Explanation;

/** Shards that are kept, by their paths. */
const shardFiles = (out: string): string[] =>
  readdirSync(at(`${out}/.shards`))
    .filter((name) => name.endsWith(".shard"))
    .map((name) => join(at(out), ".shards", name));
/** The rows of a kept shard, behind its digest and what it adds to the whole. */
const readShard = (path: string): Pick<Explanation, "rows"> => ({
  rows: readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .slice(2)
    .map((row) => JSON.parse(row) as Explanation["rows"][number]),
});

const expectSame = (one: string, other: string): void => expectSameFiles(at(one), at(other));

/** The files of a stopped run are whole: rows that are done are those of the calm run, the others say they are not. */
function expectPart(out: string): number {
  const files = readdirSync(at(out)).filter((name) => name !== ".shards");
  expect(files.sort()).toEqual(expect.arrayContaining(readdirSync(at("calm")).sort()));
  const [part, whole] = [read(`${out}/explanation.json`), read("calm/explanation.json")];
  expect(part.rows.length).toBe(ROWS);
  const done = part.rows.filter((row) => row.status === "ok").length;
  expect(part.rows.slice(0, done)).toEqual(whole.rows.slice(0, done));
  for (const [i, row] of part.rows.entries()) {
    expect([row.id, row.x]).toEqual([whole.rows[i]!.id, whole.rows[i]!.x]);
    if (i >= done)
      expect(row).toMatchObject({
        status: "budget",
        reason: "the run was stopped before it came to this row.",
        valid: false,
        edits: [],
      });
  }
  return done;
}

test("shards follow each other, double in size, and hold every row once", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3000 }), fc.integer({ min: 1, max: 1200 }), (rows, size) => {
      const shards = shardsOf(rows, size);
      expect(shards[0]![0]).toBe(0);
      expect(shards.at(-1)![1]).toBe(rows);
      shards.forEach(([from, to], s) => {
        expect(from).toBe(s === 0 ? 0 : shards[s - 1]![1]);
        expect(to - from).toBeGreaterThan(0);
        expect(to - from).toBeLessThanOrEqual(Math.min(size, from + 1));
      });
    }),
  );
  expect(shardsOf(12, 3)).toEqual([
    [0, 1],
    [1, 3],
    [3, 6],
    [6, 9],
    [9, 12],
  ]);
});

test.each([
  ["the embedded data", ["--rows", "12", "--alternatives", "2"]],
  ["rows without a plan", ["--rows", "12", "--vary", "savings,housing"]],
])("sharded or not, the bytes are the same, and no shard stays: %s", async (name, options) => {
  const codes = new Set<number>();
  for (const rows of ["100", "7", "1"]) {
    const { code } = await cola(
      "explain",
      ...options,
      "--out",
      at(`${name} ${rows}`),
      ...FORMATS,
      "--shard-rows",
      rows,
    );
    codes.add(code);
  }
  expect(codes.size).toBe(1);
  expectSame(`${name} 100`, `${name} 7`);
  expectSame(`${name} 100`, `${name} 1`);
});

test("so they are for a model that is only asked", async () => {
  for (const [out, rows] of Object.entries({ one: "1", whole: "100" })) {
    const { code, err } = await cola(...run(out, "--shard-rows", rows));
    expect(code, err).toBe(0);
  }
  expectSame("calm", "one");
  expectSame("calm", "whole");
});

test("a killed run leaves no half file, and the same command goes on where it was", async () => {
  await stopped("killed", { signal: "SIGKILL" });
  expect(readdirSync(at("killed"))).toEqual([".shards"]);
  const kept = shardFiles("killed");
  expect(kept.length).toBeGreaterThan(0);
  expect(kept.length).toBeLessThan(5);
  for (const name of kept) expect([1, 2, 3]).toContain(readShard(name).rows.length);
  scored = 0;
  const again = await cola(...run("killed", "--shard-rows", "3"));
  expect(again.code, again.err).toBe(0);
  const resumed = scored;
  scored = 0;
  await cola(...run("fresh", "--shard-rows", "3"));
  expect(resumed).toBeLessThan(scored);
  expectSame("calm", "killed");
  expect(existsSync(at("killed/.shards"))).toBe(false);
});

test("Ctrl-C gives the rows that are done, and the same command goes on", async () => {
  const options = ["--shard-rows", "100"];
  const { code, err } = await stopped("interrupted", { signal: "SIGINT", options });
  expect(code, err).toBe(4);
  const done = expectPart("interrupted");
  expect(done).toBeGreaterThan(0);
  expect(done).toBeLessThan(ROWS);
  expect(err).toContain(`stopped: ${done} of 12 rows are explained, the others were not reached`);
  expect(err).toContain("goes on from there");
  const again = await cola(...run("interrupted", ...options));
  expect(again.code, again.err).toBe(0);
  expectSame("calm", "interrupted");
});

test("--timeout keeps what is done, and the same command with more time goes on from there", async () => {
  let seconds = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => 1000 * seconds++);
  onTestFinished(() => clock.mockRestore());
  const timed = (limit: number) => cola(...run("timed", "--shard-rows", "3", "--timeout", String(limit)));
  expect((await timed(1e6)).code).toBe(0);
  const late = await timed(Math.round(0.7 * seconds));
  expect(late.code, late.err).toBe(4);
  const done = Number(/^stopped: (\d+) of 12 rows/m.exec(late.err)?.[1]);
  expect(done).toBeGreaterThan(0);
  expect(done).toBeLessThan(ROWS);
  const whole = read("calm/explanation.json").rows;
  const part = read("timed/explanation.json").rows;
  const plans = (rows: Explanation["rows"]) => rows.map(({ id, edits, after }) => [id, edits, after]);
  expect(plans(part.filter(({ status }) => status === "ok"))).toEqual(plans(whole.slice(0, done)));
  expect(shardFiles("timed").length).toBeGreaterThan(0);
  expect((await timed(1e6)).code).toBe(0);
  expect(read("timed/explanation.json").rows).toEqual(whole);
  expect(existsSync(at("timed/.shards"))).toBe(false);
});

test("Ctrl-C before the first row is done says of every row that it was not reached", async () => {
  const { code, err } = await stopped("early", {
    signal: "SIGINT",
    request: 3,
    options: ["--formats", "html,csv"],
  });
  expect(code, err).toBe(4);
  expect(readFileSync(at("early/report.html"), "utf8")).toMatch(
    /before it came to this row[\s\S]*<\/html>\n$/,
  );
  expect(expectPart("early")).toBe(0);
  expect(err).toContain("stopped: 0 of 12 rows are explained");
});

test("SIGTERM in a run that cannot be sharded leaves whole files, as Ctrl-C does", async () => {
  const options = ["--effect", "0.8", "--shard-rows", "3"];
  const { code, err } = await stopped("joined", { signal: "SIGTERM", request: 4, options });
  expect(code, err).toBe(4);
  expect(expectPart("joined")).toBe(0);
  expect(err).toMatch(/^not sharded: --effect is a goal of all rows together/m);
  expect(err).toContain("the same command starts again from the beginning");
});

test("Ctrl-C before the rows are chosen has nothing to give", async () => {
  const { code, err } = await stopped("nothing", { signal: "SIGINT", request: 1 });
  expect(code).toBe(4);
  expect(err).toMatch(/\[ABORTED\]/);
  expect(existsSync(at("nothing"))).toBe(false);
});

test.each([
  ["--effect is a goal of all rows together", ["--effect", "0.5"]],
  ["--budget is shared by all rows", ["--budget", "3"]],
  ["--coupling transport pairs all rows at once", ["--coupling", "transport"]],
  ["--policy greedy ranks the edits of all rows together", ["--policy", "greedy"]],
])("%s: the run says that it is not sharded, and finds the same", async (why, options) => {
  const small = ["explain", "--rows", "5", "--formats", "csv", ...options];
  const calm = await cola(...small, "--out", at(`${why} calm`));
  const asked = await cola(...small, "--out", at(`${why} asked`), "--shard-rows", "2");
  expect(calm.err).toBe("");
  expect(asked.err).toMatch(/^not sharded: /);
  expect(asked.err).toContain(why);
  expectSame(`${why} calm`, `${why} asked`);
});

test("another question does not take the shards of this one", async () => {
  await stopped("other", { signal: "SIGKILL" });
  const other = await cola(...run("other", "--shard-rows", "3", "--target", "score >= 0.7"));
  expect([0, 1]).toContain(other.code);
  for (const row of read("other/explanation.json").rows.filter((r) => r.valid))
    expect(row.after).toBeGreaterThanOrEqual(0.7);
});

test("shards of another run that was stopped stay until that one is done", async () => {
  await stopped("two", { signal: "SIGKILL" });
  const first = shardFiles("two");
  await cola(...run("two", "--shard-rows", "3", "--target", "score >= 0.7"));
  expect(shardFiles("two")).toEqual(first);
  const again = await cola(...run("two", "--shard-rows", "3"));
  expect(again.code, again.err).toBe(0);
  expectSame("calm", "two");
});

test.each([
  ["other text", () => '{"x":1}'],
  ["half of it", (text: string) => text.slice(0, text.length / 2)],
  ["one other letter", (text: string) => text.replace('"status":"ok"', '"status":"Ok"')],
  ["nothing", () => ""],
])("a kept shard that is damaged is computed again: %s", async (name, damage) => {
  const out = `damaged, ${name}`;
  await stopped(out, { signal: "SIGKILL" });
  for (const file of shardFiles(out)) writeFileSync(file, damage(readFileSync(file, "utf8")));
  const { code, err } = await cola(...run(out, "--shard-rows", "3"));
  expect(code, err).toBe(0);
  expectSame("calm", out);
});

test("a model that answers otherwise by now is asked again: nothing of the one before is in the result", async () => {
  const words = (out: string): string[] => [
    ...["refine", "--data", "examples/parts/loans.csv", "--id", "id", "--model", address],
    ...["--counterfactuals", "examples/parts/dice.json", "--target", "score >= 0.6"],
    ...["--out", at(out), ...FORMATS, "--shard-rows", "1"],
  ];
  await stopped("changed", { signal: "SIGKILL", words: words("changed") });
  const kept = shardFiles("changed").flatMap((file) => readShard(file).rows);
  shift = 1;
  onTestFinished(() => {
    shift = 0;
  });
  await cola(...words("new"));
  const fresh = read("new/explanation.json").rows;
  expect(fresh).not.toEqual(
    expect.arrayContaining([expect.objectContaining({ id: kept[0]!.id, after: kept[0]!.after })]),
  );
  await cola(...words("changed"));
  expectSame("new", "changed");
});
