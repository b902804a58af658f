import { ColaError } from "../errors.ts";
import type { Cell, Table } from "../types.ts";

const ISO = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ](.*))?$/;
const GERMAN = /^(\d{1,2})\.(\d{1,2})\.(\d{4})(?:[T ](.*))?$/;
const TIME = /^(\d{1,2}):(\d{2})/;

/** What a date or time is made of; the weekday counts from 1, Monday. */
const DATE_PARTS = ["year", "month", "day", "weekday", "hour", "minute"] as const;
type Parts = Readonly<Partial<Record<(typeof DATE_PARTS)[number], number>>>;

/**
 * The table with each of these columns of dates or times in its parts (`booked` → `booked_year`, `booked_month`, …), as
 * far as some row has them. A date that may be read in two ways (3/4/2024) is refused, like anything that is no date.
 */
export function withDateParts(table: Table, names: readonly string[]): Table {
  const columns = table.names.flatMap((name, k): [string, readonly Cell[]][] => {
    const column = table.columns[k]!;
    if (!names.includes(name)) return [[name, column]];
    const parts = column.map((cell, row) => (cell === null ? {} : partsOf(name, String(cell).trim(), row)));
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

function partsOf(name: string, text: string, row: number): Parts {
  const iso = ISO.exec(text);
  const [, year, month, day, rest] = iso ?? reversed(GERMAN.exec(text)) ?? [];
  const time = TIME.exec(year === undefined ? text : (rest ?? ""));
  const clock = time ? { hour: Number(time[1]), minute: Number(time[2]) } : {};
  if (year === undefined) {
    if (time) return clock;
    throw unreadable(name, text, row);
  }
  const [y, m, d] = [Number(year), Number(month), Number(day)];
  if (m < 1 || m > 12 || d < 1 || d > daysIn(y, m)) throw unreadable(name, text, row);
  return { year: y, month: m, day: d, weekday: weekdayOf(y, m, d), ...clock };
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

function unreadable(name: string, text: string, row: number): ColaError {
  return new ColaError(
    "VALUE_INVALID",
    `options.dateParts: row ${row} of ${name} is ${JSON.stringify(text)}, which is no date or time as 2024-03-31, 31.03.2024, 2024-03-31 14:05 or 14:05; write it so, or leave the column out (options.exclude).`,
    { row, name, value: text },
  );
}
