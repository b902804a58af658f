import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { writeTable } from "../../formats/index.ts";
import { cliPage } from "../../scripts/cli-page.ts";
import { decodeText, readCsv } from "../../src/data/csv.ts";
import { loanClasses, loans } from "../../src/data/loans.ts";
import type { Explanation } from "../../src/explanation.ts";
import { cola } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";

const folder = temporaryFolder();
const at = (name: string): string => join(folder, name);
const { table, labels } = loans({ rows: 300 });
const labelled = {
  names: [...table.names, "decision"],
  columns: [...table.columns, Array.from(labels, (v) => loanClasses[v]!)],
  rows: table.rows,
};
writeFileSync(at("loans.csv"), writeTable(labelled, "csv"));
const own = ["--data", at("loans.csv"), "--label", "decision"];

describe("explain", () => {
  test("without arguments it explains the embedded data and says where the report is", async () => {
    const { code, out } = await cola("explain", "--rows", "3", "--out", at("a"));
    expect(code).toBe(0);
    expect(out).toContain("3 of 3 rows reach the goal");
    expect(out).toContain(at("a/report.html"));
    expect(readdirSync(at("a")).sort()).toEqual([
      "edits.csv",
      "explanation.json",
      "q.csv",
      "reasons.csv",
      "report.html",
      "x.csv",
      "z.csv",
    ]);
  });

  test("the same command twice writes the same bytes", async () => {
    for (const name of ["b", "c"])
      await cola(
        "explain",
        "--rows",
        "4",
        "--seed",
        "5",
        "--out",
        at(name),
        "--formats",
        "html,csv,svg,parquet,dice",
      );
    const files = readdirSync(at("b"));
    expect(files.length).toBeGreaterThan(10);
    for (const file of files)
      expect(readFileSync(at(`c/${file}`)).equals(readFileSync(at(`b/${file}`))), file).toBe(true);
  });

  test("a table, a classifier, frozen features and a rule", async () => {
    writeFileSync(
      at("rules.json"),
      JSON.stringify({ rules: ["debt <= income"], features: { duration: { max: 48 } } }),
    );
    const { code, out } = await cola(
      "explain",
      ...own,
      "--model",
      "gradboost",
      "--target",
      "granted",
      "--rows",
      "5",
      "--freeze",
      "income",
      "--constraints",
      at("rules.json"),
      "--alternatives",
      "1",
      "--out",
      at("d"),
      "--json",
    );
    const e = JSON.parse(out) as Explanation;
    expect([0, 1]).toContain(code);
    const changed = e.rows.flatMap((row) => row.edits.map((edit) => edit.feature));
    expect(changed.length).toBeGreaterThan(0);
    expect(changed).not.toContain("income");
    expect(changed).not.toContain("age");
    expect(e.schema.rules).toEqual(["debt <= income"]);
  });

  test("a group goal, a dry run, every generator by name", async () => {
    const group = await cola("explain", "--effect", "0.8", "--rows", "5", "--out", at("e"), "--json");
    expect((JSON.parse(group.out) as Explanation).effect.share).toBeGreaterThanOrEqual(0.8);
    const plan = await cola("explain", "--dry-run", "--json");
    expect(JSON.parse(plan.out)).toMatchObject({ rows: 10, generator: "knn" });
    const nice = await cola("generate", "--generator", "nice", "--rows", "2", "--out", at("f"), "--json");
    expect(JSON.parse(nice.out)).toMatchObject({ ok: 2 });
    expect(readCsv(decodeText(readFileSync(at("f/counterfactuals.csv")))).rows).toBe(2);
  });
});

describe("from a saved model to refined counterfactuals", () => {
  test("train, check, generate, refine, couple, attribute, report", async () => {
    const train = await cola(
      "train",
      ...own,
      "--model",
      "forest",
      "--model-out",
      at("forest.json"),
      "--json",
    );
    expect(JSON.parse(train.out)).toMatchObject({ model: "forest", rows: 300 });
    const check = await cola("check", "--data", at("loans.csv"), "--model", at("forest.json"), "--json");
    expect(JSON.parse(check.out)).toMatchObject({ ok: true });
    await cola(
      "generate",
      "--data",
      at("loans.csv"),
      "--model",
      at("forest.json"),
      "--target",
      "granted",
      "--out",
      at("g"),
    );
    const cf = at("g/counterfactuals.csv");
    const pair = ["--data", at("loans.csv"), "--counterfactuals", cf];
    const refine = await cola(
      "refine",
      ...pair,
      "--model",
      at("forest.json"),
      "--target",
      "granted",
      "--out",
      at("h"),
      "--json",
    );
    const e = JSON.parse(refine.out) as Explanation;
    expect(e.totals.valid).toBe(e.rows.filter((row) => row.valid).length);
    expect(e.totals.valid).toBeGreaterThan(200);
    const couple = await cola("couple", ...pair, "--label", "decision", "--coupling", "transport", "--json");
    expect(JSON.parse(couple.out)).toMatchObject({ name: "transport", converged: true });
    const attribute = await cola("attribute", ...pair, "--model", at("forest.json"), "--json");
    expect(JSON.parse(attribute.out)).toMatchObject({ space: "score", exact: true });
    const named = ["--model", at("forest.json"), "--json", "--coupling"];
    const nearest = await cola("attribute", ...pair, ...named, "nearest");
    expect(JSON.parse(nearest.out).base).not.toEqual(JSON.parse(attribute.out).base);
    expect((await cola("attribute", ...pair, ...named, "joint")).out).toContain("NAME_UNKNOWN");
    const report = await cola("report", at("h/explanation.json"), "--out", at("i"), "--formats", "html");
    expect(report.code).toBe(0);
    expect(readFileSync(at("i/report.html"), "utf8")).toBe(readFileSync(at("h/report.html"), "utf8"));
  });

  test("a command model scores through its process", async () => {
    const script = at("score.mjs");
    writeFileSync(
      script,
      `import { createInterface } from "node:readline";
       for await (const line of createInterface({ input: process.stdin })) {
         const { id, rows } = JSON.parse(line);
         console.log(JSON.stringify({ id, scores: rows.map((r) => 1 / (1 + Math.exp(-(Number(r[1]) - Number(r[3])) / 10))) }));
       }`,
    );
    writeFileSync(at("plain.csv"), writeTable(table, "csv"));
    const { code, out } = await cola(
      "explain",
      "--data",
      at("plain.csv"),
      "--model",
      `command:node ${script}`,
      "--target",
      "score >= 0.9",
      "--rows",
      "3",
      "--out",
      at("j"),
      "--json",
    );
    expect(code).toBe(0);
    for (const row of (JSON.parse(out) as Explanation).rows) expect(row.after).toBeGreaterThanOrEqual(0.9);
  });
});

test("datasets lists what is known and refuses what has another checksum", async () => {
  const list = await cola("datasets", "--data-dir", at("none"), "--json");
  expect((JSON.parse(list.out) as { name: string; here: string }[]).map((d) => [d.name, d.here])).toEqual([
    ["german", "not here"],
    ["hotel", "not here"],
    ["compas", "not here"],
    ["heloc", "not here"],
  ]);
  expect((await cola("datasets", "get", "german")).code).toBe(2);
  expect((await cola("datasets", "put")).code).toBe(2);
});

test("docs/CLI.md is what the option table says", () => {
  expect(readFileSync("docs/CLI.md", "utf8")).toBe(cliPage());
});
