import { expect, test } from "vitest";
import { schemaIn } from "../../show/data-words.ts";
import { de } from "../../show/locales/de.ts";
import { en } from "../../show/locales/en.ts";
import { ruleText } from "../../show/rule-text.ts";
import { loanSchema } from "../../src/data/loans.ts";
import type { Schema } from "../../src/types.ts";

const schema: Schema = {
  features: [
    { name: "sum", label: "Credit sum", kind: "numeric" },
    { name: "term", kind: "integer" },
    { name: "home", kind: "categorical", categories: ["own", "own and rent", "rent"] },
    { name: "credit", label: "Credit", kind: "numeric" },
  ],
};

test("a rule of AReS has its ends and numbers as the language writes them", () => {
  const rule =
    "For everyone: where Credit sum in [7690.5, 11290) and home = own and rent, go to Credit sum in [0, 1.5] and term 12 to 24.";
  expect(ruleText(rule, schema, en)).toBe(
    "For everyone: where Credit sum from 7690.5 to under 11290 and home = own and rent, go to Credit sum from 0 to 1.5 and term from 12 to 24.",
  );
  expect(ruleText(rule, schema, de)).toBe(
    "Für alle: aus Credit sum von 7690,5 bis unter 11.290 und home = own and rent wird Credit sum von 0 bis 1,5 und term von 12 bis 24.",
  );
});

test("a direction of GLOBE-CE, too, whichever label is the beginning of another", () => {
  const text = "Credit sum −1030.25, term +0.0848, home → rent, Credit −2e-7";
  expect(ruleText(text, schema, de)).toBe("Credit sum −1030,25, term +0,0848, home → rent, Credit −2e-7");
});

test("labels and levels of the embedded applications are those of the language", () => {
  const told = schemaIn(loanSchema, de);
  const text = ruleText("For everyone: where Housing = rent, go to Housing = own.", told.schema, told.locale);
  expect(text).toMatch(/^Für alle: aus Wohnen = .+ wird Wohnen = .+\.$/);
  expect(text).not.toMatch(/Housing|rent|own/);
});
