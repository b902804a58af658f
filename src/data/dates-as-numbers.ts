/** Different values from which on numbers that could all be dates are dates. */
const LEAST = 10;

/** 20240315 or 202403. */
const CALENDAR = /^(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])?$/;
/** Seconds or milliseconds since 1970 of the years from 2001 to 2033. */
const SINCE_1970 = /^1\d{9}(\d{3})?$/;
/** From 1973 to 2096, in seconds or milliseconds. */
const EPOCH = /^([1-3]?\d{8,9})(000)?$/;
const DAY = 86_400;
/** How columns that hold a moment are called, in English and German. */
const MOMENT =
  /(^|[_\s.-])(at|on|date|time|datetime|timestamp|ts|epoch|created|updated|datum|zeit)$|[a-z](At|On|Date|Time)$|datum$/;

/**
 * Are the whole numbers of a column dates, by the calendar or since 1970? Of the latter its name says so, or that all are
 * whole days (as pandas writes dates into JSON).
 */
export function areDates(name: string, texts: readonly string[]): boolean {
  if (texts.length < LEAST) return false;
  if (texts.every((t) => t.length === texts[0]!.length && CALENDAR.test(t))) return true;
  if (texts.every((t) => Number(EPOCH.exec(t)?.[1] ?? 1) % DAY === 0)) return true;
  return (MOMENT.test(name) || MOMENT.test(name.toLowerCase())) && texts.every((t) => SINCE_1970.test(t));
}
