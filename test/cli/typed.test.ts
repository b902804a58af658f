import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { asTyped } from "../../cli/names.ts";
import { RESULT_KINDS } from "../../cli/results.ts";
import { withWork } from "../../cli/run.ts";
import { readTableFile } from "../../node/tables.ts";
import type { Explanation } from "../../src/explanation.ts";
import { cola } from "../support/cli.ts";
import { slowClock } from "../support/clock.ts";
import { COMMAND } from "../support/command.ts";
import { temporaryFolder } from "../support/folder.ts";
import { anewForEach } from "../support/mutants/cli.ts";

const folder = temporaryFolder();
const at = (name: string): string => join(folder, name);
const write = (name: string, text: string): string => {
  writeFileSync(at(name), text);
  return at(name);
};
const explained = (out: string): Explanation => JSON.parse(out) as Explanation;
const errorOf = (out: string): { code: string; message: string } =>
  (JSON.parse(out) as { error: { code: string; message: string } }).error;

describe("an option that is typed more than once", () => {
  test("a list grows: no frozen feature is lost", async () => {
    const freeze = ["--freeze", "income,age", "--freeze", "amount", "--freeze", "debt"];
    const { out } = await cola("explain", "--rows", "3", ...freeze, "--out", at("grown"), "--json");
    const { schema, rows } = explained(out);
    const frozen = schema.features.filter((feature) => feature.immutable).map(({ name }) => name);
    expect(frozen).toEqual(expect.arrayContaining(["income", "age", "amount", "debt"]));
    const changed = rows.flatMap(({ edits }) => edits.map(({ feature }) => feature));
    for (const name of frozen) expect(changed).not.toContain(name);
    const both = ["--formats", "csv", "--formats", "jsonl"];
    await cola("explain", "--rows", "1", ...both, "--out", at("both"));
    expect(readdirSync(at("both"))).toEqual(expect.arrayContaining(["z.csv", "z.jsonl"]));
  });

  test.each([
    ["--constraints", "a.json", "b.json"],
    ["--rows", "3", "3"],
    ["--policy", "minimal", "greedy"],
    ["--effect", "0", "1"],
  ])("anything else is refused: %s", async (flag, one, other) => {
    const { code, out } = await cola("explain", flag, one, flag, other, "--json");
    expect(code).toBe(2);
    expect(errorOf(out).message).toMatch(new RegExp(`${flag} .*given twice`));
  });

  test("a default counts as nothing typed, and no run sees the options of the last", async () => {
    for (const seed of ["3", "4"]) {
      const words = ["--rows", "1", "--seed", seed, "--freeze", "age", "--out", at("seed"), "--json"];
      const { code, out } = await cola("explain", ...words);
      expect([code, explained(out).seed]).toEqual([0, Number(seed)]);
    }
  });
});

test.each([
  ["--constraints", ""],
  ["--target", ""],
  ["--schema", " "],
  ["--out", ""],
  ["--freeze", ""],
  ["--seed", ""],
  ["--protocol", ""],
])("an empty %s is refused, as of a variable that is not set", async (flag, value) => {
  const { code, err } = await cola("explain", flag, value);
  expect(code).toBe(2);
  expect(err).toMatch(new RegExp(`${flag} .*must not be empty`));
});

describe("--json", () => {
  test.each([
    [["explain", "--nonsense"], "unknown option '--nonsense'"],
    [["explain", "--rows", "many"], "It must be a whole number of at least 1, or the word all."],
    [["nonsense"], "unknown command 'nonsense'"],
    [["replay"], "missing required argument 'id'"],
  ])("what cannot be read is told as JSON: %s", async (words, part) => {
    const { code, out, err } = await cola(...words, "--json");
    expect([code, err]).toEqual([2, ""]);
    expect(errorOf(out)).toMatchObject({ code: "OPTION_INVALID", message: expect.stringContaining(part) });
  });

  test.each([[["--json"]], [["--out", "-"]]])("--save-schema - is refused beside %s", async (words) => {
    const { code, out, err } = await cola("explain", "--save-schema", "-", ...words);
    expect(code).toBe(2);
    expect(out + err).toContain("would both print on standard output");
  });
});

test.each([
  [
    "--constraints",
    '{"features":{"income":{"min":1}},"features":{}}',
    "features is in the constraints twice",
  ],
  [
    "--schema",
    '{"features":[{"name":"a","kind":"numeric","kind":"integer"}]}',
    "features[0].kind is in the schema twice",
  ],
  ["--reasons", '{"income":{"code":"1","code":"2","text":"x"}}', "income.code is in the reason codes twice"],
])("a key that stands twice in the file of %s is refused", async (flag, text, part) => {
  const { code, err } = await cola("explain", flag, write("twice.json", text), "--out", at("twice"));
  expect([code, err]).toEqual([2, expect.stringContaining(part)]);
});

