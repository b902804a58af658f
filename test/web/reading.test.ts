import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Explanation } from "../../src/explanation.ts";
import { stream } from "../../src/num/random.ts";
import { pastedRow } from "../../web/engine/applicant.ts";
import { calls } from "../../web/engine/calls.ts";
import { infoOf, openData } from "../../web/engine/data.ts";
import { finishedOf } from "../../web/engine/job-result.ts";
import { missingTexts, rolesOf, rolesOfJob } from "../../web/engine/roles.ts";
import { runAll } from "../../web/engine/run.ts";
import { unreadColumns } from "../../web/parts/unread.ts";
import { defaultChoices, withModel } from "../../web/settings.ts";
import { cola } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";

const folder = temporaryFolder();

const comma = (value: number): string => value.toFixed(2).replace(".", ",");

/** An export as a German office writes it: semicolons, decimal commas, dates, "k.A." among the incomes, a cell in quotes. */
function office(delimiter = ";"): string {
  const random = stream(3, "office");
  const lines = Array.from({ length: 120 }, (_, i) => {
    const income = 1500 + 3000 * random.next();
    const amount = 2000 + 20_000 * random.next();
    const told = i % 17 === 4 ? "k.A." : comma(income);
    const day = `${String(1 + (i % 28)).padStart(2, "0")}.0${1 + (i % 9)}.2024`;
    const street = i % 2 ? `"Hauptstr. 5${delimiter} Köln"` : "Am Weg 3";
    const cells = [`A-${i}`, day, told, comma(amount), street, income / 1000 > amount / 8000 ? "ja" : "nein"];
    return cells.join(delimiter);
  });
  return `${["Antrag", "Datum", "Einkommen", "Summe", "Straße", "Zusage"].join(delimiter)}\n${lines.join("\n")}\n`;
}

const file = (text: string, name = "office.csv") => ({ name, bytes: new TextEncoder().encode(text) });
const roles = { label: "Zusage", id: "Antrag", missing: ["k.A."], dateParts: ["Datum"] };
const settings = { ...defaultChoices, overlay: {}, target: "ja", rows: 6 };

describe("columns that are not what they look like", () => {
  test("a date and numbers with texts among them are told apart, each with what helps", async () => {
    const { notes } = infoOf(await openData(file(office()), { label: "Zusage", id: "Antrag" }));
    expect(unreadColumns({ notes }).map(({ name, remedy }) => [name, remedy])).toEqual([
      ["Datum", "date"],
      ["Einkommen", { texts: ["k.A."] }],
    ]);
    const quoted = 'a,b\n"1,5",1\n"2,5",2\n"3,25",1\n';
    const told = unreadColumns(infoOf(await openData(file(quoted), {})));
    expect(told.map(({ name, remedy }) => [name, remedy])).toEqual([["a", "comma"]]);
  });

  test("what helps is done, asked again of the same file, and taken back", async () => {
    const first = await calls.open({ ...file(office()), label: "Zusage", id: "Antrag" }, {});
    const kinds = (info: typeof first) => info.schema.features.map(({ name, kind }) => `${name} ${kind}`);
    expect(kinds(first)).toEqual(["Einkommen categorical", "Summe numeric", "Straße categorical"]);
    const read = await calls.roles(roles, {});
    expect(kinds(read)).toEqual([
      ...["Datum_year", "Datum_month", "Datum_day", "Datum_weekday"].map((name) => `${name} integer`),
      ...["Einkommen numeric", "Summe numeric", "Straße categorical"],
    ]);
    expect(unreadColumns(read)).toEqual([]);
    expect(rolesOf(read), "and is kept with the session").toEqual(roles);
    expect(kinds(await calls.roles({ label: "Zusage", id: "Antrag" }, {}))).toEqual(kinds(first));
  });

  test("the run is that of the command line with the same options, to the hash", async () => {
    const path = join(folder, "office.csv");
    writeFileSync(path, office());
    const opened = await openData(file(office()), roles);
    const { explanation } = await runAll(opened, settings, { model: { train: "logistic" } }, {});
    const words = ["--data", path, "--label", "Zusage", "--id", "Antrag", "--target", "ja", "--rows", "6"];
    const reading = ["--missing", missingTexts(["k.A."]).join(","), "--date-parts", "Datum"];
    const { code, err } = await cola("explain", ...words, ...reading, "--model", "logistic", "--out", folder);
    expect([code, err.includes("rror")]).toEqual([0, false]);
    const there = JSON.parse(readFileSync(join(folder, "explanation.json"), "utf8")) as Explanation;
    expect(there.rows).toEqual(explanation.rows);
    expect(there.runHash).toBe(explanation.runHash);
  });

  test("a run that is asked about after a reload reads its file as it was read, and a job's options say how", async () => {
    const tabs = office("\t");
    const all = { ...roles, decimalComma: true };
    const opened = await openData(file(tabs, "office.tsv"), all);
    const { explanation, study } = await runAll(opened, settings, { model: { train: "logistic" } }, {});
    const inputs = { table: file(tabs, "office.tsv"), model: null, counterfactuals: null, settings };
    const again = await finishedOf({ ...inputs, roles: all }, explanation);
    expect(again.study.data.rows).toEqual(study.data.rows);
    const options = { ...all, missing: missingTexts(["k.A."]), seed: 1 };
    expect(rolesOfJob(options)).toEqual(all);
    expect(rolesOfJob({ missing: ["k.A."] }), "read with other gaps than a page has").toBe(null);
  });
});

