import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { messageOf } from "../../src/errors.ts";
import { dataOf } from "../../study/data.ts";
import { pastedRow } from "../../web/engine/applicant.ts";
import { openData } from "../../web/engine/data.ts";
import { readExplanation } from "../../web/engine/files.ts";
import { matched } from "../../web/engine/model-files.ts";
import { openModelFile, openOwn } from "../../web/engine/read.ts";
import { runAll } from "../../web/engine/run.ts";
import { defaultChoices } from "../../web/settings.ts";
import { german } from "../../web/words/de.ts";
import { deErrors } from "../../web/words/de-errors.ts";
import { inPageWords } from "../../web/words/page-words.ts";
import { english, saidIn } from "../../web/words/said.ts";
import { refuses } from "../support/refuses.ts";

const file = (name: string, text: string) => ({ name, bytes: new TextEncoder().encode(text) });
const csv = (text: string, roles: { label?: string } = {}) => openData(file("own.csv", text), roles);
const parts = (name: string) => ({ name, bytes: new Uint8Array(readFileSync(`examples/parts/${name}`)) });
const rows = (count: number): string => Array.from({ length: count }, (_, i) => `${i},${i}.5`).join("\n");

async function run(change: object, label?: string): Promise<unknown> {
  const settings = { ...defaultChoices, rows: 5, ...change, overlay: { features: {}, ...change } };
  const opened =
    label === undefined ? { roles: {}, data: dataOf({ options: {} }) } : await csv("a,y\n1,2\n2,3\n");
  return runAll(opened, settings, { model: { train: "logistic" } }, {});
}

/** The model over a table that has none of its inputs. */
async function unmatched(): Promise<void> {
  const source = await openModelFile(parts("xgboost.json"));
  const { match } = await matched(await csv("a,y\n1,2\n2,3\n"), { features: {} }, { source }, {});
  throw new Error(match!.wrong!);
}

/** The model over its own table, of which one column is said to be the outcome. */
async function setAside(): Promise<void> {
  const source = await openModelFile(parts("xgboost.json"));
  const own = await csv(readFileSync("examples/parts/loans.csv", "utf8"), { label: "purpose" });
  const { match } = await matched(own, { features: {} }, { source }, {});
  throw new Error(match!.wrong!);
}

