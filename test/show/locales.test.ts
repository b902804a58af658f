import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { toldIn } from "../../show/data-words.ts";
import { figure, figures } from "../../show/figures/registry.ts";
import type { Locale } from "../../show/locales/contract.ts";
import { de } from "../../show/locales/de.ts";
import { en } from "../../show/locales/en.ts";
import { localeNamed, locales } from "../../show/locales/registry.ts";
import { translate } from "../../show/messages.ts";
import { cardOf } from "../../show/method-card/card.ts";
import { reportHtml } from "../../show/report/report.ts";
import {
  fill,
  formatCell,
  formatFixed,
  formatNumber,
  formatScore,
  formatSigned,
} from "../../show/sentences.ts";
import { explanationText } from "../../show/text.ts";
import { loanClasses, loanSchema } from "../../src/data/loans.ts";
import { labelOf } from "../../src/data/schema.ts";
import type { Explanation } from "../../src/explanation.ts";
import { loansExplanation, madeUpExplanation } from "../support/explanations.ts";
import { forgetsASentence, forgetsAWord } from "../support/mutants/locales.ts";
import { refuses } from "../support/refuses.ts";
import { reportData } from "../support/report-data.ts";

type Texts = Readonly<Record<string, string>>;

/** Every template of a locale by name. */
function templates({ words, papers, card, notes, messages: _m, numbers: _n, ...sentences }: Locale): Texts {
  const { id: _i, lang: _l, loans: _d, dataWords: _w, ...rest } = sentences;
  return {
    ...rest,
    ...Object.fromEntries(Object.entries(words).map(([key, text]) => [`words.${key}`, text])),
    ...Object.fromEntries(Object.entries(papers).map(([key, text]) => [`papers.${key}`, text])),
    ...Object.fromEntries(Object.entries(card).map(([key, text]) => [`card.${key}`, text])),
    ...Object.fromEntries(Object.entries(notes).map(([key, text]) => [`notes.${key}`, text])),
  };
}

const names = (template: string): string[] =>
  [...new Set([...template.matchAll(/\{(\w+)[|}]/g)].map((m) => m[1]!))].sort();

/** What a template says whatever its values are. */
const fixedParts = (template: string): string[] =>
  template.split(/\{[^}]*\}/).flatMap((part) => (part.trim().length >= 6 ? [part.trim()] : []));

function madeOf(locale: Locale): void {
  const [wanted, given] = [templates(en), templates(locale)];
  expect(Object.keys(given).sort()).toEqual(Object.keys(wanted).sort());
  for (const [key, text] of Object.entries(given)) {
    expect(text.trim(), key).not.toBe("");
    expect(names(text), key).toEqual(names(wanted[key]!));
  }
  expect(JSON.parse(JSON.stringify(locale))).toEqual(locale);
}

const explanations: Explanation[] = [];
beforeAll(async () => {
  const made = madeUpExplanation({ rows: 50, cols: 7 });
  const left = { ...made.rows[5]!, reason: "no mixture of the row with its references reaches the target." };
  const features = made.schema.features.map((feature, k) => ({ ...feature, label: `M${k}` }));
  explanations.push({ ...made, rows: made.rows.with(5, left), schema: { features } });
  explanations.push(await loansExplanation(5, { kind: "group", level: 0.8, on: "label" }));
});

/** Every text in a value, keys left out. */
const textsIn = (value: unknown): string[] =>
  typeof value === "string"
    ? [value]
    : value !== null && typeof value === "object"
      ? Object.values(value).flatMap(textsIn)
      : [];

/** What a page says: text outside programs and codes, and the texts of attributes that are read aloud or shown. */
function textsOf(html: string): string[] {
  const { proofs, rows } = reportData(html);
  const page = html.replaceAll(/<(script|style|code)[^>]*>.*?<\/\1>/gs, "");
  const attributes = [...page.matchAll(/(?:aria-label|placeholder)="([^"]*)"/g)].map((m) => m[1]!);
  const reasons = rows.map((row) => row[4]);
  return [page.replaceAll(/<[^>]*>/g, "\n"), ...attributes, ...textsIn(proofs), ...textsIn(reasons)];
}

