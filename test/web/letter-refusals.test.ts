import { beforeAll, expect, test } from "vitest";
import { letterOf } from "../../show/letter/letter.ts";
import { messageOf } from "../../src/errors.ts";
import type { ExplainedRow, Explanation } from "../../src/explanation.ts";
import { german } from "../../web/words/de.ts";
import { inPageWords } from "../../web/words/page-words.ts";
import { saidIn } from "../../web/words/said.ts";
import { told } from "../support/letters.ts";

let run: Explanation;
let row: ExplainedRow;
beforeAll(async () => {
  ({ explanation: run } = await told({
    ...{ name: "refusals", train: "logistic", label: "outcome" },
    options: { target: "granted" },
  }));
  row = run.rows.find(({ valid, edits }) => valid && edits.length > 0)!;
}, 120_000);

/** φ with all the weight on features of these places. */
const weighing = (...places: readonly number[]): Partial<ExplainedRow> => ({
  attributions: run.schema.features.map((_, k) => (places.includes(k) ? -1 : 0)),
});
const placeOf = (name: string): number => run.schema.features.findIndex((feature) => feature.name === name);
const called = (own: Readonly<Record<string, string>>): Explanation => ({
  ...run,
  schema: {
    ...run.schema,
    features: run.schema.features.map((feature) => ({
      ...feature,
      label: own[feature.name] ?? feature.name,
    })),
  },
});

/** Every cause, with a word its German sentence has. */
const REFUSALS: Readonly<Record<string, [() => [Explanation, Partial<ExplainedRow>, object?], RegExp]>> = {
  "the goal is the group's": [
    () => [{ ...run, goal: { kind: "group" } as Explanation["goal"] }, {}],
    /Ziel ist das der Gruppe/,
  ],
  "no score": [() => [run, { before: null, status: "model_error" }], /hat keinen Score/],
  "cut short": [() => [run, { status: "budget" }], /vorzeitig beendet/],
  "nothing refused": [() => [run, { edits: [] }], /nichts wurde abgelehnt/],
  "vague wording": [
    () => [run, weighing(placeOf("income")), { codes: { income: { code: "1", text: "low score" } } }],
    /nennt keinen Umstand/,
  ],
  "a protected attribute": [() => [run, weighing(placeOf("sex"))], /geschützten Merkmal aus und gehört/],
  "two protected attributes": [
    () => [called({ debt: "Age" }), weighing(placeOf("sex"), placeOf("debt"))],
    /geschützten Merkmalen aus und gehören/,
  ],
  "a plan for it": [
    () => [run, { ...weighing(placeOf("income")), edits: [{ ...row.edits[0]!, feature: "sex" }] }],
    /Der Plan ändert/,
  ],
  "no reasons": [
    () => [
      { ...run, options: { ...run.options, only: "plans" } },
      { ...weighing(), base: null },
    ],
    /Gründe sind nicht bekannt; erklären/,
  ],
  "nobody to compare with": [
    () => [run, { ...weighing(), base: null }],
    /keine Zeile der Tabelle erreicht das Ziel/,
  ],
  "nothing weighs": [() => [run, weighing()], /spricht kein Umstand/],
  "references that keep": [
    () => {
      const { typical: _, ...plain } = row;
      return [run, { ...plain, typical: undefined } as unknown as Partial<ExplainedRow>];
    },
    /an Beispielen gemessen/,
  ],
};

test.each(Object.entries(REFUSALS))("%s: why there is no letter is told in German", (_, [make, wanted]) => {
  const [explanation, change, options] = make();
  let message = "";
  try {
    letterOf(explanation, { ...row, ...change }, { date: "2026-05-31", ...options });
  } catch (error) {
    message = inPageWords(messageOf(error));
  }
  const said = saidIn(german).tell(message);
  expect(said).toMatch(/^Für A\d+ gibt es keinen Brief: /);
  expect(said).toMatch(wanted);
  expect(said).not.toMatch(/\b(the|is|has|are|give|no|letter)\b/);
});
