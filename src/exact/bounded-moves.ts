import { hasLevels } from "../data/schema.ts";
import type { Spread } from "./bounded-contract.ts";
import { changeIn, isGap } from "./change.ts";
import type { ExactStudy } from "./contract.ts";
import { beyond, type Legal } from "./legal.ts";
import { movesOf } from "./row.ts";

/** Of a feature without cells: single values. */
const NO_CELLS = { levels: true, masked: true, cuts: new Float64Array(0), cells: 1 };

/** What feature k of a row may become: numbers above x, numbers below it, single values; each at its own. */
export function partsOf(
  study: ExactStudy<unknown>,
  legal: Legal | undefined,
  k: number,
  x: number,
  among: ArrayLike<number> | undefined,
): Spread[] {
  const { constraints } = study;
  const feature = constraints.schema.features[k]!;
  if (hasLevels(feature) || among) {
    const axis = { ...NO_CELLS, encoded: { data: NO_CELLS.cuts, rows: 0, cols: 0 } };
    const { points } = movesOf(study, axis, undefined, k, x, among);
    return points.length > 0 ? [{ ...NOTHING, feature: k, points }] : [];
  }
  const gap = isGap(feature, x);
  if (!constraints.editable[k] || (gap && !feature.editMissing)) return [];
  const change = changeIn(study);
  const codes = feature.editMissing ? [Number.NaN, ...(feature.missing ?? [])] : [];
  const points = codes
    .filter((value) => !Object.is(value, x))
    .map((value) => ({ value, cost: change(k, x, value) }));
  const { direction, tolerance = 0 } = feature;
  const [least, greatest] = [legal!.above(Number.NEGATIVE_INFINITY), legal!.below(Number.POSITIVE_INFINITY)];
  const parts: Spread[] = [];
  const add = (low: number, high: number): void => {
    if (low <= high) parts.push({ feature: k, low, high, points: [] });
  };
  if (gap) add(least, greatest);
  if (!gap && direction !== "down") add(beyond(legal!, x, tolerance, true), greatest);
  if (!gap && direction !== "up") add(least, beyond(legal!, x, tolerance, false));
  return points.length > 0 ? [...parts, { ...NOTHING, feature: k, points }] : parts;
}

const NOTHING = { low: Number.POSITIVE_INFINITY, high: Number.NEGATIVE_INFINITY };

/** One spread that holds the parts of a feature. */
export function joined(parts: readonly Spread[]): Spread {
  const low = Math.min(...parts.map((part) => part.low));
  const high = Math.max(...parts.map((part) => part.high));
  return { feature: parts[0]!.feature, low, high, points: parts.flatMap((part) => part.points) };
}

/**
 * Is it numbers of one part alone, or single values alone? A spread that ends at x itself is neither: which side of x
 * its numbers are on, and so which of them is the nearest, only the parts tell.
 */
export function isPart({ low, high, points }: Spread, parts: readonly Spread[]): boolean {
  if (!(low <= high)) return true;
  return points.length === 0 && parts.some((part) => part.low <= low && high <= part.high);
}
