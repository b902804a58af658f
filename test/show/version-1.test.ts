import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { diceJson } from "../../show/dice-json.ts";
import { explanationTables } from "../../show/export.ts";
import { en } from "../../show/locales/en.ts";
import { reportHtml } from "../../show/report/report.ts";
import { sentence } from "../../show/sentences.ts";
import { explanationText } from "../../show/text.ts";
import { upgradeExplanation } from "../../src/upgrade.ts";
import { readExplanation } from "../../web/engine/files.ts";

/** Results of the example's table and XGBoost file, written when explanations had schema version 1. */
const old = JSON.parse(readFileSync("test/fixtures/version-1.json", "utf8")) as Record<string, unknown>;

test.each(["reference", "least"])(
  "an explanation of version 1 (%s) opens wherever one is shown",
  async (name) => {
    const bytes = new TextEncoder().encode(JSON.stringify(old[name]));
    const explanation = upgradeExplanation(old[name])!;
    expect(explanation).toMatchObject({ schemaVersion: 2, options: { values: name } });
    expect(readExplanation("old.json", bytes)).toEqual(explanation);
    const text = explanationText(explanation);
    const report = await reportHtml(explanation);
    const edits = explanationTables(explanation).edits;
    const plans = explanation.rows.flatMap((row) => [row, ...row.alternatives]);
    expect(plans.length).toBeGreaterThan(explanation.rows.length);
    for (const plan of plans)
      for (const edit of plan.edits) expect(report).toContain(sentence(explanation.schema, edit, en));
    for (const { edits: own } of explanation.rows.flatMap(({ alternatives }) => alternatives))
      expect(text).toContain(`or: ${own[0]!.feature}`);
    expect(edits.columns[edits.names.indexOf("role")]).toContain("alternative 2");
    expect(diceJson(explanation).cfs_list.flat().length).toBe(plans.length);
  },
);

test("what is not an explanation stays none", () => {
  for (const value of [null, 3, {}, { schemaVersion: 1 }, { schemaVersion: 3, rows: [] }])
    expect(upgradeExplanation(value)).toBeUndefined();
});
