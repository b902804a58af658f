import { describe, test } from "vitest";
import { refine } from "../../src/refine/index.ts";
import {
  countsNoOps,
  drawsByPlace,
  ignoresAllowed,
  ignoresDistance,
  ignoresLegal,
  keepsOldScores,
  looksAround,
  meetsHalfway,
  overspends,
  redraws,
  trustsItself,
} from "../support/mutants/refine.ts";
import { refuses } from "../support/refuses.ts";
import {
  budgetsHold,
  cellsAreXOrQ,
  constraintsHold,
  orderDoesNotMatter,
  plansAreNested,
  type Refine,
  resultsAreRescored,
  rowsAreAlone,
} from "./laws.ts";

type Law = (impl: Refine) => Promise<void>;
const laws: [string, Law, Record<string, Refine>][] = [
  ["z is x or q cell by cell and no farther than q", cellsAreXOrQ, { meetsHalfway, countsNoOps }],
  ["everything returned is re-scored", resultsAreRescored, { trustsItself, keepsOldScores }],
  ["budgets hold", budgetsHold, { overspends }],
  ["allowed, legal and maxDistance hold", constraintsHold, { ignoresAllowed, ignoresLegal, ignoresDistance }],
  ["plans are nested in C", plansAreNested, { redraws }],
  ["a row alone, in halves and in the batch is the same", rowsAreAlone, { looksAround }],
  ["permuting rows permutes the result, batches change nothing", orderDoesNotMatter, { drawsByPlace }],
];

describe.each(laws)("%s", (_, law, mutants) => {
  test("holds", () => law(refine));
  test.each(Object.entries(mutants))("kills %s", (__, mutant) => refuses(() => law(mutant)));
});
