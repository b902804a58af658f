import type { Cell, Table } from "../src/types.ts";

/** First characters that spreadsheets take for a formula, full-width forms included. */
const FORMULA = /^[=+\-@\t\r＝＋－＠]/;

export interface WriteCsvOptions {
  /** Default a comma. */
  readonly delimiter?: string;
  /** Put an apostrophe before texts that a spreadsheet would run as a formula. Numbers are never touched. Default true. */
  readonly formulaSafe?: boolean;
}

/** A table as RFC 4180 text with LF line ends. */
export function writeCsv(table: Table, options: WriteCsvOptions = {}): string {
  const { formulaSafe = true, delimiter = "," } = options;
  const cell = (value: Cell): string => {
    if (value === null) return "";
    if (typeof value !== "string") return String(value);
    const safe = formulaSafe && FORMULA.test(value) && !isNumber(value) ? `'${value}` : value;
    return /["\n\r]/.test(safe) || safe.includes(delimiter) || safe !== safe.trim()
      ? `"${safe.replaceAll('"', '""')}"`
      : safe;
  };
  const lines = [table.names.map(cell).join(delimiter)];
  for (let i = 0; i < table.rows; i++)
    lines.push(table.columns.map((column) => cell(column[i]!)).join(delimiter));
  return `${lines.join("\n")}\n`;
}

function isNumber(text: string): boolean {
  return text.trim() !== "" && Number.isFinite(Number(text));
}