describe("a row that somebody pastes", () => {
  const lines = office().split("\n");
  const tabbed = office("\t").split("\n");
  const wanted = { Datum_year: 2024, Datum_month: 2, Datum_day: 2, Datum_weekday: 5, Einkommen: null };

  test.each([
    ["alone, with a delimiter in quotes", lines[2]!],
    ["with its header", `${lines[0]}\n${lines[2]}`],
    ["from a spreadsheet with a decimal comma", tabbed[2]!],
    ["from a spreadsheet, with its header", `${tabbed[0]}\n${tabbed[2]}\n`],
    [
      "as a form, a name and a value in each line",
      tabbed[0]!
        .split("	")
        .map((name, k) => `${name}	${k === 4 ? "Hauptstr. 5, Köln" : cellsOf(tabbed[2]!)[k]}`)
        .join("\n"),
    ],
  ])("%s", async (_, text) => {
    const { data, table } = await openData(file(office()), roles);
    const amount = cellsOf(tabbed[2]!)[3]!.replace(",", ".");
    const income = cellsOf(tabbed[2]!)[2]!.replace(",", ".");
    const told = pastedRow(text, data, table!.table.names, roles);
    expect({ ...told, Einkommen: null, Straße: null }).toEqual({ ...wanted, Summe: amount, Straße: null });
    expect(told["Einkommen"]).toBe(income);
    expect(told["Straße"]).toMatch(/^Hauptstr\. 5. Köln$/);
  });

  test("a gap is a gap, an empty cell at the end is one, and thousands in English stay", async () => {
    const { data, table } = await openData(file(office()), roles);
    const paste = (text: string) => pastedRow(text, data, table!.table.names, roles);
    expect(paste(lines[5]!)["Einkommen"]).toBe(null);
    expect(paste(tabbed[2]!.replace(/[^\t]+$/, ""))["Summe"]).toBe(cellsOf(tabbed[2]!)[3]!.replace(",", "."));
    const english = await openData(file("name,amount,y\na,1500.5,0\nb,2500,1\n"), { label: "y" });
    const names = english.table!.table.names;
    expect(pastedRow("a\t1,234\t0", english.data, names, english.roles)["amount"]).toBe("1234");
  });
});

const cellsOf = (line: string): string[] => line.split("\t").map((cell) => cell.replaceAll('"', ""));

test("another classifier keeps what should be reached; a model file has outcomes of its own", () => {
  const chosen = { ...defaultChoices, target: "ja" };
  expect({ ...chosen, ...withModel(chosen, "xgboost") }.target).toBe("ja");
  expect({ ...chosen, ...withModel(chosen, "file") }.target).toBe("");
  expect({ ...chosen, ...withModel({ ...chosen, model: "file" }, "tree") }.target).toBe("");
});
