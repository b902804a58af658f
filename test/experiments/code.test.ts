import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { codeDigest } from "../../experiments/code.ts";
import { keep, readKept } from "../../experiments/store.ts";
import { temporaryFolder } from "../support/folder.ts";

const folder = temporaryFolder();

const put = (name: string, text: string): void => {
  mkdirSync(join(folder, name, ".."), { recursive: true });
  writeFileSync(join(folder, name), text);
};

test("a digest follows imports, static and dynamic, round circles, and nothing else", () => {
  put("main.ts", 'import { a } from "./a.ts";\nexport const b = await import("./deep/b.ts");\n');
  put("a.ts", 'import "./main.ts";\nexport const a = 1;\n');
  put("deep/b.ts", 'export { c } from "../c.ts";\nimport x from "node:fs";\n');
  put("c.ts", 'import type {\n  T,\n} from "./aside.ts";\nexport const c = 1;\n');
  put("aside.ts", "1;\n");
  const digest = (): string => codeDigest(join(folder, "main.ts"));
  const first = digest();
  put("aside.ts", "2;\n");
  expect(digest()).toBe(first);
  for (const name of ["main.ts", "a.ts", "deep/b.ts", "c.ts"]) {
    const text = readFileSync(join(folder, name), "utf8");
    put(name, `${text}//\n`);
    expect(digest(), name).not.toBe(first);
    put(name, text);
  }
  expect(digest()).toBe(first);
});

test("what another program kept is not read", () => {
  const path = join(folder, "kept.json");
  keep(path, [1, 2], "scenario");
  expect(readKept(path, "scenario")).toEqual([1, 2]);
  expect(readKept(path, "benchmark")).toBeUndefined();
  const kept = JSON.parse(readFileSync(path, "utf8")) as { code: string };
  writeFileSync(path, JSON.stringify({ ...kept, code: "0" }));
  expect(readKept(path, "scenario")).toBeUndefined();
});
