import type { Cell, Feature } from "../types.ts";
import { Note } from "./notes.ts";

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
/** Share of the rows with a code that two columns have in common where it means the same in both. */
const SAME_ROWS = 0.8;

/** Codes for a missing value, and the range of the other values. */
interface Sentinels {
  readonly codes: readonly number[];
  readonly rows: number;
  readonly low: number;
  readonly high: number;
}

/**
 * The codes of each column of numbers (none of others). A code of one column is one in every column that has it in mostly the
 * same rows, however few values that has besides: who has no record at all has −9 throughout.
 */
export function sentinelsIn(columns: readonly (readonly Cell[] | undefined)[]): (Sentinels | undefined)[] {
  const own = columns.map((column) => column && sentinelsOf(countsOf(column)));
  const places = new Map<number, Set<number>[]>();
  own.forEach((found, k) => {
    for (const code of found?.codes ?? [])
      places.set(code, [...(places.get(code) ?? []), rowsWith(columns[k]!, code)]);
  });
  return own.map((found, k) => {
    const column = columns[k];
    if (found || !column) return found;
    const known = Array.from(places).filter(([code, others]) => {
      const rows = rowsWith(column, code);
      return rows.size >= LEAST_ROWS && others.some((other) => areAlike(rows, other));
    });
    return known.length === 0
      ? undefined
      : sentinelsOf(
          countsOf(column),
          known.map(([code]) => code),
        );
  });
}

function countsOf(column: readonly Cell[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const cell of column) if (cell !== null) counts.set(Number(cell), (counts.get(Number(cell)) ?? 0) + 1);
  return counts;
}

const rowsWith = (column: readonly Cell[], code: number): Set<number> =>
  new Set(column.flatMap((cell, i) => (cell !== null && Number(cell) === code ? [i] : [])));

function areAlike(some: ReadonlySet<number>, others: ReadonlySet<number>): boolean {
  let both = 0;
  for (const row of some) if (others.has(row)) both++;
  return both >= SAME_ROWS * Math.max(some.size, others.size);
}

/**
 * Numbers that seem to mean "missing": −9, −8 and −7 in a column that is otherwise not negative; 99, 999, … in one whose
 * other values end so far below that as much again would not reach it; those `known` from other columns beyond its other values.
 */
export function sentinelsOf(
  counts: ReadonlyMap<number, number>,
  known: readonly number[] = [],
): Sentinels | undefined {
  const values = [...counts.keys()].sort((a, b) => a - b);
  const often = (value: number): boolean => counts.get(value)! >= LEAST_ROWS;
  const negative = values.filter((value) => value < 0);
  const below = negative.every((value) => NEGATIVE.test(String(value)) && often(value)) ? negative : [];
  const above = beyond(values.filter((value) => value >= 0)).filter(often);
  const isAgreed = (code: number): boolean => AGREED.test(String(code));
  const found = [...below, ...above];
  const codes =
    known.length === 0
      ? found
      : values.filter((v) => known.includes(v) || (found.includes(v) && isAgreed(v)));
  const others = values.filter((value) => !codes.includes(value));
  const agreed = codes.length > 1 && codes.every(isAgreed);
  const least = known.length > 0 ? 1 : agreed ? LEAST_BESIDE_AGREED : LEAST_VALUES;
  if (codes.length === 0 || codes.length > MOST_CODES || others.length < least) return undefined;
  const [low, high] = [others[0]!, others.at(-1)!];
  if (codes.some((code) => code > low && code < high)) return undefined;
  const rows = codes.reduce((sum, code) => sum + counts.get(code)!, 0);
  return { codes, rows, low, high };
}

/** The nines at the end of sorted values, where the others end at less than half of them. */
function beyond(values: readonly number[]): number[] {
  const at = values.findIndex(
    (value, i) => i > 0 && NINES.test(String(value)) && value > 2 * values[i - 1]! - values[0]!,
  );
  const last = at < 0 ? [] : values.slice(at);
  return last.every((value) => NINES.test(String(value))) ? last : [];
}

/** The feature with its codes: what lies on their side of the other values is not a value. */
export function withSentinels(feature: Feature, { codes, low, high }: Sentinels): Feature {
  return {
    ...feature,
    missing: codes,
    ...(codes.some((code) => code < 0) ? { min: Math.min(0, low) } : {}),
    ...(codes.some((code) => code > 0) ? { max: high } : {}),
  };
}

export const sentinelNote = (name: string, { codes, rows, low, high }: Sentinels): Note =>
  new Note("sentinels", { name, codes, rows, low, high, typed: codes.join(",") });