/** What people do wrong most often, each with a word its German sentence has. */
const MISTAKES: Readonly<Record<string, readonly [() => unknown, RegExp]>> = {
  "too few cells": [() => csv("a,b\n1\n"), /Zeile 2 hat 1 Zelle, die Kopfzeile hat 2;/],
  "too many cells": [() => csv("a,b\n1,2,,5\n"), /Zeile 2 hat 4 Zellen,/],
  "lines above the header": [() => csv("a\n1,2\n"), /hat 2 Zellen, die Kopfzeile nur eine, nämlich "a"/],
  "an empty file": [() => csv(""), /leer/],
  "a header alone": [() => csv("a,b\n"), /keine Zeile/],
  "an open quote": [() => csv('a,b\n"1,2\n'), /nie geschlossen/],
  "text behind a quote": [() => csv('a,b\n"1"x,2\n'), /schließenden/],
  "the header twice": [() => csv("a,b\na,b\n1,2\n"), /wiederholt/],
  "a value too far": [() => csv("a,b,\n1,2,5\n"), /hinter der letzten Spalte/],
  "no text": [() => csv("a,b\n1\0,2\n"), /NUL/],
  "a name twice": [() => csv("a,a\n1,2\n"), /Spalte 2 heißt "a"/],
  "no name": [() => csv("a,,b\n1,2,3\n"), /Spalte 2 hat keinen Namen/],
  "a title above": [
    () => csv("Loans,,\na,b,c\n1,2,3\n"),
    /über der Kopfzeile \("Loans" ist vielleicht eine\)/,
  ],
  "no header": [() => csv("4,1,1\n5,2,2\n"), /Spalte 3 heißt "1" .* eine Kopfzeile darüber/],
  "a spreadsheet": [() => openData(file("own.xlsx", "PK\u0003\u0004x"), {}), /Tabellenkalkulation/],
  "a web page": [() => openData(file("own.xls", "<html>"), {}), /Webseite/],
  "another coding": [
    () => openData({ name: "own.csv", bytes: Uint8Array.of(0x61, 0xe4, 0x0a) }, {}),
    /kein Text in utf-8/,
  ],
  "no Parquet": [() => openData(file("own.parquet", "abc"), {}), /heißt wie eine Parquet-Datei/],
  "a broken Parquet": [() => openData(file("own.parquet", "PAR1abcPAR1"), {}), /beschädigt/],
  "one outcome alone": [() => csv("a,y\n1,2\n2,2\n", { label: "y" }), /nur einen Wert, "2"/],
  "an outcome of many values": [() => csv(`a,y\n${rows(300)}\n`, { label: "y" }), /300 verschiedene/],
  "an outcome with gaps": [
    () => csv("a,y\n1,a\n2,\n3,b\n", { label: "y" }),
    /Zeile 1 der Tabelle hat kein y/,
  ],
  "no outcome": [() => run({}, "none"), /braucht dazu die Spalte mit dem bekannten Ausgang/],
  "an unknown file": [() => openModelFile(file("m.json", "hello")), /Lesbar sind XGBoost/],
  "an empty model": [() => openModelFile(file("m.json", "")), /leer/],
  "a model cut short": [() => openModelFile(file("m.json", '{"a"')), /abgeschnitten/],
  "no model": [() => openModelFile(file("m.json", "{}")), /kein gespeichertes Modell/],
  "a booster without a part": [
    () => openModelFile(file("m.json", '{"learner":{}}')),
    /fehlt "learner_model_param"/,
  ],
  "trees as a list": [() => openModelFile(file("m.json", "[1]")), /eine Liste/],
  "a model of other columns": [unmatched, /^Die Eingaben age, .* des Modells sind nicht in der Tabelle/],
  "a column of the model said to be the outcome": [
    setAside,
    /^Das Modell liest purpose, was hier als Ausgang/,
  ],
  "counterfactuals without rows": [() => openOwn(file("c.json", "[]")), /keine Zeile/],
  "counterfactuals that are none": [() => openOwn(file("c.json", "x")), /kein JSON/],
  "a run that is none": [
    () => readExplanation("e.json", file("e", "{}").bytes),
    /nicht die explanation.json/,
  ],
  "a run that is no JSON": [() => readExplanation("e.json", file("e", "x").bytes), /kein gültiges JSON/],
  "a row without its header": [
    async () => {
      const { data } = await csv("a,b,c\n1,2,3\n4,5,6\n");
      return pastedRow("7", data, data.table.names);
    },
    /Zeile hat 1 Zelle, die Tabelle 3 Spalten/,
  ],
  "a goal that is none": [() => run({ target: "nobody" }), /"nobody" ist weder/],
  "a goal that all reach": [() => run({ target: "score > 0" }), /nichts zu erklären\. Wählen Sie/],
  "an empty range": [() => run({ features: { income: { min: 5, max: 2 } } }), /Bei income .* 5 .* 2;/],
};

async function mistake(make: () => unknown): Promise<string> {
  try {
    await make();
  } catch (error) {
    return inPageWords(messageOf(error));
  }
  throw new Error("nothing was refused");
}

/** A message of the library in German: every sentence of it, with its values. */
function saidInGerman(message: string, wanted: RegExp, words = german): void {
  const told = saidIn(words).tell(message);
  expect(told).toMatch(wanted);
  expect(told).not.toMatch(/\b(the|is|has|are|give|save|choose)\b/);
  expect(saidIn(english).tell(message)).toBe(message);
}

test.each(Object.entries(MISTAKES))("%s is told in German", async (_, [make, wanted]) => {
  saidInGerman(await mistake(make), wanted);
});

test("English that is left over is noticed, and one is one", async () => {
  const message = await mistake(() => csv("a,b\n1\n"));
  expect(message).toContain("has 1 cell where");
  const { titles } = german;
  const without = Object.fromEntries(Object.entries(titles).filter(([key]) => !Object.hasOwn(deErrors, key)));
  await refuses(async () => saidInGerman(message, /Zeile 2/, { ...german, titles: without }));
});
