import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../support/folder.ts";

/** A contribution: one new file, and one entry put before a line of a registry, with the import it needs. */
interface Contribution {
  readonly file: string;
  readonly content: string;
  readonly registry: string;
  readonly before: string;
  readonly entry: string;
  readonly imports: string;
}

const contributions: readonly Contribution[] = [
  {
    file: "src/couple/last.ts",
    content: `import { partnered } from "./exact.ts";
import type { Coupling } from "../types.ts";
/** Every row with the last reference. */
export function last(n: number, m: number): Coupling {
  return partnered(n, m, Array.from({ length: n }, (_, i) => [i, m - 1] as const));
}
`,
    registry: "src/couple/registry.ts",
    before: "  nearest: { group: false,",
    entry: `  "toy-last": { group: false, title: "Toy: the last", couple: ({ x, r }) => last(x.rows, r.rows) },\n`,
    imports: `import { last } from "./last.ts";\n`,
  },
  {
    file: "src/generate/toy.ts",
    content: `import type { Generator } from "./contract.ts";
import { knn } from "./knn.ts";
/** One neighbour. */
export const toy: Generator = (task, options, random) => knn(task, { ...options, neighbours: 1 }, random);
`,
    registry: "src/generate/registry.ts",
    before: "  knn: {\n",
    entry: `  "toy-neighbour": { title: "Toy: a neighbour", summary: "one neighbour", needs: "scores", group: false, generate: toy },\n`,
    imports: `import { toy } from "./toy.ts";\n`,
  },
  {
    file: "src/num/spread.ts",
    content: `/** Difference of the largest values of sorted samples. */
export function spread(left: Float64Array, right: Float64Array): number {
  return Math.abs((left.at(-1) ?? 0) - (right.at(-1) ?? 0));
}
`,
    registry: "src/num/divergence.ts",
    before: "  median: { value: medianGap,",
    entry: `  "toy-spread": { value: (a, b) => spread(sorted(a), sorted(b)), running: afresh(spread) },\n`,
    imports: `import { spread } from "./spread.ts";\n`,
  },
  {
    file: "src/read/toy.ts",
    content: `import type { Matrix } from "../types.ts";
import type { FileModel, ModelFile } from "./readers.ts";
/** A toy: the score is the first column over a number. */
export function readToy({ document }: ModelFile): FileModel {
  const { over } = document as { over: number };
  const predict = ({ data, rows, cols }: Matrix) =>
    Float64Array.from({ length: rows }, (_, i) => data[i * cols]! / over);
  return { model: { outputs: ["score"], inputs: ["a", "b"], predict } };
}
`,
    registry: "src/read/readers.ts",
    before: "  saved: {\n",
    entry: `  toy: { title: "Toy model", endings: [".toy"], reads: (file) => has(file, "over"), read: readToy },\n`,
    imports: `import { readToy } from "./toy.ts";\n`,
  },
];

/** A method option that \`explain\` has under the same name: one row. */
const ROW = `  candidates: {
    part: "method", http: true, page: "Toy: candidates", flag: "candidates", value: "count", kind: "integer", min: 1,
    help: "toy: references searched for a row",
  },
`;

/** What the doors show, written as JSON by a program in the changed tree. */
const PROBE = `
import { writeFileSync } from "node:fs";
import { cliPage } from "./scripts/cli-page.ts";
import { runCli } from "./cli/program.ts";
import { createApp } from "./server/app.ts";
import { offers } from "./study/offers.ts";
let out = "";
const write = process.stdout.write;
process.stdout.write = ((text) => { out += text; return true; }) as typeof write;
await runCli(["explain", "--help"]);
const help = out;
const app = await createApp({ folder: process.argv[2]! });
const api = (await app.inject("/openapi.json")).body;
await app.close();
const table = "a,b\\n" + Array.from({ length: 40 }, (_, i) => (i % 10) + "," + (i % 7)).join("\\n") + "\\n";
writeFileSync("table.csv", table);
writeFileSync("model.toy", '{"over": 10}');
const run = async (...words: string[]) => {
  out = "";
  const code = await runCli(["explain", "--data", "table.csv", "--model", "model.toy", "--target", "score >= 0.5",
    "--rows", "4", "--out", "-", "--generator", "toy-neighbour", ...words]);
  return code === 2 ? out : JSON.parse(out);
};
const each = await run("--coupling", "toy-last", "--policy", "greedy");
const group = await run("--effect", "0.5", "--divergence", "toy-spread", "--candidates", "3");
process.stdout.write = write;
writeFileSync("seen.json", JSON.stringify({ help, api, docs: cliPage(), offers: offers(), each, group }));
process.exit(0);
`;

const folder = temporaryFolder();

interface Seen {
  readonly help: string;
  readonly api: string;
  readonly docs: string;
  readonly offers: unknown;
  readonly each: { readonly method: object; readonly options: object };
  readonly group: { readonly goal: object; readonly options: object };
}
let seen: Seen;

beforeAll(() => {
  for (const path of ["src", "study", "cli", "server", "show", "formats", "node", "scripts", "experiments"])
    cpSync(path, join(folder, path), { recursive: true });
  for (const path of ["package.json", "tsconfig.base.json", "tsconfig.core.json"])
    cpSync(path, join(folder, path));
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  const insert = (path: string, before: string, entry: string, imports: string): void => {
    const text = readFileSync(join(folder, path), "utf8");
    expect(text.split(before), `${path}: ${before}`).toHaveLength(2);
    writeFileSync(join(folder, path), imports + text.replace(before, entry + before));
  };
  for (const { file, content, registry, before, entry, imports } of contributions) {
    writeFileSync(join(folder, file), content);
    insert(registry, before, entry, imports);
  }
  insert("study/options.ts", "  rows: {\n", ROW, "");
  writeFileSync(join(folder, "probe.ts"), PROBE);
  execFileSync(
    process.execPath,
    [resolve("node_modules/typescript/bin/tsc"), "-p", "tsconfig.core.json", "--noEmit"],
    {
      cwd: folder,
    },
  );
  execFileSync(process.execPath, ["--import", "tsx", "probe.ts", join(folder, "store")], { cwd: folder });
  seen = JSON.parse(readFileSync(join(folder, "seen.json"), "utf8")) as Seen;
}, 240_000);

test.each([
  ["coupling", "toy-last"],
  ["generator", "toy-neighbour"],
  ["divergence", "toy-spread"],
  ["model reader", "Toy model"],
  ["method option", "candidates"],
])("a new %s is in help, OpenAPI document, docs and the page's controls", (_, name) => {
  for (const door of ["help", "api", "docs"] as const) expect(seen[door], door).toContain(name);
  expect(JSON.stringify(seen.offers), "page").toContain(name);
});

test("and does its work", () => {
  expect(seen.each.method).toMatchObject({ coupling: "toy-last" });
  expect(seen.each.options).toMatchObject({ generator: "toy-neighbour", model: "model of model.toy" });
  expect(seen.group.goal).toMatchObject({ divergence: "toy-spread" });
  expect(seen.group.options).toMatchObject({ candidates: 3 });
});
