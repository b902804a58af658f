import { checkDate, today } from "../show/date.ts";

/** The day a paper is of: the one named, or that of the caller's clock. */
export function dayOf(named: string | undefined): string {
  if (named !== undefined) checkDate("--date", named);
  return named ?? today();
}
