import type { ExplainedRow, Explanation } from "../../src/explanation.ts";

/** Rows of one message: what a page reads in a few milliseconds. */
const ROWS = 250;

type Answer = Explanation | { readonly explanation: Explanation };

const explanationIn = (answer: unknown): Explanation | undefined => {
  const it = answer as Partial<Explanation> & { explanation?: Explanation };
  if (Array.isArray(it?.rows) && it.runHash !== undefined) return it as Explanation;
  return Array.isArray(it?.explanation?.rows) ? it.explanation : undefined;
};

const withRows = (answer: Answer, rows: readonly ExplainedRow[]): Answer =>
  "explanation" in answer ? { ...answer, explanation: { ...answer.explanation, rows } } : { ...answer, rows };

/** A long result in parts, so that reading it never holds the page up: its rows, some at a time, and the rest. */
export function inParts(answer: unknown): { readonly parts: ExplainedRow[][]; readonly rest: unknown } {
  const rows = explanationIn(answer)?.rows ?? [];
  if (rows.length <= ROWS) return { parts: [], rest: answer };
  const parts: ExplainedRow[][] = [];
  for (let at = 0; at < rows.length; at += ROWS) parts.push(rows.slice(at, at + ROWS));
  return { parts, rest: withRows(answer as Answer, []) };
}

/** The result whose rows came before it. */
export const together = (rest: unknown, rows: readonly ExplainedRow[]): unknown =>
  rows.length === 0 ? rest : withRows(rest as Answer, rows);
