import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { commands } from "../cli/commands/index.ts";
import * as library from "../src/index.ts";
import { models } from "../src/train/registry.ts";
import { OPTIONS } from "../study/options.ts";
import { cola } from "./support/cli.ts";
import { temporaryFolder } from "./support/folder.ts";
import { expectPieces, shownIn } from "./support/shown.ts";

const page = readFileSync("README.md", "utf8");
const { scripts, version } = JSON.parse(readFileSync("package.json", "utf8")) as {
  scripts: Record<string, string>;
  version: string;
};
const out = temporaryFolder();

const blocks = shownIn(page, "run");

/** The words of a command line; quotes keep words together. */
const words = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map((match) => match[1] ?? match[2]!);

describe("what README.md shows is what happens", () => {
  let scoring: ChildProcess;
  let address = "";
  beforeAll(async () => {
    scoring = spawn(process.execPath, ["examples/parts/score-server.mjs", "0"], { stdio: "pipe" });
    address = await new Promise((resolve) => {
      scoring.stdout!.once("data", (data: Buffer) => resolve(data.toString().trim()));
    });
  });
  afterAll(() => {
    scoring.kill();
  });

  test("there are six commands with their output", () => {
    expect(blocks.length).toBe(6);
    for (const { printed } of blocks) expect(printed).toMatch(/✔/);
  });

  test.each(blocks)("$typed", async ({ typed, printed }) => {
    const line = typed.at(-1)!.replace(/^npm ci && npm start$/, "cola explain");
    for (const other of typed.slice(0, -1)) expect(other).toBe("node examples/parts/score-server.mjs &");
    const [name, ...rest] = words(line.replace("http://127.0.0.1:8899", address));
    expect(name).toBe("cola");
    const answer = await cola(...rest, "--out", out);
    expect(answer.code, answer.err).toBe(0);
    expectPieces(printed, answer.out.replaceAll(out, "out"));
  });
});

test("a piece that is not printed, or in another order, is noticed", () => {
  expectPieces("…\nb\n…\nd\n", "a\nb\nc\nd");
  for (const wrong of ["…\nx\n", "d\n…\nb\n", "…\nb\nd\n"])
    expect(() => expectPieces(wrong, "a\nb\nc\nd")).toThrow();
});

test("npm start and the alias are what README.md says", () => {
  expect(scripts["start"]).toBe("node scripts/start.mjs explain");
  expect(scripts["cola"]).toBe("node scripts/start.mjs");
  for (const [, name] of page.matchAll(/npm run (?:-s )?(\w+)/g)) expect(scripts).toHaveProperty(name!);
  expect(page).toContain(`trains one of ${Object.keys(models).length} classifiers`);
});

test("every command and option named in the text exists", () => {
  const flags = new Set<string>(Object.values(OPTIONS).map(({ flag }) => flag));
  const inline = [...page.replaceAll(/```[\s\S]*?```/g, "").matchAll(/`([^`]+)`/g)].map((match) => match[1]!);
  const named = inline.flatMap((code) => [...code.matchAll(/(?<!\S)--([a-z-]+)/g)].map((m) => m[1]!));
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((flag) => !flags.has(flag))).toEqual([]);
  const called = inline.flatMap((code) => code.match(/^cola ([a-z]+)/)?.[1] ?? []);
  expect(called.filter((name) => !commands.some((command) => command.name === name))).toEqual([]);
});

test("the picture is what cola explain draws", async () => {
  await cola("explain", "--rows", "20", "--formats", "svg", "--out", out);
  expect(readFileSync(join(out, "directions.svg"), "utf8")).toBe(
    readFileSync("docs/images/plan.svg", "utf8"),
  );
  const { totals } = JSON.parse(readFileSync(join(out, "explanation.json"), "utf8")) as library.Explanation;
  expect(page).toContain(`change ${totals.editsProposed} cells, the plans change ${totals.edits}]`);
  expect(existsSync(join(out, ".shards"))).toBe(false);
});

test("the example in README.md passes TypeScript's strict rules", () => {
  const block = page.match(/<!-- executed by test\/readme.test.ts -->\n```ts\n([\s\S]*?)```/)![1]!;
  const file = join(out, "sample.mts");
  writeFileSync(file, `${block.replace('"cola-xai"', JSON.stringify(resolve("src/index.ts")))}export {};\n`);
  const options =
    "--noEmit --strict --target es2022 --module nodenext --allowImportingTsExtensions --skipLibCheck";
  const wrong = spawnSync("node_modules/.bin/tsc", [...options.split(" "), file], {
    encoding: "utf8",
  }).stdout;
  const own = wrong.split("\n").filter((line) => line.includes("sample.mts"));
  expect(own).toEqual([]);
});

test("the example in README.md runs and prints plans", async () => {
  const block = page.match(/<!-- executed by test\/readme.test.ts -->\n```ts\n([\s\S]*?)```/)![1]!;
  const body = block
    .replace(/^import .*$/m, "const { explain, fromRows } = cola;")
    .replace("(rows: Matrix)", "(rows)");
  const printed: unknown[][] = [];
  const AsyncFunction = (async () => {}).constructor as new (
    ...args: string[]
  ) => (c: typeof library, out: { log(...args: unknown[]): void }) => Promise<void>;
  await new AsyncFunction("cola", "console", body)(library, { log: (...args) => printed.push(args) });
  expect(printed.length).toBe(2);
  for (const [, edits, before, after] of printed as [number, string[], number, number][]) {
    expect(edits.length).toBeGreaterThan(0);
    expect(before).toBeLessThan(0.5);
    expect(after).toBeGreaterThan(0.5);
  }
});

test("the version is that of package.json", () => {
  expect(library.VERSION).toBe(version);
});
