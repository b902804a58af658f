import type { ExplainedRow, Explanation } from "../../src/explanation.ts";
import { codeOf } from "../code.ts";

/** The code of run, row, date and sender: what their letter about this row carries. */
export const letterCode = (
  { runHash }: Pick<Explanation, "runHash">,
  row: ExplainedRow,
  date: string,
  sender = "",
): string => codeOf("cola-letter", runHash, JSON.stringify(row), date, sender);

/** A code as somebody typed it: letters large, what looks alike as the digit it stands for, groups of four. */
export function typedCode(text: string): string {
  const plain = text.toUpperCase().replace(/[\s-]/g, "").replace(/[IL]/g, "1").replace(/O/g, "0");
  return plain.replace(/.{4}(?=.)/g, "$&-");
}
