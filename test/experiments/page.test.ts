import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PAPER_ROWS } from "../../experiments/paper-values.ts";
import { pageSheets, reproductionPage } from "../../experiments/reproduction-page.ts";
import type { ScenarioResult } from "../../experiments/scenario.ts";
import { SCENARIOS, scenarioOf } from "../../experiments/settings.ts";
import { fewest, modificationTable } from "../../experiments/table.ts";
import { temporaryFolder } from "../support/folder.ts";
import { scenarioResult } from "../support/scenario-results.ts";

const folder = temporaryFolder();

function put(name: string, scenarios: readonly ScenarioResult[], out = folder): void {
  const table = modificationTable(scenarios);
  const results = {
    version: "0",
    node: "0",
    seed: 0,
    runs: 3,
    scenarios,
    table,
    best: fewest(table, PAPER_ROWS),
  };
  writeFileSync(join(out, name), JSON.stringify(results));
}

const lineOf = (page: string, start: string): string =>
  page.split("\n").find((line) => line.startsWith(start)) ?? "";

test("a page without results says of every data set, reading and part that it was not run", () => {
  const page = reproductionPage(join(folder, "nothing"));
  for (const data of ["German Credit", "Hotel Bookings", "COMPAS", "HELOC"]) {
    for (const preset of ["paper", "authors"]) {
      expect(lineOf(page, `| ${data} | ${preset} |`)).toContain("not run");
    }
  }
  expect(page).toContain("from a folder without results");
  expect(page).not.toContain("real runs");
  for (const what of ["table", "table --preset authors", "check", "optimality", "benchmark", "contest"]) {
    expect(page).toContain(`Not run for this page; \`cola reproduce ${what}\` does.`);
  }
});

test("a page says who needs the fewest edits, what agrees with the paper, what is missing, and nothing by hand", () => {
  const found = SCENARIOS.map((scenario): ScenarioResult => {
    const result = scenarioResult(scenario, {
      "CF-p_OT": scenario.data === "hotel" ? 4.44 : scenario.data === "heloc" ? null : 2,
      "RB-p_OT": scenario.data === "compas" ? 1 : 5,
      "joint + minimal": 1.5,
    });
    if (scenario.id !== "german-gp-dice") return result;
    const methods = result.methods.map((m) =>
      m.method === "joint + minimal" ? { method: m.method, ours: true, why: "too slow", levels: [] } : m,
    );
    return { ...result, methods };
  });
  put("table.json", found);
  put("table-authors.json", found.slice(0, 3));
  const page = reproductionPage(folder);
  const short = "- The paper's claim: CF-p_OT needs the fewest edits of its five methods in";
  expect(lineOf(page, `${short} 8 of 16 cases`)).toContain("preset `paper`");
  expect(lineOf(page, "| German Credit | paper | 4 |")).toContain("yes: 2.00, next RB-p_OT 5.00");
  expect(lineOf(page, "| COMPAS | paper | 4 |")).toContain("no: RB-p_OT 1.00, CF-p_OT 2.00");
  expect(lineOf(page, "| HELOC | paper | 4 |")).toContain("no: RB-p_OT 5.00, CF-p_OT –");
  expect(lineOf(page, "| German Credit | authors | 3 |")).toContain("yes");
  expect(lineOf(page, "| HELOC | authors |")).toContain("not run");
  expect(lineOf(page, `${short} 8 of 16 cases`)).toContain("4 data sets × 2 levels × 2 rules");
  expect(lineOf(page, "- Against the paper's table: preset `paper`")).toContain(
    "in 7 of 17 cells with a number, by the rule that is nearer to it, and reaches 23 of the 23 levels",
  );
  expect(lineOf(page, "- Saved against the paper's sampling: in 0 of 3 data sets most of it")).toContain(
    "German Credit 2.00 → 8.00 → 1.50 (the joint choice saves 81 % of what is left)",
  );
  expect(lineOf(page, "- Within 10 %:")).toContain("Hotel Bookings CF-p_OT 100 % (4.44; paper 4.44)");
  expect(lineOf(page, "- Fewer edits here:")).toContain("German Credit CF-p_OT 100 % (2.00; paper 3.13)");
  expect(lineOf(page, "- The paper has a number, here")).toContain("HELOC CF-p_OT 80 %");
  expect(lineOf(page, "- Preset `authors`:")).toContain("Missing: german-mlp-discount");
  expect(page).toContain("German Credit, joint + minimal: 3 of 4");
  expect(page).toContain("(too slow)");
  expect(lineOf(page, "| German Credit, mean of 3 |")).toContain("| 2.00 | 1.50 | 25 % |");
  expect(page).toContain("on German Credit, Hotel Bookings, COMPAS, HELOC; every");
  expect(lineOf(page, "- Saved against the paper's sampling: over the scenarios of `table` alone")).toContain(
    "German Credit 2.00 → 1.50 (25 %, 3 scenarios)",
  );
  writeFileSync(join(folder, "remarks.md"), "Spliced in.");
  expect(reproductionPage(folder)).toBe(page);
});

test("a page from the embedded data names them alone, and where own pairs need fewer edits it says so", () => {
  const loans = ["loans-tree-knn", "loans-logistic-knn"].map((id) =>
    scenarioResult(scenarioOf(id), { "CF-p_OT": 2, "CF-p_Ect": 1.5 }),
  );
  const out = mkdtempSync(join(folder, "loans-"));
  put("table.json", loans, out);
  const page = reproductionPage(out);
  expect(page).toContain("of real runs on Embedded loan applications; every");
  expect(lineOf(page, "- Where the pairs are known, CF-p_Ect")).toContain("in 4 of 4 cases");
  put("table.json", [scenarioResult(scenarioOf("loans-tree-knn"), { "CF-p_OT": 2, "CF-p_Ect": 2.5 })], out);
  expect(lineOf(reproductionPage(out), "- Where the pairs are known, CF-p_Ect")).toContain("in 0 of 4 cases");
});

test.each([
  ["cut short", '{"a":1'],
  ["of another kind", '{"a":1}'],
  ["a list", "[]"],
  ["nothing", "null"],
  ["hollow", '{"scenarios":[{}],"table":[{}],"best":[]}'],
])("a results file that is %s is refused by name", (_, text) => {
  const out = mkdtempSync(join(folder, "damaged-"));
  writeFileSync(join(out, "table.json"), text);
  for (const make of [reproductionPage, pageSheets]) {
    expect(() => make(out)).toThrow(expect.objectContaining({ code: "TABLE_INVALID" }));
    expect(() => make(out)).toThrow(out);
  }
});
