import { nextUp } from "./axis.ts";
import type { ExactStudy } from "./contract.ts";

/** The values a number may be edited to, whatever it is now (directions and gaps are the row's own matter). */
export interface Legal {
  /** The least legal value ≥ v, NaN where there is none. */
  above(v: number): number;
  /** The greatest legal value ≤ v, NaN where there is none. */
  below(v: number): number;
  /** All of them, ascending, where they are at most `most`. */
  list(most: number): Float64Array | undefined;
}

/**
 * Legal numbers of feature k: what the schema says; where it names no end, the ends of the column; where it names no
 * step, as many decimals as the column has.
 */
export function legalNumbers(
  {
    constraints,
    low,
    high,
    decimals,
  }: Pick<ExactStudy<unknown>, "constraints" | "low" | "high" | "decimals">,
  k: number,
): Legal {
  const domain = constraints.domain(k, Number.NaN);
  if (domain.values) return listed(domain.values.filter((v) => v >= domain.min && v <= domain.max));
  const named = constraints.schema.features[k]!;
  const min = named.min === undefined ? Math.max(domain.min, low[k]!) : domain.min;
  const max = named.max === undefined ? Math.min(domain.max, high[k]!) : domain.max;
  if (domain.step > 0)
    return stepped(min, max, domain.origin, (n) => domain.origin + n * domain.step, domain.step);
  if (decimals[k]! < 0) return continuum(min, max);
  const scale = 10 ** decimals[k]!;
  // Beyond the whole numbers that a double tells apart there are no steps to count.
  if (Math.max(Math.abs(min), Math.abs(max)) * scale >= Number.MAX_SAFE_INTEGER) return continuum(min, max);
  return stepped(min, max, 0, (n) => n / scale, 1 / scale);
}

/**
 * The legal value nearest to x on one side that is not the same as x. Looked for from x ± tolerance itself on: with
 * rounding the difference of that number and x may be more than the tolerance.
 */
export function beyond(legal: Legal, x: number, tolerance: number, up: boolean): number {
  let v = up ? legal.above(x + tolerance) : legal.below(x - tolerance);
  while (Math.abs(v - x) <= tolerance) v = up ? legal.above(nextUp(v)) : legal.below(-nextUp(-v));
  return v;
}

/** A number a hair above v (sign 1) or below it. */
export function justBeyond(v: number, sign: 1 | -1): number {
  return v + sign * Math.max(Number.MIN_VALUE, Math.abs(v) * Number.EPSILON);
}

function listed(values: readonly number[]): Legal {
  const sorted = Float64Array.from(values).sort();
  return {
    above: (v) => sorted.find((value) => value >= v) ?? Number.NaN,
    below: (v) => sorted.findLast((value) => value <= v) ?? Number.NaN,
    list: (most) => (sorted.length <= most ? sorted : undefined),
  };
}

function continuum(min: number, max: number): Legal {
  const inside = (v: number): number => (v >= min && v <= max ? v : Number.NaN);
  return {
    above: (v) => inside(Math.max(v, min)),
    below: (v) => inside(Math.min(v, max)),
    list: () => (min === max ? Float64Array.of(min) : undefined),
  };
}

/**
 * Values `exact(n)` for whole n, written with 15 digits: 389 steps of 0.1 are 38.9, not 38.900000000000006. Beyond the
 * whole numbers that a double tells apart, steps are closer than doubles, and every number is one.
 */
function stepped(
  min: number,
  max: number,
  origin: number,
  exact: (n: number) => number,
  step: number,
): Legal {
  const at = (n: number): number => {
    const value = exact(n);
    return Number.isInteger(value) ? value : Number(value.toPrecision(15));
  };
  const above = (v: number): number => {
    const from = Math.max(v, min);
    if (!(from <= max)) return Number.NaN;
    let n = Math.floor((from - origin) / step) - 1;
    if (!Number.isSafeInteger(n)) return from;
    while (at(n) < from) n++;
    return at(n) <= max ? at(n) : Number.NaN;
  };
  const below = (v: number): number => {
    const from = Math.min(v, max);
    if (!(from >= min)) return Number.NaN;
    let n = Math.ceil((from - origin) / step) + 1;
    if (!Number.isSafeInteger(n)) return from;
    while (at(n) > from) n--;
    return at(n) >= min ? at(n) : Number.NaN;
  };
  return {
    above,
    below,
    list: (most) => {
      const [first, last] = [above(min), below(max)];
      if (!((last - first) / step < most)) return undefined;
      const n = Math.round((first - origin) / step);
      if (!Number.isSafeInteger(n)) return undefined;
      return Float64Array.from({ length: Math.round((last - first) / step) + 1 }, (_, t) => at(n + t));
    },
  };
}
