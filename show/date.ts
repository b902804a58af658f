import { checkOption } from "../src/errors.ts";
import type { Locale } from "./locales/contract.ts";
import { fill } from "./sentences.ts";

/** Throws unless this is a day of the calendar, as 2026-05-31. */
export function checkDate(owner: string, date: string): void {
  checkOption(isDay(date), owner, "date", "a day of the calendar like 2026-05-31", date);
}

function isDay(date: string): boolean {
  const found = /^(\d{4})-(\d\d)-(\d\d)$/.exec(date);
  if (!found) return false;
  const [year, month, day] = found.slice(1).map(Number) as [number, number, number];
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
  return day >= 1 && day <= days;
}

/** Today, by the clock of this machine. */
export function today(): string {
  const now = new Date();
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}

/** A day as people write it. */
export function dateText(date: string, { papers }: Locale): string {
  checkDate("letter", date);
  const [year, month, day] = date.split("-").map(Number) as [number, number, number];
  return fill(papers.date, {
    day: String(day),
    month: papers.months.split("|")[month - 1]!,
    year: String(year),
  });
}
