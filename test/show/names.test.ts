import { expect, test } from "vitest";
import { en } from "../../show/locales/en.ts";
import { reportHtml } from "../../show/report/report.ts";
import { explanationText } from "../../show/text.ts";
import type { Explanation } from "../../src/explanation.ts";
import { personName } from "../../web/result/words.ts";
import { madeUpExplanation } from "../support/explanations.ts";

const made = madeUpExplanation({ rows: 3, cols: 4 });
const [one, two, three] = made.rows;
const { id: _, ...unnamed } = three!;
const explanation: Explanation = { ...made, rows: [{ ...one!, id: "A102" }, { ...two!, id: 7 }, unnamed] };

test("a person has one name in the page, the report and the command line", async () => {
  const names = ["A102", "Row 7", "Row 2"];
  expect(explanation.rows.map((row) => personName(row, en))).toEqual(names);
  const text = explanationText(explanation);
  const report = await reportHtml(explanation);
  for (const name of names) {
    expect(
      text.split("\n").some((line) => line.startsWith(`${name}  `)),
      name,
    ).toBe(true);
    expect(report).toMatch(new RegExp(`<h3 id="row-\\d">${name}</h3>`));
  }
});
