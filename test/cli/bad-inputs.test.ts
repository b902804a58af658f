import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { cola } from "../support/cli.ts";

const folder = mkdtempSync(join(tmpdir(), "cola-bad-"));
afterAll(() => rmSync(folder, { recursive: true }));
let count = 0;
const file = (content: string | Uint8Array, ending = "csv"): string => {
  const path = join(folder, `${count++}.${ending}`);
  writeFileSync(path, content);
  return path;
};
const good = `a,b,y\n${Array.from({ length: 40 }, (_, i) => `${i},${(i * 7) % 11},${i % 3 === 0 ? "no" : "yes"}`).join("\n")}\n`;
const explain = (content: string | Uint8Array, ...rest: string[]): string[] => [
  "explain",
  "--data",
  file(content),
  "--label",
  "y",
  "--out",
  join(folder, "out"),
  "--json",
  ...rest,
];

/** words, code, part of the message, exit status */
const CASES: readonly (readonly [string, () => string[], string, string, number])[] = [
  ["empty file", () => explain(""), "TABLE_INVALID", "empty", 2],
  ["header only", () => explain("a,b,y\n"), "TABLE_INVALID", "no row", 2],
  ["one row", () => explain("a,b,y\n1,2,yes\n"), "VALUE_INVALID", "1 different", 2],
  ["doubled column", () => explain("a,a,y\n1,2,no\n"), "TABLE_INVALID", "like an earlier one", 2],
  ["blank column name", () => explain("a,,y\n1,2,no\n"), "TABLE_INVALID", "has no name", 2],
  ["ragged row", () => explain("a,b,y\n1,2\n"), "TABLE_INVALID", "line 2", 2],
  ["open quote", () => explain('a,b,y\n"1,2,no\n'), "TABLE_INVALID", "never closed", 2],
  ["NUL byte", () => explain("a,b,y\n1,\0,no\n"), "TABLE_INVALID", "NUL", 2],
  ["broken UTF-8", () => explain(Uint8Array.of(97, 255, 10)), "TABLE_INVALID", "UTF-8", 2],
  ["a spreadsheet", () => explain("PK\x03\x04zip"), "TABLE_INVALID", "CSV", 2],
  ["only text columns", () => explain("id,y\nq,no\nr,yes\n", "--id", "id"), "SCHEMA_INVALID", "no column", 2],
  [
    "label not there",
    () => ["explain", "--data", file(good), "--label", "z", "--json"],
    "SCHEMA_INVALID",
    "a, b, y",
    2,
  ],
  ["gap in the label", () => explain(`${good}1,2,\n`), "VALUE_INVALID", "row 40", 2],
  ["no label to train on", () => ["explain", "--data", file(good), "--json"], "OPTION_INVALID", "--label", 2],
  ["a folder as data", () => ["explain", "--data", folder, "--json"], "FILE_UNREADABLE", "folder", 2],
  ["a device as data", () => ["explain", "--data", "/dev/null", "--json"], "FILE_UNREADABLE", "regular", 2],
  [
    "no such file",
    () => ["explain", "--data", join(folder, "none.csv"), "--json"],
    "FILE_UNREADABLE",
    "opened",
    2,
  ],
  ["too many bytes", () => explain(good, "--max-bytes", "10"), "SIZE_LIMIT", "10", 2],
  ["too many rows", () => explain(good, "--max-rows", "5"), "SIZE_LIMIT", "5", 2],
  ["unknown model", () => explain(good, "--model", "oracle"), "NAME_UNKNOWN", "logistic", 2],
  [
    "a pickle",
    () => explain(good, "--model", file("\x80\x04\x95model", "pkl")),
    "MODEL_FILE_UNSUPPORTED",
    "",
    2,
  ],
  [
    "a broken model file",
    () => explain(good, "--model", file('{"learner": 3}', "json")),
    "MODEL_FILE_INVALID",
    "",
    2,
  ],
  ["unknown class", () => explain(good, "--target", "maybe"), "TARGET_INVALID", "no, yes", 2],
  ["empty range", () => explain(good, "--target", "score in [3, 1]"), "TARGET_INVALID", "range", 2],
  ["unknown generator", () => explain(good, "--generator", "magic"), "NAME_UNKNOWN", "knn", 2],
  ["unknown coupling", () => explain(good, "--coupling", "magic"), "NAME_UNKNOWN", "transport", 2],
  ["unknown format", () => explain(good, "--formats", "docx"), "NAME_UNKNOWN", "html", 2],
  ["frozen stranger", () => explain(good, "--freeze", "c"), "CONSTRAINT_INVALID", "a, b", 2],
  [
    "constraints that are no JSON",
    () => explain(good, "--constraints", file("{", "json")),
    "OPTION_INVALID",
    "JSON",
    2,
  ],
  [
    "min above max",
    () => explain(good, "--constraints", file('{"features":{"a":{"min":2,"max":1}}}', "json")),
    "CONSTRAINT_INVALID",
    "min",
    2,
  ],
  [
    "a rule about nothing",
    () => explain(good, "--constraints", file('{"rules":["c < 1"]}', "json")),
    "CONSTRAINT_INVALID",
    "c",
    2,
  ],
  [
    "a model that is not there",
    () => explain(good, "--model", "http://127.0.0.1:9/x", "--target", "score > 0.5"),
    "PREDICT_FAILED",
    "",
    3,
  ],
  [
    "a command that fails",
    () => explain(good, "--model", "command:node -e process.exit(3)", "--target", "score > 0.5"),
    "PREDICT_FAILED",
    "",
    3,
  ],
  ["no time", () => explain(good, "--timeout", "0"), "LIMIT_TIME", "", 4],
];

describe("bad inputs have their code, message and exit status", () => {
  test.each(CASES)("%s", async (_, words, code, part, status) => {
    const answer = await cola(...words());
    const { error } = JSON.parse(answer.out) as { error: { code: string; message: string } };
    expect(error.code).toBe(code);
    expect(error.message).toContain(part);
    expect(answer.code).toBe(status);
  });

  test("an output folder that cannot be", async () => {
    const taken = file("x", "txt");
    mkdirSync(join(folder, "dir"), { recursive: true });
    const answer = await cola("explain", "--rows", "1", "--out", taken, "--json");
    expect(answer.code).toBe(2);
    expect(answer.out).toContain("FILE_UNWRITABLE");
  });

  test("options outside their range are refused by the parser", async () => {
    for (const words of [
      ["--budget", "-1"],
      ["--budget", "1.5"],
      ["--effect", "2"],
      ["--policy", "magic"],
      ["--rows", "0"],
      ["--nonsense"],
    ]) {
      expect((await cola("explain", ...words)).code).toBe(2);
    }
    expect((await cola("nonsense")).code).toBe(2);
    expect((await cola("--help")).code).toBe(0);
  });
});
