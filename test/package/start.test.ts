import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FOLDERS } from "../../scripts/architecture.ts";
import { VERSION } from "../../src/version.ts";

/** The bundles that are kept, each with the time at which it was made. */
const bundles = (): string[] =>
  readdirSync(".cache/cola").map((name) => `${name} ${statSync(join(".cache/cola", name)).mtimeMs}`);
const start = (): string =>
  execFileSync(process.execPath, ["scripts/start.mjs", "--version"], { encoding: "utf8" }).trim();

test("npm start makes a bundle once and then starts it", () => {
  expect(start()).toBe(VERSION);
  const made = bundles();
  expect(made).not.toEqual([]);
  expect(start()).toBe(VERSION);
  expect(bundles()).toEqual(made);
}, 120_000);

test("the bundle is known by every folder that it is made of", () => {
  const needed = new Set(["cli", "server", "scripts"]);
  for (const folder of needed) {
    if (folder !== "scripts") for (const other of FOLDERS[folder]!) needed.add(other);
  }
  const named = /MADE_OF = \[([^;]*)\];/.exec(readFileSync("scripts/start.mjs", "utf8"))![1]!;
  for (const folder of needed) expect(named).toContain(`"${folder}"`);
});
