import { FORMULA } from "../src/data/csv.ts";
import type { Cell, Table } from "../src/types.ts";

interface WriteCsvOptions {
  /** Default a comma. */
  readonly delimiter?: string;
  /**
   * Put an apostrophe before texts that a spreadsheet would run as a formula; `readCsv` takes it away. Numbers are
   * never touched. Default: unless the delimiter is a tab.
   */
  readonly formulaSafe?: boolean;
}

/** A table as RFC 4180 text with LF line ends. */
export function writeCsv(table: Table, options: WriteCsvOptions = {}): string {
  const { delimiter = ",", formulaSafe = delimiter !== "\t" } = options;
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
