import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { NOTES } from "../../src/data/notes.ts";
import { cola } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";

const folder = temporaryFolder();
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

/** 240 rows with an identifier, a leak, codes for missing values, amounts, a date, a protected attribute, near twins. */
function oddTable(): string {
  const lines = Array.from({ length: 240 }, (_, i) => {
    const granted = (i * 37) % 100 > 45;
    const score = i % 40 === 0 ? -9 : 30 + ((i * 7) % 50);
    return [
      100_002 + i,
      granted ? "Check-Out" : i % 3 ? "Canceled" : "No-Show",
      score + (granted && score > 0 ? 5 : 0),
      `"$${1 + (i % 9)},${100 + ((i * 13) % 900)}"`,
      `2024-0${1 + (i % 9)}-1${i % 10}`,
      20 + (i % 50),
      ["Koch", "koch", "Arzt"][i % 3],
      granted ? "ja" : "nein",
    ].join(",");
  });
  const path = at("odd.csv");
  writeFileSync(path, ["nr,status,risk,income,day,alter,job,zusage", ...lines].join("\n"));
  return path;
}

test("notes about the data are told in the chosen language", async () => {
  const words = ["explain", "--data", oddTable(), "--label", "zusage", "--rows", "2", "--formats", "csv"];
  const told = async (locale: string): Promise<string[]> => {
    const { out, err } = await cola(...words, "--locale", locale, "--out", at(`odd-${locale}`));
    const leak = err.trim().split("\n");
    expect(leak).toHaveLength(1);
    return [...leak, ...out.slice(0, out.indexOf("odd.csv (240")).trim().split("\n").slice(0, -1)];
  };
  const [english, german] = [await told("en"), await told("de")];
  expect(german).toMatchSnapshot();
  expect(german).toHaveLength(english.length);
  const codes = [
    "leakAlways",
    "frozenId",
    "sentinels",
    "amounts",
    "leftOut",
    "protected",
    "twinLevels",
    "readAs",
  ];
  for (const code of codes as (keyof typeof NOTES)[]) {
    const longest = (text: string): string =>
      text.split(/\{[^}]*\}/).reduce((a, b) => (b.length > a.length ? b : a));
    const part = longest(NOTES[code]).replaceAll("options.saveSchema", "--save-schema");
    expect(english.join("\n"), code).toContain(part);
    expect(german.join("\n"), code).not.toContain(part);
  }
});

test.each([["explain"], ["report", "nowhere.json"]])("%s refuses a locale there is not", async (...words) => {
  const { code, err } = await cola(...words, "--locale", "xx", "--out", at("none"));
  expect(code).toBe(2);
  expect(err).toMatch(/no locale "xx"; choose one of en, de\. \[NAME_UNKNOWN\]/);
});
