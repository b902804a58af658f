import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { writeResults } from "../../cli/results.ts";
import { beginsLines, explanationLines, explanationOfLines, linesOf, MOST_ROWS } from "../../show/lines.ts";
import { en } from "../../show/locales/en.ts";
import { reportHtml } from "../../show/report/report.ts";
import type { Explanation } from "../../src/explanation.ts";
import { readExplanation, resultFiles } from "../../web/engine/files.ts";
import { cola } from "../support/cli.ts";
import { madeUpExplanation } from "../support/explanations.ts";
import { temporaryFolder } from "../support/folder.ts";
import { reportData } from "../support/report-data.ts";

const DATE = "2026-05-31";

const folder = temporaryFolder();

const small = madeUpExplanation({ rows: 7, cols: 4 });
const plain = (explanation: Explanation): unknown => JSON.parse(JSON.stringify(explanation));
const bytesOf = (lines: Iterable<string>): Uint8Array => new TextEncoder().encode([...lines].join(""));

describe("an explanation as lines", () => {
  test("is the same explanation again, from its bytes", () => {
    const bytes = bytesOf(explanationLines(small));
    expect(beginsLines(bytes)).toBe(true);
    expect(explanationOfLines(linesOf(bytes))).toEqual(plain(small));
    expect([...linesOf(bytes)].length).toBe(1 + 7 + 1);
  });

  test("one JSON text, however it is written, is not taken for lines", () => {
    for (const text of [JSON.stringify(small), JSON.stringify(small, null, 2), "{}\n", "", "[1]\n[2]\n"])
      expect(beginsLines(new TextEncoder().encode(text)), text.slice(0, 20)).toBe(false);
  });

  const whole = [...explanationLines(small)];
  test.each([
    ["no totals", whole.slice(0, -1)],
    ["a row lost", [...whole.slice(0, 3), ...whole.slice(4)]],
    ["a row twice", [...whole.slice(0, 3), ...whole.slice(2)]],
    ["the header alone", whole.slice(0, 1)],
    ["nothing", []],
  ])("%s: it is not an explanation", (_, lines) => {
    expect(explanationOfLines(linesOf(bytesOf(lines)))).toBeUndefined();
  });

  test("half a line is no JSON", () => {
    const bytes = bytesOf(whole);
    expect(() => explanationOfLines(linesOf(bytes.subarray(0, bytes.length - 20)))).toThrow(SyntaxError);
  });
});

describe("more rows than one JSON text may hold", () => {
  const many = madeUpExplanation({ rows: MOST_ROWS + 1, cols: 3 });

  test("are written as lines, which cola report and the studio read again", async () => {
    const files = await writeResults(join(folder, "many"), many, [], { date: DATE });
    expect(files).toEqual([join(folder, "many", "explanation.jsonl")]);
    const bytes = readFileSync(files[0]!);
    const read = readExplanation("explanation.jsonl", bytes);
    expect(read.rows.length).toBe(MOST_ROWS + 1);
    expect(Buffer.from(bytesOf(explanationLines(read))).equals(bytes)).toBe(true);
    const [saved] = await resultFiles(many, "explanation", { locale: en, reasons: {}, date: DATE });
    expect(Buffer.from(saved!.bytes).equals(bytes)).toBe(true);
    const { code, err } = await cola("report", files[0]!, "--out", join(folder, "again"), "--formats", "csv");
    expect(code, err).toBe(0);
    await writeResults(join(folder, "once"), many, ["csv"], { date: DATE });
    for (const name of ["x.csv", "z.csv", "explanation.jsonl"])
      expect(readFileSync(join(folder, "again", name)).equals(readFileSync(join(folder, "once", name)))).toBe(
        true,
      );
  });

  test("a file that was cut off is refused by name", async () => {
    const [path] = await writeResults(join(folder, "cut"), many, [], { date: DATE });
    const { truncateSync } = await import("node:fs");
    truncateSync(path!, readFileSync(path!).lastIndexOf(10, -2) + 1);
    const { code, err } = await cola("report", path!, "--out", join(folder, "none"));
    expect(code).toBe(2);
    expect(err).toContain("explanation.jsonl");
  });

  test("the report counts all of them and shows an even sample, and says so", async () => {
    const text = await reportHtml(many);
    expect(text).toContain("10001 further rows are not in this file");
    expect(text).toContain("spread evenly over all");
    const places = reportData(text).rows.map(([row]) => row);
    expect(places.length).toBe(10_000);
    expect([places[1], places[5000], places.at(-1)]).toEqual([2, 10_000, 19_998]);
  });
});
