import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { explainAndWrite } from "../../cli/explain-and-write.ts";
import { withStudy } from "../../cli/sources.ts";
import { explanationLines } from "../../show/lines.ts";
import type { Explanation } from "../../src/explanation.ts";
import type { WorkOptions } from "../../src/types.ts";
import { countAsked } from "../../study/asked.ts";
import type { Given } from "../../study/options.ts";
import { posed } from "../../study/study.ts";
import { temporaryFolder } from "../support/folder.ts";

const folder = temporaryFolder();

const KINDS = ["html", "csv", "tsv", "json", "jsonl"];

/** Tells rows of the embedded table; of more than `most` rows none but those of a shard are held. */
async function told(out: string, most: number, more: Given = {}, work: WorkOptions = {}) {
  const given = { rows: 45, shardRows: 7, formats: KINDS, workers: 1, out: join(folder, out), ...more };
  let text = "";
  const spy = vi.spyOn(process.stdout, "write").mockImplementation((piece) => {
    text += String(piece);
    return true;
  });
  try {
    const code = await withStudy(given, work, async (study) =>
      explainAndWrite(study, await posed(study, {}), work, countAsked(), undefined, most),
    );
    return { code, text: text.replaceAll(join(folder, out), "out") };
  } finally {
    spy.mockRestore();
  }
}

const read = (...path: string[]): string => readFileSync(join(folder, ...path), "utf8");

/** The files of both, of which one has the explanation as lines. */
function expectSameFiles(long: string, whole: string): void {
  const names = readdirSync(join(folder, whole)).filter((name) => name !== "explanation.json");
  expect(readdirSync(join(folder, long)).sort()).toEqual([...names, "explanation.jsonl"].sort());
  for (const name of names) expect(read(long, name), name).toBe(read(whole, name));
  const explanation = JSON.parse(read(whole, "explanation.json")) as Explanation;
  expect(read(long, "explanation.jsonl")).toBe([...explanationLines(explanation)].join(""));
}

test.each<[string, Given]>([
  ["plans of every row", {}],
  ["rows without a plan, ids, several threads", { vary: ["savings", "housing"], workers: 2 }],
  ["tables without a line", { only: "plans", values: "least", vary: ["housing"] }],
])("rows that are never held give the files of those that are: %s", async (name, options) => {
  const whole = await told(`${name} whole`, 1000, options);
  const long = await told(`${name} long`, 5, options);
  expectSameFiles(`${name} long`, `${name} whole`);
  expect(long.code).toBe(whole.code);
  expect(long.text).toBe(whole.text.replace("explanation.json", "explanation.jsonl"));
});

test("--json prints the lines in order, those of the first rows before the last is known", async () => {
  const { text } = await told("printed", 5, { json: true });
  expect(text).toBe(read("printed", "explanation.jsonl"));
  const pieces: string[] = [];
  const seen = vi.spyOn(process.stdout, "write").mockImplementation((piece) => {
    pieces.push(String(piece));
    return true;
  });
  const stop = new AbortController();
  const work = { signal: stop.signal, onProgress: () => pieces.length > 4 && stop.abort() };
  try {
    await withStudy(
      { rows: 45, shardRows: 7, formats: [], json: true, out: join(folder, "stopped") },
      {},
      async (study) => explainAndWrite(study, await posed(study, {}), work, countAsked(), undefined, 5),
    );
  } finally {
    seen.mockRestore();
  }
  const lines = text.split("\n");
  expect(pieces.slice(0, 4).join("").split("\n").slice(0, 4)).toEqual(lines.slice(0, 4));
  expect(pieces.join("")).toBe(read("stopped", "explanation.jsonl"));
  expect(pieces.length).toBe(47);
  expect(JSON.parse(pieces[45]!)).toMatchObject({ row: 44, status: "budget" });
});

test("a run that was stopped tells of every row, and the same command goes on to the same bytes", async () => {
  await told("calm", 5);
  const stop = new AbortController();
  const work: WorkOptions = {
    signal: stop.signal,
    onProgress: () =>
      existsSync(join(folder, "again/.shards")) &&
      readdirSync(join(folder, "again/.shards")).length > 3 &&
      stop.abort(),
  };
  const stopped = await told("again", 5, {}, work);
  expect(stopped.code).toBe(4);
  const rows = read("again", "explanation.jsonl")
    .trim()
    .split("\n")
    .slice(1, -1)
    .map((row) => JSON.parse(row));
  expect(rows.length).toBe(45);
  expect(rows[0].status).toBe("ok");
  expect(rows[44]).toMatchObject({ status: "budget", row: 44 });
  expect(readdirSync(join(folder, "again/.shards")).every((name) => name.endsWith(".shard"))).toBe(true);
  cpSync(join(folder, "again"), join(folder, "other"), { recursive: true });
  const again = await told("again", 5);
  expect(again.code).toBe(0);
  for (const name of readdirSync(join(folder, "calm")))
    expect(read("again", name), name).toBe(read("calm", name));
  expect(existsSync(join(folder, "again/.shards"))).toBe(false);
});
