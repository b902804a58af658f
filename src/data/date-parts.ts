import { ColaError } from "../errors.ts";
import type { Cell, Table } from "../types.ts";

const ISO = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[T ](.*))?$/;
const GERMAN = /^(\d{1,2})\.(\d{1,2})\.(\d{4})(?:[T ](.*))?$/;
/** 3/31/2024 or 31/3/2024. */
const SLASHED = /^(\d{1,2})\/(\d{1,2})\/(\d{4})(?:[T ](.*))?$/;
const TIME = /^(\d{1,2}):(\d{2})(?:[:.\d]*\s*([ap])\.?m\b)?/i;

const MONTH =
  "(jan(uary|uar)?|feb(ruary|ruar)?|mar(ch)?|märz?|apr(il)?|may|mai|june?|juni|july?|juli|aug(ust)?|sept?(ember)?|o[ck]t(ober)?|nov(ember)?|de[cz](ember)?)\\.?";
/** Dates, times, or both; months and quarters of a year. */
const DATE = new RegExp(
  [
    "\\d{4}[-/]\\d{1,2}[-/]\\d{1,2}([T ].*)?",
    "(19|20)\\d\\d[-/](0?[1-9]|1[0-2])",
    "\\d{1,2}[./]\\d{1,2}[./]\\d{2,4}([T ].*)?",
    "\\d{1,2}:\\d{2}(:\\d{2}(\\.\\d+)?)?",
    "\\d{4}[- ]?q[1-4]|q[1-4][- /]?\\d{4}",
    `(\\d{1,2}\\.?[- ])?${MONTH}[- ](\\d{1,2},? )?\\d{4}`,
    `\\d{1,2}[- ]${MONTH}[- ]\\d{2}`,
  ]
    .map((form) => `^(${form})$`)
    .join("|"),
  "i",
);

export const isDateText = (text: string): boolean => DATE.test(text);

/** What a date or time is made of; the weekday counts from 1, Monday. */
const DATE_PARTS = ["year", "month", "day", "weekday", "hour", "minute"] as const;
type Parts = Readonly<Partial<Record<(typeof DATE_PARTS)[number], number>>>;

/**
 * The table with each of these columns of dates or times in its parts (`booked` → `booked_year`, `booked_month`, …), as
 * far as some row has them. Of dates with slashes the column must tell whether the day or the month comes first, by a
 * number above 12; where it does not (3/4/2024), they are refused, like anything that is not a date.
 */
export function withDateParts(table: Table, names: readonly string[]): Table {
  const columns = table.names.flatMap((name, k): [string, readonly Cell[]][] => {
    const column = table.columns[k]!;
    if (!names.includes(name)) return [[name, column]];
    const slashed = slashOrder(column);
    const parts = column.map((cell, row) => {
      if (cell === null) return {};
      return partsOf(String(cell).trim(), slashed) ?? unreadable(name, String(cell).trim(), row);
    });
    return DATE_PARTS.filter((part) => parts.some((one) => one[part] !== undefined)).map((part) => [
      `${name}_${part}`,
      parts.map((one) => one[part] ?? null),
    ]);
  });
  return {
    names: columns.map(([name]) => name),
    columns: columns.map(([, column]) => column),
    rows: table.rows,
  };
}

/** Can every one of these texts be read in its parts? */
export function readAsDates(texts: readonly string[]): boolean {
  const slashed = slashOrder(texts);
  return texts.every((text) => partsOf(text, slashed) !== undefined);
}

/** What comes first in the dates with slashes of a column, where a number above 12 says so of one place alone. */
function slashOrder(column: readonly Cell[]): "day" | "month" | undefined {
  const found = column.map((cell) => SLASHED.exec(String(cell).trim()));
  const above = (place: number): boolean => found.some((one) => Number(one?.[place]) > 12);
  const [day, month] = [above(1), above(2)];
  return day === month ? undefined : day ? "day" : "month";
}

function partsOf(text: string, slashed: "day" | "month" | undefined): Parts | undefined {
  const [, year, month, day, rest] =
    ISO.exec(text) ??
    reversed(GERMAN.exec(text) ?? (slashed === "day" ? SLASHED.exec(text) : null)) ??
    yearLast(slashed === "month" ? SLASHED.exec(text) : null) ??
    [];
  const time = TIME.exec(year === undefined ? text : (rest ?? ""));
  const clock = time ? { hour: hourOf(time), minute: Number(time[2]) } : {};
  if (year === undefined) return time ? clock : undefined;
  const [y, m, d] = [Number(year), Number(month), Number(day)];
  if (m < 1 || m > 12 || d < 1 || d > daysIn(y, m)) return undefined;
  return { year: y, month: m, day: d, weekday: weekdayOf(y, m, d), ...clock };
}

/** 12 AM is 0, 1 PM is 13. */
function hourOf([, hour, , half]: RegExpExecArray): number {
  if (half === undefined) return Number(hour);
  return (Number(hour) % 12) + (half.toLowerCase() === "p" ? 12 : 0);
}

function daysIn(year: number, month: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 ? (leap ? 29 : 28) : month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Days of the months before, modulo 7, in a year that begins in March. */
const SHIFT = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4];

/** 1 (Monday) … 7: the day's number modulo 7, with a leap day every 4 years but three in 400. */
function weekdayOf(year: number, month: number, day: number): number {
  const y = month < 3 ? year - 1 : year;
  const days = y + Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400) + SHIFT[month - 1]! + day;
  return ((days + 6) % 7) + 1;
}

/** The column of dates that a column is a part of, among these. */
export function dateOf(column: string, names: readonly string[]): string | undefined {
  return names.find((name) => DATE_PARTS.some((part) => column === `${name}_${part}`));
}

/** A German date in the order of an ISO one. */
const reversed = (found: RegExpExecArray | null): readonly (string | undefined)[] | undefined =>
  found ? [found[0], found[3], found[2], found[1], found[4]] : undefined;

/** A date that begins with its month in the order of an ISO one. */
const yearLast = (found: RegExpExecArray | null): readonly (string | undefined)[] | undefined =>
  found ? [found[0], found[3], found[1], found[2], found[4]] : undefined;

function unreadable(name: string, text: string, row: number): never {
  const what = SLASHED.test(text)
    ? "whose day and month no row of the column tells apart (one of them above 12); write it as 2024-03-31"
    : "which is not a date or time such as 2024-03-31, 31.03.2024, 3/31/2024, 2024-03-31 14:05 or 14:05; write it like one of these";
  throw new ColaError(
    "VALUE_INVALID",
    `options.dateParts: row ${row} of ${name} is ${JSON.stringify(text)}, ${what}, or leave the column out (options.exclude).`,
    { row, name, value: text },
  );
}
