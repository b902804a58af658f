import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { FOLDERS } from "../../scripts/architecture.ts";
import { VERSION } from "../../src/version.ts";

const bundles = (): string[] => readdirSync(".cache").filter((name) => name.startsWith("cola-"));
const start = (): string =>
  execFileSync(process.execPath, ["scripts/start.mjs", "--version"], { encoding: "utf8" }).trim();

test("npm start makes a bundle once and then starts it", () => {
  expect(start()).toBe(VERSION);
  const made = bundles();
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
