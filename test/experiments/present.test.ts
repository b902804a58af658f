import { describe, expect, test } from "vitest";
import { type Sheet, scenarioSheet, sheetLatex } from "../../experiments/present.ts";
import { scenarioOf } from "../../experiments/settings.ts";
import { scenarioResult } from "../support/scenario-results.ts";

const sheet = (cell: string): Sheet => ({
  name: "a",
  title: "A",
  columns: ["one", "two"],
  rows: [[cell, 1]],
});
const rowOf = (cell: string): string => sheetLatex(sheet(cell)).split("\n")[5]!;

describe("LaTeX", () => {
  test.each([
    ["50 % of p_OT & more #1", "50 \\% of p\\_OT \\& more \\#1"],
    ["< 0.001", "$<$ 0.001"],
    ["0.2 … 0.3", "0.2 \\dots{} 0.3"],
    ["1.63 → 0.80 (51 %)", "1.63 $\\to$ 0.80 (51 \\%)"],
    ["top-φ ± 1 × 2", "top-$\\varphi$ $\\pm$ 1 $\\times$ 2"],
    ["a\\b{c}^2~$", "a\\textbackslash{}b\\{c\\}\\textasciicircum{}2\\textasciitilde{}\\$"],
    ["two\nlines", "two lines"],
  ])("%s is written so that any engine sets it", (cell, text) => {
    expect(rowOf(cell)).toBe(`${text} & 1 \\\\`);
  });

  test("nothing that our tables contain is left for the font to know", () => {
    const all = "%_&#$ {}\\~^<>|±≤≥→×−·∞–…φΔ";
    expect(rowOf(all)).toMatch(/^[\x20-\x7e]*$/);
  });
});

test("a scenario that cannot be run has no numbers but its reason; a search in place of a gradient is told", () => {
  const of = (id: string) => scenarioResult(scenarioOf(id), {});
  const none = { ...of("compas-qda-knn"), why: "its covariance is singular" };
  const { rows } = scenarioSheet([none, of("german-tree-discount"), of("german-mlp-discount")]);
  expect(rows[0]!.slice(1, -1)).toEqual(Array(7).fill(null));
  expect(rows.map((row) => row.at(-1))).toEqual([
    "not run: its covariance is singular",
    "DisCount by search, the model has no gradient",
    "",
  ]);
});
