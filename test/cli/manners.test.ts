import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { decodeText, readCsv } from "../../src/data/csv.ts";
import { tableToMatrix } from "../../src/data/schema.ts";
import type { Explanation } from "../../src/explanation.ts";
import { cola } from "../support/cli.ts";
import { dataFile } from "../support/fixtures.ts";
import { temporaryFolder } from "../support/folder.ts";

const folder = temporaryFolder();
const at = (name: string): string => join(folder, name);
const write = (name: string, text: string): string => {
  writeFileSync(at(name), text);
  return at(name);
};
const explained = (out: string): Explanation => JSON.parse(out) as Explanation;

describe("what a plan is made of", () => {
  const dear = write(
    "dear.json",
    JSON.stringify({ features: { income: { cost: 10 }, amount: { cost: 10 } } }),
  );

  test("--objective cost spares dear edits, and its proof speaks of costs", async () => {
    const words = ["explain", "--rows", "1", "--constraints", dear, "--out", at("cost"), "--json"];
    const few = explained((await cola(...words)).out);
    const cheap = explained((await cola(...words, "--objective", "cost")).out);
    const cost = (e: Explanation): number =>
      e.rows[0]!.edits.reduce((sum, { feature }) => sum + (/income|amount/.test(feature) ? 10 : 1), 0);
    expect(cheap.rows[0]!.edits.length).toBeGreaterThan(few.rows[0]!.edits.length);
    expect(cost(cheap)).toBeLessThan(cost(few));
    expect(cheap.rows[0]!.proof).toMatchObject({ claim: "optimal", least: "cost" });
    expect(few.rows[0]!.proof).not.toHaveProperty("least");
    const { out } = await cola("report", at("cost/explanation.json"), "--out", "-", "--formats", "html");
    expect(out).toContain("no plan of lower cost exists");
    for (const told of ["objective", "generator", "data", "model"])
      expect(out).toContain(`<code>${told}</code>`);
  });

  test("alternatives are told; a row without a plan is not said to need fewer edits", async () => {
    const more = await cola(
      "explain",
      "--rows",
      "1",
      "--values",
      "reference",
      "--alternatives",
      "3",
      "--out",
      at("more"),
    );
    expect(more.out.match(/^ {2}or: /gm)).toHaveLength(3);
    const none = await cola("explain", "--rows", "1", "--vary", "guarantor", "--out", at("none"));
    expect(none.code).toBe(1);
    expect(none.out).toMatch(/Unlocking .+ would allow a plan/);
    expect(none.out).not.toContain("not needed");
  });

  test("a goal of the group is not told as one of each row", async () => {
    const { out } = await cola("explain", "--rows", "3", "--effect", "0.5", "--out", at("group"));
    expect(out).toContain("Goal of the group: reached");
    expect(out).not.toContain("rows reach the goal");
  });
});

test("--dry-run says how many rows the model would score at least and how long that would take", async () => {
  const { out } = await cola("explain", "--dry-run", "--rows", "4", "--out", at("dry"));
  expect(out).toMatch(/4 rows would be explained.*\n.*at least 1012 rows, in about [\d.e-]+ s/);
  expect(out).toContain("--timeout bounds the run");
  expect(existsSync(at("dry"))).toBe(false);
});

describe("--out -", () => {
  test("prints one result and writes no file", async () => {
    const before = readdirSync(".");
    const whole = explained((await cola("explain", "--rows", "2", "--out", "-")).out);
    const plans = readCsv((await cola("explain", "--rows", "2", "--out", "-", "--formats", "csv")).out);
    expect(whole.rows).toHaveLength(2);
    expect(plans.columns[plans.names.indexOf("score")]!.map(Number)).toEqual(whole.rows.map((r) => r.after));
    const made = await cola("generate", "--rows", "2", "--out", "-");
    expect(readCsv(made.out).rows).toBe(2);
    expect(made.err).toContain("2 of 2 rows");
    expect(readdirSync(".")).toEqual(before);
  });

  test.each([["csv,html"], ["png"]])("refuses %s, which are several files", async (formats) => {
    const { code, err } = await cola("explain", "--rows", "1", "--out", "-", "--formats", formats);
    expect([code, err]).toEqual([2, expect.stringMatching(/--out - prints one result/)]);
  });
});