/** Everything a person reads: the report, the terminal text, every figure with its description. */
async function readable(locale: Locale): Promise<string> {
  const texts: string[] = [];
  for (const explanation of explanations) {
    texts.push(...textsOf(await reportHtml(explanation, { locale, maxCards: 20 })));
    texts.push(explanationText(explanation, { locale }));
    texts.push(...textsIn(cardOf(explanation, { date: "2026-05-31", locale }).sections));
    for (const name of Object.keys(figures)) texts.push(...textsIn(figure(name, explanation, { locale })));
  }
  return texts.join("\n").replaceAll("&#39;", "'");
}

/** No English template is left over, unless the other language says the same. */
async function leavesNoEnglish(locale: Locale): Promise<void> {
  const text = await readable(locale);
  const own = Object.values(templates(de)).join("\n");
  const english = Object.values(templates(en)).flatMap(fixedParts);
  const left = english.filter((part) => !own.includes(part) && text.includes(part));
  expect(left).toEqual([]);
}

describe.each(Object.entries(locales))("%s", (name, locale) => {
  test("says every sentence, with the same values", () => {
    madeOf(locale);
    expect(locale.lang).toBe(name);
    expect(locale.id).toMatch(new RegExp(`^${name}-\\d+$`));
  });

  test("is the language of the page", async () => {
    const html = await reportHtml(explanations[0]!, { locale, maxCards: 1 });
    expect(html).toContain(`<html lang="${name}">`);
    expect(html).toContain(`<td>${locale.id}</td>`);
  });

  test("translates sentences that the library really says", () => {
    const source = ["src", "study"]
      .flatMap((folder) =>
        readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)),
      )
      .filter((file) => file.endsWith(".ts"))
      .map((file) => readFileSync(file, "utf8"))
      .join("\n")
      .toLowerCase();
    for (const [template, words] of Object.entries(locale.messages)) {
      for (const part of fixedParts(template)) expect(source).toContain(part.toLowerCase());
      expect(names(template)).toEqual(expect.arrayContaining(names(words)));
    }
  });
});

