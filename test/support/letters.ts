import { letterOf } from "../../show/letter/letter.ts";
import type { Locale } from "../../show/locales/contract.ts";
import type { ReasonCodes } from "../../show/reasons.ts";
import { loanSchema, loans } from "../../src/data/loans.ts";
import { isColaError } from "../../src/errors.ts";
import { explain } from "../../src/explain.ts";
import type { ExplainedRow, Explanation } from "../../src/explanation.ts";
import { stream } from "../../src/num/random.ts";
import type { Cell, Goal, Schema, Table } from "../../src/types.ts";
import { answered } from "../../study/answer.ts";
import { dataOf } from "../../study/data.ts";
import { modelOf } from "../../study/model.ts";
import type { Given } from "../../study/options.ts";
import type { Data, StudyModel } from "../../study/parts.ts";
import { posed, questionOf, studyOf } from "../../study/study.ts";

/** What a letter is written about. */
export interface LetterCase {
  readonly name: string;
  readonly train: "logistic" | "xgboost";
  /** The outcome column: granted or not, or one of three grades. */
  readonly label: "outcome" | "grade";
  readonly options: Given;
  readonly codes?: ReasonCodes;
  readonly minMargin?: number;
}

/** An explanation with the model it is about. */
export interface Told {
  readonly explanation: Explanation;
  readonly model: StudyModel;
  readonly data: Data;
}

const GRADES = ["low", "middle", "high"];

/** The embedded applications with a column of a protected attribute, gaps, and two outcomes to learn. */
function applications(): { readonly table: Table; readonly schema: Schema } {
  const { table, labels } = loans();
  const random = stream(7, "letters");
  const sex = Array.from(labels, (): Cell => (random.next() < 0.5 ? "f" : "m"));
  const income = table.columns[table.names.indexOf("income")]!;
  const debt = table.columns[table.names.indexOf("debt")]!;
  const grade = income.map((cell, i): Cell => {
    const rest = Number(cell ?? 40) - Number(debt[i] ?? 10);
    return GRADES[rest < 15 ? 0 : rest < 45 ? 1 : 2]!;
  });
  const outcome = Array.from(labels, (label): Cell => (label ? "granted" : "refused"));
  const names = [...table.names, "sex", "outcome", "grade", "number"];
  const number = Array.from({ length: table.rows }, (_, i): Cell => `A${100 + i}`);
  const features = [
    ...loanSchema.features.map((feature) =>
      feature.name === "income" ? { ...feature, editMissing: true } : feature,
    ),
    { name: "sex", kind: "categorical" as const, label: "Sex", categories: ["f", "m"], immutable: true },
  ];
  return {
    schema: { features },
    table: { names, columns: [...table.columns, sex, outcome, grade, number], rows: table.rows },
  };
}

const made = applications();
const known = new Map<string, Promise<{ data: Data; model: StudyModel }>>();

function trained({ train, label, options }: LetterCase): Promise<{ data: Data; model: StudyModel }> {
  const { freeze, vary, retrain, judges } = options;
  const key = JSON.stringify([train, label, freeze, vary, retrain, judges]);
  const open = async () => {
    const table = { source: "applications", table: made.table };
    const roles = { label, id: "number", ...(freeze ? { freeze } : {}), ...(vary ? { vary } : {}) };
    const data = dataOf({ table, schema: made.schema, options: roles });
    const parts = { model: { train }, ...(retrain ? { retrain } : {}), ...(judges ? { judges } : {}) };
    return { data, model: await modelOf(parts, data, {}) };
  };
  const found = known.get(key) ?? open();
  known.set(key, found);
  return found;
}

/** The explanation of a case, by the same study that every door asks. */
export async function told(one: LetterCase): Promise<Told> {
  const { data, model } = await trained(one);
  const study = studyOf(data, model, { rows: 12, id: "number", ...one.options });
  const question = questionOf(study, await posed(study, {}));
  const goal = question.goal as Goal;
  const asked =
    one.minMargin && goal.kind === "each"
      ? { ...question, goal: { ...goal, minMargin: one.minMargin } }
      : question;
  return { explanation: await answered(study, await explain(asked), {}), model, data };
}

/** The first row about which a letter can be written, its plan a certain one where that is asked. */
export function tellable(
  { explanation }: Told,
  codes: ReasonCodes = {},
  wanted: (row: ExplainedRow) => boolean = () => true,
): ExplainedRow {
  const row = explanation.rows.find((one) => {
    if (!wanted(one)) return false;
    try {
      letterOf(explanation, one, { date: "2026-05-31", codes });
      return true;
    } catch (error) {
      if (isColaError(error) && error.code === "LETTER_REFUSED") return false;
      throw error;
    }
  });
  if (!row) throw new Error("no row of the case can be told");
  return row;
}

/** A number as a language writes it. */
export const numberIn = (text: string, { numbers }: Locale): number =>
  Number(text.replaceAll(numbers.group || "\0", "").replace(numbers.decimal, "."));