describe("how a table is read", () => {
  const lines = Array.from({ length: 60 }, (_, i) => {
    const [car, house] = [i % 5 === 0 ? 1 : 0, i % 5 === 1 ? 1 : 0];
    const income = 20 + ((i * 37) % 60);
    const good = income + 10 * car > 50;
    return `${income},${car},${house},${good ? "paid" : ["late", "never"][i % 2]},${["-low", "=high"][i % 2]},${good}`;
  });
  const flags = write("flags.csv", `income,has_car,has_house,state,class,good\n${lines.join("\n")}\n`);
  const words = ["explain", "--data", flags, "--label", "good", "--target", "true", "--rows", "2"];

  test("the inferred schema and what gives the outcome away are told", async () => {
    const { out, err } = await cola(...words, "--out", at("flags"));
    expect(out).toContain(
      "Read as income (integer), has_car (boolean), has_house (boolean), state (3 levels), class (2 levels);",
    );
    expect(err).toContain("state tells good of every row");
    expect(out + err).not.toContain("income tells");
  });

  test("indicator columns that a schema names stay as they are", async () => {
    const features = [
      { name: "income", kind: "integer" },
      { name: "has_car", kind: "boolean" },
      { name: "has_house", kind: "boolean" },
    ];
    const schema = write("flags.json", JSON.stringify({ features }));
    const { code, out, err } = await cola(...words, "--schema", schema, "--out", at("own"), "--json");
    expect(code, err).toBe(0);
    expect(explained(out).schema.features.map((f) => f.name)).toEqual(["income", "has_car", "has_house"]);
  });

  test("levels that look like formulas are read back as what they were", async () => {
    const vary = ["--freeze", "state,has_car,has_house", "--out", at("back"), "--json"];
    const e = explained((await cola(...words, ...vary)).out);
    const text = decodeText(readFileSync(at("back/z.csv")));
    expect(text).toMatch(/,'[-=](low|high)/);
    const plain = ["report", at("back/explanation.json"), "--formats", "csv", "--plain-csv"];
    await cola(...plain, "--out", at("plain"));
    expect(readFileSync(at("plain/z.csv"), "utf8")).toBe(text.replaceAll(",'", ","));
    const z = tableToMatrix(e.schema, readCsv(text));
    const column = e.schema.features.findIndex((f) => f.name === "class");
    const levels = e.schema.features[column]!.categories!;
    e.rows.forEach((row, i) => {
      const edit = row.edits.find(({ feature }) => feature === "class");
      expect(levels[z.data[i * z.cols + column]!]).toBe(edit ? edit.to : row.x[column]);
    });
  });

  test("counterfactuals are read as the rows are, and half a level is refused", async () => {
    const header = "income,home_own,home_rent";
    const x = write("x.csv", `${header}\n20,1,0\n25,0,1\n30,1,0\n`);
    const model = `command:node ${write(
      "score.mjs",
      `import { createInterface } from "node:readline";
       for await (const line of createInterface({ input: process.stdin })) {
         const { id, rows } = JSON.parse(line);
         console.log(JSON.stringify({ id, scores: rows.map((r) => Number(r[0]) / 100) }));
       }`,
    )}`;
    const refine = (r: string) =>
      cola(
        "refine",
        "--data",
        x,
        "--counterfactuals",
        write("r.csv", `${header}\n${r}\n`),
        "--model",
        model,
        "--out",
        at("half"),
      );
    expect((await refine("70,1,0")).code).toBe(0);
    const half = await refine("70,1,1");
    expect(half.code).toBe(2);
    expect(half.err).toContain("row 0 has a 1 in home_own and home_rent");
  });
});

describe("--dataset", () => {
  const german = dataFile("german_credit.csv");

  test("a file that is not there, or not the published one, is refused", async () => {
    const gone = await cola("explain", "--dataset", "german", "--data-dir", at("nowhere"));
    expect([gone.code, gone.err]).toEqual([2, expect.stringContaining("cola datasets get german")]);
    write("german_credit.csv", "Age,Risk\n30,good\n");
    const other = await cola("explain", "--dataset", "german", "--data-dir", folder);
    expect([other.code, other.err]).toEqual([2, expect.stringContaining("SHA-256")]);
    const both = await cola("explain", "--dataset", "german", "--data", at("flags.csv"));
    expect([both.code, both.err]).toEqual([2, expect.stringContaining("leave out --data")]);
  });

  test.skipIf(german === undefined)(
    "German Credit is explained in the product's form (skipped where german_credit.csv is absent)",
    async () => {
      const words = ["explain", "--dataset", "german", "--data-dir", dirname(german!), "--rows", "2"];
      const { code, out, err } = await cola(...words, "--out", at("german"), "--json");
      expect(code, err).toBe(0);
      const e = explained(out);
      expect(e.goal).toMatchObject({ target: { class: e.outputs[1] } });
      expect(e.schema.features.find((f) => f.name === "Age")).toMatchObject({
        immutable: true,
        unit: "years",
      });
    },
  );
});