test("why a row has no plan is said in German", () => {
  const said = ["exact", "match", "refine", "run"]
    .flatMap((stage) => readdirSync(`src/${stage}`).map((file) => `src/${stage}/${file}`))
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => [...readFileSync(file, "utf8").matchAll(/\breason(?:: | =\s+)(["`])(.+?\.)\1/g)])
    .map(([, , text]) => text!.replace(/\$\{[^}]+\}/g, "3"));
  expect(said.length).toBeGreaterThan(8);
  expect(said.filter((text) => translate(text, de) === text)).toEqual([]);
});

test("a German report, text or figure has no English sentence", () => leavesNoEnglish(de), 60_000);

test("English is found where it is", async () => {
  const text = await readable(en);
  const found = Object.values(templates(en))
    .flatMap(fixedParts)
    .filter((part) => text.includes(part));
  expect(found.length).toBeGreaterThan(120);
}, 60_000);

test.each([forgetsAWord, forgetsASentence])(
  "a locale that forgets is noticed: $id",
  async (mutant) => {
    await refuses(() => leavesNoEnglish(mutant));
  },
  60_000,
);

test("a locale with other values is noticed", async () => {
  const odd: Locale = { ...de, raise: "{feature} auf {to} erhöhen" };
  await refuses(async () => madeOf(odd));
});

describe("German numbers", () => {
  test("have a decimal comma, and points between thousands from five digits on", () => {
    const values = [0.5, -1234.5, 2024, 12_345, -1_234_567.25, 1e21, 1.5e-9];
    expect(values.map((value) => formatNumber(value, de))).toEqual([
      "0,5",
      "-1234,5",
      "2024",
      "12.345",
      "-1.234.570",
      "1e+21",
      "1,5e-9",
    ]);
    expect([formatFixed(2, 2, de), formatSigned(-0.25, de), formatCell(81.8, de)]).toEqual([
      "2,00",
      "−0,250",
      "81,8",
    ]);
    expect(formatScore(0.49996, [0.5], de)).toBe("0,49996");
    expect(formatCell("3.5", de)).toBe("3.5");
  });

  test("are on axes as in the text, and an id is not a number", async () => {
    const made = explanations[0]!;
    const row = { ...made.rows[0]!, id: 1_234_567 };
    const text = explanationText({ ...made, rows: [row] }, { locale: de });
    expect(text).toContain("Zeile 1234567 ");
    expect(figure("curve", made, { locale: de })["config"]).toMatchObject({
      locale: { number: { decimal: ",", thousands: "." } },
    });
  });
});

test("one is one, and all else is many", () => {
  expect(["0", "1", "2"].map((edits) => fill("{edits} {edits|edit|edits}", { edits }))).toEqual([
    "0 edits",
    "1 edit",
    "2 edits",
  ]);
});

test("reasons are translated sentence by sentence; what has no words stays", () => {
  const said =
    "no mixture of the row with its references reaches the target. Unlocking Years (a+b) would allow a plan of 1 edit.";
  expect(translate(said, de)).toBe(
    "Keine Mischung der Zeile mit ihren Referenzen erreicht das Ziel. Dürfte sich Years (a+b) ändern, gäbe es einen Plan mit 1 Änderung.",
  );
  expect(translate(said, en)).toBe(said);
  expect(translate("the moon is full.", de)).toBe("the moon is full.");
  expect(translate("XGBoost (rare levels of debt, housing are one to it)", de)).toBe(
    "XGBoost (seltene Stufen von debt, housing gelten ihm als eine)",
  );
});

test("the embedded data set has German labels, units and levels; other data with the same words keep theirs", async () => {
  const { features } = loanSchema;
  const { labels, units, levels } = de.loans!;
  expect(Object.keys(labels)).toEqual(features.map(labelOf));
  expect(new Set(Object.keys(units))).toEqual(new Set(features.flatMap(({ unit }) => unit ?? [])));
  const all = [...features.flatMap(({ categories = [] }) => categories), ...loanClasses];
  expect(new Set(Object.keys(levels))).toEqual(new Set(all));
  for (const words of [labels, units, levels])
    expect(new Set(Object.values(words)).size, "none called alike").toBe(Object.keys(words).length);
  const made = await loansExplanation(5, { kind: "each", target: { class: "granted" } });
  const before = JSON.stringify(made);
  const page = textsOf(await reportHtml(made, { locale: de, maxCards: 20 })).join("\n");
  const text = explanationText(made, { locale: de });
  const left = [...Object.keys(labels), "per year", "granted"].filter((word) =>
    `${page}${text}`.includes(word),
  );
  expect(left).toEqual([]);
  expect(text).toContain("Einkommen");
  expect(JSON.stringify(made), "what is shown is not part of it").toBe(before);
  const own = { ...made, schema: { features: features.map(({ label: _, ...feature }) => feature) } };
  expect(toldIn(own, de)).toEqual({ explanation: own, locale: de });
  expect(toldIn(made, en)).toEqual({ explanation: made, locale: en });
}, 60_000);

test("an unknown locale is refused with those there are", () => {
  expect(localeNamed("de")).toBe(de);
  for (const name of ["fr", "constructor", ""])
    expect(() => localeNamed(name)).toThrow(
      expect.objectContaining({
        code: "NAME_UNKNOWN",
        message: expect.stringMatching(/choose one of en, de/),
      }),
    );
});

test("only the registry and the door know every language, so that a page loads one", () => {
  const files = ["show", "web"].flatMap((top) =>
    readdirSync(top, { recursive: true, encoding: "utf8" }).map((file) => join(top, file)),
  );
  const knowing = files
    .filter((file) => /\.tsx?$/.test(file))
    .filter((file) =>
      /from "[^"]*(?:locales\/(?:de|registry)|\/de|show\/index)\.ts"/.test(readFileSync(file, "utf8")),
    );
  expect(knowing.sort()).toEqual(["show/index.ts", "show/locales/registry.ts", "web/words/de.ts"]);
  expect(readFileSync("web/words/said.ts", "utf8")).not.toMatch(/from "\.\/de/);
});