test("messages name options as they are typed, times in seconds", () => {
  expect(asTyped("x ran out of its 5 ms; raise limits.timeMs or give fewer rows.")).toContain(
    "raise --timeout or",
  );
  expect(asTyped("did not answer within options.timeoutMs = 30000 ms; lower options.batchRows.")).toBe(
    "did not answer within --model-timeout = 30 s; lower --model-batch.",
  );
  expect(asTyped("name them in options.outputs, not options.nowhere")).toBe(
    "name them in --outputs, not options.nowhere",
  );
});

describe("where there is nothing to explain", () => {
  const none = ["explain", "--target", "score >= 0"];
  const HEADER = /^row,status,valid,score,label,age,.*,guarantor\r?\n$/;

  test("every format is written without rows, over what was there", async () => {
    for (const target of [[], none.slice(1)]) {
      const formats = ["--formats", RESULT_KINDS.join(",")];
      const { code, out, err } = await cola(
        "explain",
        "--rows",
        "2",
        ...target,
        ...formats,
        "--out",
        at("none"),
      );
      expect(code, err).toBe(0);
      expect(out).toContain("Written: ");
    }
    expect(readFileSync(at("none/z.csv"), "utf8")).toMatch(HEADER);
    expect(JSON.parse(readFileSync(at("none/z.json"), "utf8"))).toEqual([]);
    expect(readFileSync(at("none/z.jsonl"), "utf8")).toBe("");
    for (const format of ["parquet", "arrow"])
      await expect(readTableFile(at(`none/z.${format}`))).rejects.toThrow("no row");
    expect(readFileSync(at("none/report.html"), "utf8")).toMatch(/<\/html>\n$/);
    expect(explained(readFileSync(at("none/explanation.json"), "utf8"))).toMatchObject({
      rows: [],
      curve: [],
      goal: { target: { min: 0 } },
      totals: { rows: 0 },
    });
  });

  test("--json, --out - and the same question of other rows", async () => {
    const json = await cola(...none, "--out", at("none"), "--json");
    expect(explained(json.out)).toMatchObject({ schemaVersion: 2, rows: [] });
    const printed = await cola(...none, "--out", "-", "--formats", "csv");
    expect(printed.out).toMatch(HEADER);
    expect(printed.err).toContain("there is nothing to explain");
    const group = await cola(...none, "--effect", "0.5", "--out", at("none"), "--json");
    expect(explained(group.out)).toMatchObject({ rows: [], goal: { kind: "group" } });
    const dry = await cola(...none, "--dry-run", "--json");
    expect(JSON.parse(dry.out)).toMatchObject({ rows: 0, modelRowsAtLeast: 1000 });
    const made = await cola("generate", ...none.slice(1), "--out", "-");
    expect([made.code, made.out]).toEqual([0, expect.stringMatching(/^row,age,.*,guarantor\r?\n$/)]);
  });
});

describe("a place where nothing can be written is told before any work", () => {
  test.each([
    ["a folder in /proc", ["explain", "--out", "/proc/cola"]],
    ["a model in /proc", ["train", "--model-out", "/proc/m.json"]],
    ["counterfactuals in /proc", ["generate", "--out", "/proc/cola"]],
    ["a report in /proc", ["report", at("absent.json"), "--out", "/proc/cola"]],
    ["a schema in /proc", ["explain", "--save-schema", "/proc/s.json", "--out", at("s")]],
  ])("%s", async (_, words) => {
    const data = words[0] === "report" ? [] : ["--data", at("absent.csv")];
    const { code, out, err } = await cola(...words, ...data);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(/cannot be written: .*\[FILE_UNWRITABLE\]/);
  });

  test("a link that leads nowhere, a folder in the place of the model", async () => {
    symlinkSync(at("nowhere/at/all"), at("link"));
    const link = await cola("explain", "--out", at("link"), "--data", at("absent.csv"));
    expect([link.code, link.err]).toEqual([2, expect.stringContaining("FILE_UNWRITABLE")]);
    mkdirSync(at("m.json"));
    const model = await cola("train", "--model-out", at("m.json"), "--data", at("absent.csv"));
    expect([model.code, model.err]).toEqual([2, expect.stringContaining("it is a folder")]);
    expect(readdirSync(folder).filter((name) => name.endsWith(".part"))).toEqual([]);
  });
});

