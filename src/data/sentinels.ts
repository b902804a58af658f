import type { Feature } from "../types.ts";

/** What people write for "unknown": the small negative numbers, −9…9 and 9…9. */
const NEGATIVE = /^-([1-9]|9{2,}|8{2,}|7{2,})$/;
const NINES = /^9{2,}$/;

/** Different codes a column has at most, and different other values it has at least: scales like −2 … 2 have no codes. */
const MOST_CODES = 4;
const LEAST_VALUES = 10;
/** Codes as they are agreed on, −9 … −7 and doubled digits, lie apart from a few values, too: counts from 0 to 3. */
const AGREED = /^-?([789]|9{2,}|8{2,}|7{2,})$/;
const LEAST_BESIDE_AGREED = 3;
/** Rows a code is met in at least: an outlier stands alone. */
const LEAST_ROWS = 3;

/** Codes for a missing value, and the range of the other values. */
export interface Sentinels {
  readonly codes: readonly number[];
  readonly rows: number;
  readonly low: number;
  readonly high: number;
}

/**
 * Numbers that seem to mean "missing": −9, −8 and −7 in a column that is otherwise not negative; 99, 999, … in one whose
 * other values end so far below that as much again would not reach it.
 */
export function sentinelsOf(counts: ReadonlyMap<number, number>): Sentinels | undefined {
  const values = [...counts.keys()].sort((a, b) => a - b);
  const often = (value: number): boolean => counts.get(value)! >= LEAST_ROWS;
  const negative = values.filter((value) => value < 0);
  const below = negative.every((value) => NEGATIVE.test(String(value)) && often(value)) ? negative : [];
  const above = beyond(values.filter((value) => value >= 0)).filter(often);
  const codes = [...below, ...above];
  const others = values.filter((value) => !codes.includes(value));
  const agreed = codes.length > 1 && codes.every((code) => AGREED.test(String(code)));
  const least = agreed ? LEAST_BESIDE_AGREED : LEAST_VALUES;
  if (codes.length === 0 || codes.length > MOST_CODES || others.length < least) return undefined;
  const rows = codes.reduce((sum, code) => sum + counts.get(code)!, 0);
  return { codes, rows, low: others[0]!, high: others.at(-1)! };
}

/** The nines at the end of sorted values, where the others end at less than half of them. */
function beyond(values: readonly number[]): number[] {
  const at = values.findIndex(
    (value, i) => i > 0 && NINES.test(String(value)) && value > 2 * values[i - 1]! - values[0]!,
  );
  const last = at < 0 ? [] : values.slice(at);
  return last.every((value) => NINES.test(String(value))) ? last : [];
}

/** The feature with its codes: what lies on their side of the other values is no value. */
export function withSentinels(feature: Feature, { codes, low, high }: Sentinels): Feature {
  return {
    ...feature,
    missing: codes,
    ...(codes.some((code) => code < 0) ? { min: Math.min(0, low) } : {}),
    ...(codes.some((code) => code > 0) ? { max: high } : {}),
  };
}
