import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { cola } from "../support/cli.ts";

const folder = mkdtempSync(join(tmpdir(), "cola-locale-"));
afterAll(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);
const bytes = (name: string): Buffer => readFileSync(at(name));

test("the language changes what is said, not what is found, and a report can be told again in another", async () => {
  const small = ["explain", "--rows", "3", "--formats", "html,svg"];
  const english = await cola(...small, "--out", at("en"));
  const german = await cola(...small, "--out", at("de"), "--locale", "de");
  expect([english.code, german.code], english.err + german.err).toEqual([0, 0]);
  expect(english.out).toContain("3 of 3 rows reach the goal when re-scored.");
  expect(german.out).toContain("3 von 3 Zeilen erreichen bei erneuter Bewertung das Ziel.");
  expect(german.out).toMatch(/^Geschrieben: /m);
  expect(german.out).not.toMatch(/rows|Written|instead/);
  expect(bytes("de/explanation.json").equals(bytes("en/explanation.json"))).toBe(true);
  expect(bytes("en/report.html").toString()).toContain('<html lang="en">');
  const again = await cola(
    "report",
    at("en/explanation.json"),
    "--locale",
    "de",
    "--formats",
    "html,svg",
    "--out",
    at("again"),
  );
  expect(again.out).toMatch(/^Geschrieben: /);
  for (const file of ["report.html", "curve.svg", "waterfall.svg"])
    expect(bytes(`again/${file}`).equals(bytes(`de/${file}`)), file).toBe(true);
});

test.each([["explain"], ["report", "nowhere.json"]])("%s refuses a locale there is not", async (...words) => {
  const { code, err } = await cola(...words, "--locale", "xx", "--out", at("none"));
  expect(code).toBe(2);
  expect(err).toMatch(/no locale "xx"; choose one of en, de\. \[NAME_UNKNOWN\]/);
});
