import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Explanation } from "../../src/explanation.ts";
import { cola } from "../support/cli.ts";

const folder = mkdtempSync(join(tmpdir(), "cola-shards-"));
const at = (name: string): string => join(folder, name);
const FORMATS = ["--formats", "html,csv"];

/** A scorer that counts what it is asked and takes its time. */
let server: Server;
let address = "";
let scored = 0;
beforeAll(async () => {
  server = createServer(async (request, response) => {
    const { rows } = JSON.parse(Buffer.concat(await request.toArray()).toString()) as { rows: number[][] };
    scored += rows.length;
    await new Promise((done) => setTimeout(done, 15));
    const scores = rows.map((row) => 1 / (1 + Math.exp((Number(row[3]) - 0.6 * Number(row[1])) / 4)));
    response.end(JSON.stringify({ scores }));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const run = (out: string, ...more: string[]): string[] => [
  ...["explain", "--data", "examples/parts/loans.csv", "--id", "id", "--model", address, "--rows", "12"],
  ...["--out", at(out), ...FORMATS, ...more],
];

/** Starts the command in a process of its own and sends a signal once its first shard is kept. */
async function stopped(
  out: string,
  signal: "SIGKILL" | "SIGINT",
): Promise<{ code: number | null; err: string }> {
  const child = spawn(process.execPath, ["--import", "tsx", "cli/main.ts", ...run(out, "--shard-rows", "3")]);
  let err = "";
  child.stderr.on("data", (data: Buffer) => {
    err += data.toString();
  });
  const ended = new Promise<number | null>((done) => child.on("exit", done));
  const shards = at(`${out}/.shards`);
  const first = (): boolean =>
    existsSync(shards) && readdirSync(shards).some((name) => name.endsWith(".json"));
  while (!first() && child.exitCode === null) await new Promise((done) => setTimeout(done, 2));
  child.kill(signal);
  return { code: await ended, err };
}

const read = (path: string): Explanation => JSON.parse(readFileSync(at(path), "utf8")) as Explanation;

test("sharded or not, the bytes are the same, and no shard stays", async () => {
  for (const [out, rows] of Object.entries({ whole: "100", parts: "5" })) {
    expect(
      (await cola("explain", "--rows", "12", "--out", at(out), ...FORMATS, "--shard-rows", rows)).code,
    ).toBe(0);
  }
  const files = readdirSync(at("whole")).sort();
  expect(readdirSync(at("parts")).sort()).toEqual(files);
  for (const file of files)
    expect(readFileSync(at(`parts/${file}`)).equals(readFileSync(at(`whole/${file}`))), file).toBe(true);
});

test("a killed run leaves no half file, and the same command goes on where it was", async () => {
  const all = await cola(...run("calm", "--shard-rows", "3"));
  expect(all.code, all.err).toBe(0);
  await stopped("killed", "SIGKILL");
  expect(readdirSync(at("killed"))).toEqual([".shards"]);
  const kept = readdirSync(at("killed/.shards")).filter((name) => name.endsWith(".json"));
  expect(kept.length).toBeGreaterThan(0);
  expect(kept.length).toBeLessThan(4);
  for (const name of kept) expect(read(`killed/.shards/${name}`).rows.length).toBe(3);
  scored = 0;
  const again = await cola(...run("killed", "--shard-rows", "3"));
  expect(again.code, again.err).toBe(0);
  const resumed = scored;
  scored = 0;
  await cola(...run("fresh", "--shard-rows", "3"));
  expect(resumed).toBeLessThan(scored);
  for (const file of readdirSync(at("calm")))
    expect(readFileSync(at(`killed/${file}`)).equals(readFileSync(at(`calm/${file}`))), file).toBe(true);
  expect(existsSync(at("killed/.shards"))).toBe(false);
});

test("Ctrl-C gives the result of the shards that are done", async () => {
  const { code, err } = await stopped("interrupted", "SIGINT");
  expect(code).toBe(4);
  expect(err).toMatch(/of 12 rows that were done/);
  const part = read("interrupted/explanation.json");
  const whole = read("calm/explanation.json");
  expect(part.rows.length).toBeGreaterThan(0);
  expect(part.rows.length % 3).toBe(0);
  expect(part.rows).toEqual(whole.rows.slice(0, part.rows.length));
  expect(existsSync(at("interrupted/report.html"))).toBe(true);
});

test("another question does not take the shards of this one", async () => {
  await stopped("other", "SIGKILL");
  const other = await cola(...run("other", "--shard-rows", "3", "--target", "score >= 0.7"));
  expect([0, 1]).toContain(other.code);
  for (const row of read("other/explanation.json").rows.filter((r) => r.valid))
    expect(row.after).toBeGreaterThanOrEqual(0.7);
});
