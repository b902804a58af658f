import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { EMBEDDED } from "../../web/engine/data.ts";
import { methods } from "../../web/engine/methods.ts";
import {
  couplingTitles,
  generatorTitles,
  modelTitles,
  moreOptions,
  policyTitles,
} from "../../web/settings.ts";
import type { StudioLocale } from "../../web/words/contract.ts";
import { german } from "../../web/words/de.ts";
import { inPageWords } from "../../web/words/page-words.ts";
import { english, languages, saidIn } from "../../web/words/said.ts";
import { refuses } from "../support/refuses.ts";

const names = (template: string): string[] =>
  [...new Set([...template.matchAll(/\{(\w+)[|}]/g)].map((m) => m[1]!))].sort();

/** The same sentences with the same values, none empty, and none left in English by oversight. */
function speaks({ words }: StudioLocale): void {
  expect(Object.keys(words).sort()).toEqual(Object.keys(english.words).sort());
  for (const [key, text] of Object.entries(words)) {
    const wanted = english.words[key as keyof typeof english.words];
    expect(text.trim(), key).not.toBe("");
    expect(names(text), key).toEqual(names(wanted));
    const sentence = wanted
      .replaceAll(/\{[^}]*\}/g, "")
      .split(/\s+/)
      .filter((word) => /^[a-z]{2,}/.test(word));
    if (words !== english.words && sentence.length > 1) expect(text, key).not.toBe(wanted);
  }
}

test.each(Object.entries(languages))("%s says every sentence of the studio", async (_, { load }) => {
  speaks(await load());
});

test("a language that leaves a sentence in English, empty or without its value is noticed", async () => {
  const broken = [
    { nothingSent: english.words.nothingSent },
    { cancel: " " },
    { readingFile: "Die Datei wird gelesen …" },
  ];
  for (const words of broken)
    await refuses(async () => speaks({ ...german, words: { ...german.words, ...words } }));
});

/** Titles that are the same in every language. */
const PROPER = /^(AdaBoost|XGBoost|LightGBM|NICE)$/;

test("every title the page takes from elsewhere has German words", () => {
  const titles = [
    ...[modelTitles, generatorTitles, couplingTitles, policyTitles].flatMap((one) => Object.values(one)),
    ...methods.flatMap(({ title, note }) => [title, note]),
    EMBEDDED,
    ...moreOptions.flatMap(({ label, choices = [] }) => [label, ...choices.map(([, text]) => text)]),
  ];
  const { title } = saidIn(german);
  expect(titles.filter((text) => !PROPER.test(text) && title(text) === text)).toEqual([]);
  expect(title("Model of m.onnx")).toBe("Modell aus m.onnx");
  expect(saidIn(english).title("Random forest")).toBe("Random forest");
});

test("sentences of the page and of the library are said in the language of the page", () => {
  const said = saidIn(german);
  expect(said.tell({ key: "readingFile", values: { file: "a.csv" } })).toBe("a.csv wird gelesen …");
  expect(said.say("people", { all: "1" })).toBe("1 Person");
  expect(said.say("feature"), "shared with the report").toBe("Merkmal");
  expect(said.tell("the moon is full.")).toBe("the moon is full.");
  expect([said.count(10_119), saidIn(english).count(10_119)]).toEqual(["10.119", "10,119"]);
});

/** Text between tags, and texts of attributes that are shown or read aloud, in a file of views. */
function englishIn(source: string): string[] {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
  const between = [...code.matchAll(/>([^<>{}=;]*[A-Za-z]{3,}[^<>{}=;]*)</g)].map((m) => m[1]!);
  const attributes = [...code.matchAll(/(?:aria-label|label|placeholder|title|hint|name|note)="([^"]*)"/g)];
  const shown = attributes.map((m) => m[1]!).filter((text) => /[A-Z]|\s/.test(text));
  return [...between.filter((text) => !/[()|&]|=>/.test(text)), ...shown].map((text) => text.trim());
}

test("no view has a sentence of its own", () => {
  const files = readdirSync("web", { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".tsx"),
  );
  expect(files.length).toBeGreaterThan(15);
  const found = files.flatMap((file) => englishIn(readFileSync(join("web", file), "utf8")));
  expect(found).toEqual([]);
  expect(englishIn("return <p>Load a model first.</p>;")).toEqual(["Load a model first."]);
  expect(englishIn('<Select label="Known outcome" id="x" />')).toEqual(["Known outcome"]);
});

test.each(Object.entries(languages))(
  "%s names no option of the command line on the page",
  async (_, { load }) => {
    const { words, titles } = await load();
    const naming = Object.values({ ...words, ...titles }).filter((text) =>
      /(^|[\s(“])--?[a-z]|cola [a-z]+|command line|Befehlszeile|Kommandozeile/.test(text),
    );
    expect(naming).toEqual([]);
  },
);

/** Every text of the library that names an option of the command line, as it stands in the sources. */
function namingOptions(): string[] {
  const files = ["src", "study", "formats"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts") && file !== "options.ts")
      .map((file) => join(folder, file)),
  );
  return files.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/`((?:[^`\\]|\\.)*)`|"((?:[^"\\\n]|\\.)*)"/g)]
      .map((m) => m[1] ?? m[2] ?? "")
      .filter((text) => /\s/.test(text) && /(^|[\s(])--[a-z]|options\.[a-z]/.test(text)),
  );
}

test("no message of the library names an option of the command line on the page", () => {
  const texts = namingOptions();
  expect(texts.length).toBeGreaterThan(20);
  const left = texts.map((text) => inPageWords(text)).filter((text) => /--[a-z]|options\.[a-z]/.test(text));
  expect(left).toEqual([]);
  expect(inPageWords("binding: x is text; give it (--encoding), or options.label.")).toBe(
    "binding: x is text; give it, or “Known outcome”.",
  );
  const said = saidIn(german);
  expect(
    inPageWords("options.saveSchema, options.missing, options.dateParts (--x), decimalComma", said),
  ).toBe("„Schema (Dateien)“, „Gilt als fehlend“, „Datum in Teilen“, „Dezimalkomma (1.234,5)“");
});
