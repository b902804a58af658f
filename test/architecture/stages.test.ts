import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, test } from "vitest";

/** The one path. A stage may import itself, earlier stages and the ground; never a later one. */
const STAGES = [
  "data",
  "exact",
  "model",
  "train",
  "read",
  "generate",
  "couple",
  "search",
  "match",
  "attribute",
  "compose",
  "refine",
  "evaluate",
];
/** What every stage stands on. */
const GROUND = ["num", "types.ts", "errors.ts", "budget.ts"];
/** Stages that may import less than the order allows. */
const NARROW: Readonly<Record<string, readonly string[]>> = { couple: [] };

function files(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "node_modules" ? [] : files(path);
    return /\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

function imports(file: string): string[] {
  const text = readFileSync(file, "utf8");
  return [...text.matchAll(/(?:from|import)\s+"([^"]+)"/g)].map((m) => m[1]!);
}

/** Top-level entry of src/ that `file` imports through `specifier`. */
function stageOf(file: string, specifier: string): string {
  return relative("src", join(dirname(file), specifier)).split(/[\\/]/)[0]!;
}

describe("the import graph", () => {
  const library = files("src").filter((f) => !f.endsWith(".d.ts"));

  test("the library imports nothing from outside src/", () => {
    const strangers = library.flatMap((f) =>
      imports(f)
        .filter((s) => !s.startsWith("."))
        .map((s) => `${f}: ${s}`),
    );
    expect(strangers).toEqual([]);
    const escapes = library.flatMap((f) =>
      imports(f)
        .filter((s) => stageOf(f, s) === "..")
        .map((s) => `${f}: ${s}`),
    );
    expect(escapes).toEqual([]);
  });

  test.each(STAGES)("%s imports only the ground and earlier stages", (stage) => {
    const allowed = new Set([...GROUND, stage, ...(NARROW[stage] ?? STAGES.slice(0, STAGES.indexOf(stage)))]);
    const wrong = library
      .filter((f) => relative("src", f).split(/[\\/]/)[0] === stage)
      .flatMap((f) =>
        imports(f)
          .filter((s) => !allowed.has(stageOf(f, s)))
          .map((s) => `${f} → ${s}`),
      );
    expect(wrong).toEqual([]);
  });

  test("num has never heard of explanations", () => {
    const allowed = new Set(GROUND);
    const wrong = files("src/num").flatMap((f) => imports(f).filter((s) => !allowed.has(stageOf(f, s))));
    expect(wrong).toEqual([]);
  });
});

describe("habits", () => {
  const all = ["src", "show", "node", "cli", "server", "web", "experiments"].flatMap(files);

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
