import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { violations } from "../../scripts/architecture.ts";
import { sources } from "../../scripts/source.ts";

function files(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "node_modules" ? [] : files(path);
    return /\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

describe("the import graph", () => {
  const tree = sources();

  test("no folder imports what it may not, and nothing imports in circles", () => {
    expect(tree.length).toBeGreaterThan(500);
    expect(violations(tree)).toEqual([]);
  });

  test("the library imports nothing but itself", () => {
    const unnamed = tree
      .filter(({ path }) => path.startsWith("src/"))
      .flatMap(({ path }) => {
        const names = readFileSync(path, "utf8").matchAll(/(?:from|import)\s+"([^"]+)"/g);
        return [...names].filter(([, name]) => !name!.startsWith(".")).map(([, name]) => `${path}: ${name}`);
      });
    expect(unnamed).toEqual([]);
  });

  /** The tree with one more import, which must be all that is found. */
  const planted = (from: string, to: string, kind: "values" | "types" | "later" = "values"): string[] =>
    violations([
      ...tree.filter(({ path }) => path !== from),
      {
        path: from,
        imports: [
          ...(tree.find(({ path }) => path === from)?.imports ?? []),
          { to, types: kind === "types", later: kind === "later" },
        ],
      },
    ]);

  test.each([
    ["a door that imports a door", "web/main.tsx", "cli/explain-and-write.ts", "web may not import cli"],
    ["a door, when it is needed", "server/app.ts", "cli/run.ts", "server may not import cli"],
    ["a command that reaches past the server's index", "cli/commands/serve.ts", "server/app.ts", "server"],
    ["another command that imports the server", "cli/commands/train.ts", "server/index.ts", "server"],
    ["the library importing a door", "src/explain.ts", "show/index.ts", "src may not import show"],
    ["show importing the page", "show/index.ts", "web/main.tsx", "show may not import web"],
    ["a stage that imports a later one", "src/match/best.ts", "src/refine/refine.ts", "comes before"],
    ["a coupling that has heard of models", "src/couple/exact.ts", "src/model/contract.ts", "comes before"],
    ["numbers that have heard of schemas", "src/num/heap.ts", "src/data/schema.ts", "comes before"],
    [
      "a checker that shares code with the search",
      "src/verify/proof.ts",
      "src/exact/boxes.ts",
      "comes before",
    ],
    ["a checker that asks a model", "src/flatten/flatten.ts", "src/model/link.ts", "comes before"],
    ["a checker that uses errors of the library", "src/verify/verify.ts", "src/errors.ts", "comes before"],
    ["the ground importing a stage", "src/errors.ts", "src/data/schema.ts", "comes before"],
    ["a folder that is not named", "new/thing.ts", "src/index.ts", "new has no place"],
  ])("finds %s", (_, from, to, told) => {
    const found = planted(from, to, from === "server/app.ts" ? "later" : "types");
    expect(found.filter((one) => one.startsWith(from)).join()).toContain(told);
  });

  test("finds circles of files and of folders", () => {
    const within = planted("src/match/option.ts", "src/match/search.ts");
    expect(within).toEqual([expect.stringMatching(/^files .*src\/match\/option\.ts, .*search\.ts/)]);
    const ofTypes = planted("src/run/options.ts", "src/run/contract.ts", "types");
    expect(ofTypes).toEqual([expect.stringMatching(/^files .*src\/run\/contract\.ts, .*options\.ts/)]);
    const across = violations([
      { path: "formats/a.ts", imports: [{ to: "study/b.ts", types: true, later: false }] },
      { path: "study/b.ts", imports: [{ to: "formats/a.ts", types: true, later: false }] },
    ]);
    expect(across).toContain("folders that import each other: formats, study");
  });
});

describe("habits", () => {
  const all = [
    "src",
    "study",
    "show",
    "formats",
    "node",
    "cli",
    "server",
    "web",
    "experiments",
    "scripts",
  ].flatMap(files);

  test("no file is longer than 300 lines unless it says why", () => {
    const long = all
      .map((f) => ({ f, text: readFileSync(f, "utf8") }))
      .filter(({ text }) => text.split("\n").length > 301 && !/^ \* Length: .+/m.test(text))
      .map(({ f }) => f);
    expect(long).toEqual([]);
  });

  test("the library finds no clock, console or randomness of its own", () => {
    const found = files("src")
      .filter((f) => !f.endsWith(".d.ts"))
      .flatMap((f) => {
        const text = readFileSync(f, "utf8").replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
        const words =
          text.match(/\bconsole\.|Math\.random|Date\.now|new Date|\bprocess\.[a-z]|performance\.now/g) ?? [];
        return words
          .filter((w) => !(w === "performance.now" && f.endsWith("budget.ts")))
          .map((w) => `${f}: ${w}`);
      });
    expect(found).toEqual([]);
  });

  test("messages say what a thing is not as people do: is not a number, not is no number", () => {
    const odd =
      /["`][^"`\n]*(?<!\b[Tt]here )\b(?:is|are|was|were|be) no (?!longer\b|more\b|less\b|worse\b|better\b|promise\b)[a-z]+/g;
    const found = all
      .filter((f) => !/\/de(-\w+)?\.ts$/.test(f))
      .flatMap((f) =>
        [
          ...readFileSync(f, "utf8")
            .replace(/^\s*(\/\*)?\*.*$|\/\/.*$/gm, "")
            .matchAll(odd),
        ].map(([said]) => `${f}: ${said}`),
      );
    expect(found).toEqual([]);
  });

  test("every published subpath has its source", () => {
    const { exports } = JSON.parse(readFileSync("package.json", "utf8")) as {
      exports: Record<string, { default: string } | string>;
    };
    const missing = Object.values(exports)
      .filter((e) => typeof e === "object")
      .map((e) => e.default.replace("./dist/", "").replace(/\.js$/, ".ts"))
      .filter((source) => !existsSync(source));
    expect(missing).toEqual([]);
  });
});
