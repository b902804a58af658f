import type { Cell, Table } from "../types.ts";
import { Note } from "./notes.ts";

/** Signs that stand before or behind an amount. */
const SIGN = "(?:[$€£¥₹%]|EUR|USD|GBP|CHF|JPY|INR)";
const BEFORE = new RegExp(`^([+-]?)\\s*${SIGN}\\s*`);
const BEHIND = new RegExp(`\\s*${SIGN}$`);
/** Amounts below 0 as accountants and SAP write them: (1,200) and 1,200-. */
const BELOW = /^\((?=.*\d)([^()+-]+)\)$|^([^()+-]*\d[^()+-]*)-$/;
/** Blanks people and spreadsheets put between thousands: plain, no-break, narrow. */
const BLANKS = /(?<=\d)[\s\u00a0\u202f'’](?=\d{3}(\D|$))/g;
const PLAIN = /^[+-]?(\d+\.?\d*|\.\d+)$/;
const POINT = /^[+-]?\d{1,3}(,\d{3})+(\.\d+)?$|^[+-]?\d+(\.\d+)?$/;
const COMMA = /^[+-]?\d{1,3}(\.\d{3})+(,\d+)?$|^[+-]?\d+(,\d+)?$/;

/** Thousands apart by commas, none of which can be a decimal one: 0,125 is not a number of thousands. */
const THOUSANDS = /^[+-]?[1-9]\d{0,2}(,\d{3})+$/;

/** Columns of amounts as plain numbers, and which they were. */
export interface PlainAmounts {
  readonly table: Table;
  readonly notes: readonly Note[];
}

/**
 * Columns in which every value is an amount as people write it (`$1,234.50`, `1.234,50 €`, `12 000`, `7 %`, `(90)`) become plain
 * numbers. Where a comma or point may be either a decimal or one between thousands, nothing is changed; but 1,020 beside 980
 * is read as thousands where no other column has decimal commas.
 */
export function plainAmounts(table: Table): PlainAmounts {
  const notes: Note[] = [];
  const commas = table.columns.some(hasDecimalCommas);
  const columns = table.columns.map((column, k) => {
    const read = amountsOf(column, commas);
    if (!read) return column;
    const first = column.findIndex((cell, i) => cell !== read[i]);
    const written = JSON.stringify(column[first]);
    notes.push(new Note("amounts", { name: table.names[k]!, written, value: String(read[first]) }));
    return read;
  });
  return notes.length === 0 ? { table, notes } : { table: { ...table, columns }, notes };
}

/** The column as plain numbers; undefined where it is not a column of amounts, or one of plain numbers already. */
function amountsOf(column: readonly Cell[], commas: boolean): Cell[] | undefined {
  if (!column.some((cell) => typeof cell === "string" && odd(cell))) return undefined;
  // A text comes as often as a column is long: each is looked at once.
  const bare = new Map<Cell, string>();
  for (const cell of column) {
    if (typeof cell === "boolean") return undefined;
    if (typeof cell !== "string" || bare.has(cell)) continue;
    const text = withoutSigns(cell);
    if (!POINT.test(text) && !COMMA.test(text) && !PLAIN.test(text)) return undefined;
    bare.set(cell, text);
  }
  const texts = [...bare.values()];
  const signed = [...bare.keys()].some((cell) => SIGNED.test(minusFirst(String(cell).trim())));
  const decimal = decimalOf(texts, signed) ?? (!commas && areThousands(texts) ? "." : undefined);
  if (!decimal) return undefined;
  return column.map((cell) => (bare.has(cell) ? plain(bare.get(cell)!, decimal) : cell));
}

/** Is every comma one between thousands, and what has none below them? */
const areThousands = (texts: readonly string[]): boolean =>
  texts.every((t) => THOUSANDS.test(t) || (PLAIN.test(t) && Math.abs(Number(t)) < 1000));

/** Has a column numbers with a comma that can only be a decimal one (1,5)? */
function hasDecimalCommas(column: readonly Cell[]): boolean {
  const texts = (test: (text: string) => boolean) => (cell: Cell) =>
    cell !== null && test(String(cell).trim());
  return (
    !column.some(texts((t) => !COMMA.test(t))) &&
    column.some(texts((t) => t.includes(",") && !THOUSANDS.test(t)))
  );
}

/** Is a text an amount, however it is written? */
export function isAmount(text: string): boolean {
  const bare = withoutSigns(text);
  return POINT.test(bare) || COMMA.test(bare);
}

/** May a text be either a number of thousands or one with a decimal comma? */
export const hasEitherComma = (text: string): boolean => /^[+-]?[1-9]\d{0,2},\d{3}$/.test(text);

const SIGNED = new RegExp(`^[+-]?\\s*${SIGN}|${SIGN}$`);

/** Is a text another than a plain number? */
const odd = (text: string): boolean => !PLAIN.test(text.trim());

const withoutSigns = (cell: string): string =>
  minusFirst(cell.trim()).replace(BEFORE, "$1").replace(BEHIND, "").replace(BLANKS, "");

const minusFirst = (cell: string): string =>
  cell.replace(BELOW, (_, inBrackets?: string, behind?: string) => `-${(inBrackets ?? behind)!.trim()}`);

/**
 * Which of point and comma is the decimal one: that under which every text is a number, where only one is; where both
 * are, neither unless no text has three digits behind its only separator, or a sign of money says that these are thousands.
 */
function decimalOf(texts: readonly string[], signed: boolean): "." | "," | undefined {
  const [point, comma] = [texts.every((t) => POINT.test(t)), texts.every((t) => COMMA.test(t))];
  if (point !== comma) {
    // 1,5 in every row may be a list of two codes: with a sign of money it is none.
    const sure = signed || texts.some((t) => /[.,].*[.,]/.test(t)) || point;
    return sure ? (point ? "." : ",") : undefined;
  }
  if (!point) return undefined;
  const separated = texts.filter((t) => /[.,]/.test(t));
  if (separated.length === 0) return ".";
  if (!signed) return undefined;
  return separated.every((t) => t.includes(","))
    ? "."
    : separated.every((t) => t.includes("."))
      ? ","
      : undefined;
}

function plain(text: string, decimal: "." | ","): string {
  return decimal === "." ? text.replaceAll(",", "") : text.replaceAll(".", "").replace(",", ".");
}