test("audit and replay make no store where there is none", async () => {
  for (const words of [
    ["audit", "verify"],
    ["replay", "0b7c1d9e-3f0a-4a55-9d0e-0b1f6f4c2a11"],
  ]) {
    const { code, err } = await cola(...words, "--store", at("no store"));
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/not the folder of a server.*\[FILE_UNREADABLE\]/),
    ]);
    expect(existsSync(at("no store"))).toBe(false);
  }
});

describe("--timeout", () => {
  /** What three stages of a command are given, each of which looks at the clock once. */
  const left = (within: typeof withWork): Promise<(number | undefined)[]> =>
    within({ timeout: 0.35 }, async (work) => {
      const first = work.limits?.timeMs;
      const { limits: second } = { ...work };
      return [first, second?.timeMs, work.limits?.timeMs];
    });

  test("is one deadline: every stage gets what those before have left of it", async () => {
    slowClock(100);
    const given = await left(withWork);
    expect(given).toEqual([150, 50, 0]);
    expect(await left(anewForEach)).not.toEqual(given);
    expect(await withWork({}, async (work) => "limits" in work)).toBe(false);
    const long = await withWork({ timeout: 1e9 }, async ({ limits }) => limits!.timeMs!);
    expect(long).toBeLessThan(2 ** 31);
  });

  test("ends a command that has read its rows too late, with the exit code of a budget", async () => {
    slowClock(1000);
    const { code, err } = await cola("explain", "--timeout", "1", "--out", at("late"));
    expect([code, err]).toEqual([4, expect.stringMatching(/took all of --timeout.*\[LIMIT_TIME\]/)]);
    expect(existsSync(at("late"))).toBe(false);
  });

  test.each([[[]], [["--effect", "0.5"]]])(
    "that does not run out leaves the bytes as they are %s",
    async (more) => {
      const words = ["explain", "--rows", "2", ...more, "--timeout", "1000", "--out", "-"];
      expect((await cola(...words)).out).toBe((await cola(...words)).out);
    },
  );
});

/** A model behind HTTP that counts the rows it scores. */
async function counting(): Promise<{ readonly url: string; rows: number }> {
  const asked = { url: "", rows: 0 };
  const server = createServer(async (request, response) => {
    const { rows } = JSON.parse(Buffer.concat(await request.toArray()).toString()) as { rows: number[][] };
    asked.rows += rows.length;
    const scores = rows.map((row) => 1 / (1 + Math.exp((Number(row[3]) - 0.6 * Number(row[1])) / 4)));
    response.end(JSON.stringify({ scores }));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  asked.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return asked;
}

test("what --dry-run says is the least that a run asks of the model", async () => {
  const model = await counting();
  const words = ["explain", "--data", "examples/parts/loans.csv", "--id", "id", "--model", model.url];
  for (const more of [
    [],
    ["--freeze", "amount,savings,income"],
    ["--effect", "0.5"],
    ["--alternatives", "2"],
    ["--coupling", "joint"],
  ]) {
    const run = [...words, "--rows", "2", ...more, "--out", at("least"), "--formats", "csv", "--json"];
    const { modelRowsAtLeast: least } = JSON.parse((await cola(...run, "--dry-run")).out) as {
      modelRowsAtLeast: number;
    };
    model.rows = 0;
    await cola(...run);
    expect(least).toBeGreaterThan(40);
    expect(model.rows, more.join(" ")).toBeGreaterThanOrEqual(least);
  }
});

describe("pipes", () => {
  const start = (...words: string[]) => spawn(process.execPath, [...COMMAND, ...words]);

  test("a reader that goes away ends the run without a word", async () => {
    const child = start("explain", "--rows", "300", "--out", "-", "--formats", "jsonl");
    child.stdout.destroy();
    let err = "";
    child.stderr.on("data", (data: Buffer) => {
      err += data.toString();
    });
    const code = await new Promise((done) => child.on("exit", done));
    expect([code, err.replace(/^.* of \d+\n/gm, "")]).toEqual([141, ""]);
  });

  test("a pipe in the place of a file says how it is read", async () => {
    const child = spawn("bash", [
      "-c",
      `${process.execPath} --import tsx cli/main.ts explain --data <(echo a,b)`,
    ]);
    let err = "";
    child.stderr.on("data", (data: Buffer) => {
      err += data.toString();
    });
    const code = await new Promise((done) => child.on("exit", done));
    expect([code, err]).toEqual([2, expect.stringMatching(/is a pipe.*--data -.*\[FILE_UNREADABLE\]/)]);
  });
});
