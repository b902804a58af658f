import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { ERRORS } from "../../src/errors.ts";

const pages = [
  ...readdirSync(".").filter((f) => f.endsWith(".md")),
  ...readdirSync("docs", { recursive: true, encoding: "utf8" })
    .filter((f) => f.endsWith(".md"))
    .map((f) => join("docs", f)),
];

test("docs/ERRORS.md lists exactly the errors there are, with their meaning", () => {
  const listed = [...readFileSync("docs/ERRORS.md", "utf8").matchAll(/^\| `([A-Z_]+)` \| (.+) \|$/gm)].map(
    (m) => [m[1], m[2]],
  );
  expect(Object.fromEntries(listed)).toEqual(ERRORS);
});

test("every relative link in the documentation leads somewhere", () => {
  const broken = pages.flatMap((page) => {
    const text = readFileSync(page, "utf8").replace(/```[\s\S]*?```/g, "");
    return [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)]
      .map((m) => m[1]!)
      .filter((link) => !/^[a-z]+:/.test(link) && !existsSync(join(dirname(page), link)))
      .map((link) => `${page}: ${link}`);
  });
  expect(broken).toEqual([]);
});

test("every file named in docs/PAPER.md exists", () => {
  const text = readFileSync("docs/PAPER.md", "utf8");
  const named = [...text.matchAll(/`((?:src|test|show|node|experiments|cli)\/[^`*]+\.ts)`/g)].map(
    (m) => m[1]!,
  );
  expect(named.length).toBeGreaterThan(15);
  expect(named.filter((f) => !existsSync(f))).toEqual([]);
});
