import { checkDate } from "../show/date.ts";

/** The day a paper is of: the one named, or that of the caller's clock. */
export function dayOf(named: string | undefined): string {
  if (named !== undefined) checkDate("--date", named);
  return named ?? today();
}

function today(): string {
  const now = new Date();
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}
