import { hasLevels } from "../data/schema.ts";
import { isGap } from "./change.ts";
import type { ExactStudy } from "./contract.ts";
import { justBeyond, type Legal } from "./legal.ts";

/** What a feature adds to a sum: start + slope·value, or a number for each level, or for missing. */
export interface Term {
  readonly start: number;
  readonly slope: number;
  readonly levels?: readonly number[];
  readonly missing: number;
}

/** A single value and what it adds to the sum beyond x. */
interface Offer {
  readonly value: number;
  readonly gain: number;
  readonly cost: number;
}

/** One feature that can raise the sum: by single values, or by going from x towards `end`. */
export interface Lever {
  readonly feature: number;
  /** The most any legal value adds. */
  readonly most: number;
  readonly offers: readonly Offer[];
  readonly line?: Line;
}

/** A number that goes one way: a value v adds rate·|v − x| and costs weight·|v − x|. */
export interface Line {
  readonly x: number;
  readonly up: boolean;
  readonly rate: number;
  readonly weight: number;
  /** The nearest and the farthest legal value. */
  readonly first: number;
  readonly end: number;
  /** The legal value at `v` or next beyond it, seen from x; NaN where there is none. */
  at(v: number): number;
}

/** What feature k may add from x on, and what it adds now. */
export function leverOf(
  study: ExactStudy,
  term: Term,
  legal: Legal | undefined,
  k: number,
  x: number,
  among?: ArrayLike<number>,
): { readonly lever?: Lever; readonly value: number } {
  const { constraints, weights } = study;
  const feature = constraints.schema.features[k]!;
  const added = (v: number): number =>
    Number.isNaN(v) ? term.missing : term.levels ? term.levels[v]! : term.start + term.slope * v;
  const value = added(x);
  const codes = feature.missing ?? [];
  const gap = isGap(feature, x);
  if (!constraints.editable[k] || (gap && !feature.editMissing)) return { value };
  const offers: Offer[] = [];
  const listed = among && Array.from(among);
  const offer = (v: number, cost: number): void => {
    const gain = added(v) - value;
    if (gain > 0 && (listed?.includes(v) ?? true)) offers.push({ value: v, gain, cost });
  };
  if (feature.editMissing) for (const v of [Number.NaN, ...codes]) if (!Object.is(v, x)) offer(v, 1);
  if (hasLevels(feature)) {
    const ordered = feature.kind === "ordinal" && !gap;
    for (const v of constraints.domain(k, x).values ?? []) {
      if (v !== x) offer(v, ordered ? weights[k]! * Math.abs(v - x) : 1);
    }
  } else if (listed) {
    for (const v of listed) {
      const legalValue = !isGap(feature, v) && constraints.allows(k, x, v) && !constraints.same(k, x, v);
      if (legalValue) offer(v, gap ? 1 : weights[k]! * Math.abs(v - x));
    }
  } else if (gap) {
    for (const v of [legal!.above(Number.NEGATIVE_INFINITY), legal!.below(Number.POSITIVE_INFINITY)]) {
      if (Number.isFinite(v)) offer(v, 1);
    }
  }
  const line = gap || listed || term.slope === 0 ? undefined : lineOf(study, term.slope, legal, k, x);
  const most = Math.max(
    line ? line.rate * Math.abs(line.end - line.x) : 0,
    ...offers.map(({ gain }) => gain),
  );
  return most > 0 ? { value, lever: { feature: k, most, offers, ...(line ? { line } : {}) } } : { value };
}

function lineOf(
  { constraints, weights }: ExactStudy,
  slope: number,
  legal: Legal | undefined,
  k: number,
  x: number,
): Line | undefined {
  const { direction, tolerance = 0 } = constraints.schema.features[k]!;
  const up = slope > 0;
  if (!legal || direction === (up ? "down" : "up")) return undefined;
  const nearest = up ? justBeyond(x + tolerance, 1) : justBeyond(x - tolerance, -1);
  const at = (v: number): number => {
    // Legal values are asked for from a hair before v, so that a value that is v but for rounding counts: never from x.
    const slack = 4 * Number.EPSILON * (Math.abs(v) + Math.abs(x));
    let legalValue = up
      ? legal.above(Math.max(v - slack, nearest))
      : legal.below(Math.min(v + slack, nearest));
    while (Math.abs(legalValue - x) <= tolerance) {
      legalValue = up ? legal.above(justBeyond(legalValue, 1)) : legal.below(justBeyond(legalValue, -1));
    }
    return legalValue;
  };
  const first = at(up ? x + tolerance : x - tolerance);
  const end = up ? legal.below(Number.POSITIVE_INFINITY) : legal.above(Number.NEGATIVE_INFINITY);
  const inside = up ? first > x && end >= first : first < x && end <= first;
  if (!inside) return undefined;
  return { x, up, rate: Math.abs(slope), weight: weights[k]!, first, end, at };
}
