import type { BoxTask } from "./bounded-box.ts";
import type { FoundValues } from "./bounded-boxes.ts";
import type { Spread } from "./bounded-contract.ts";
import type { Legal } from "./legal.ts";
import type { SafeRange } from "./plan.ts";

/** Boxes that a range is cut into at most before it is not certain. */
const PIECES = 48;
/** Rounds of bisection for one end. */
const ROUNDS = 24;

/**
 * How far each edited number may go on beyond its planned value so that every row between still meets all demands,
 * whatever the others do within their own ranges: one after the other, by bisection.
 */
export function safeRanges(
  { bounds, legal, x, parts }: BoxTask,
  sure: Float64Array,
  { features, values }: FoundValues,
): SafeRange[] {
  const spreads = features.map((feature, q): Spread => {
    const value = values[q]!;
    const isNumber =
      legal[feature] !== undefined && !Number.isNaN(value) && sideOf(feature, value) !== undefined;
    return isNumber
      ? { feature, low: value, high: value, points: [] }
      : { feature, low: 1, high: 0, points: [{ value, cost: 0 }] };
  });
  function sideOf(feature: number, value: number): Spread | undefined {
    return parts.get(feature)!.find(({ low, high }) => low <= value && value <= high);
  }
  const holds = (all: readonly Spread[], left: { pieces: number }): boolean => {
    if (sure.every((edge, c) => bounds.least(c, all) >= edge)) return true;
    if (left.pieces-- <= 0) return false;
    let widest = -1;
    all.forEach((spread, q) => {
      if (spread.low < spread.high && (widest < 0 || bounds.doubt(spread) > bounds.doubt(all[widest]!)))
        widest = q;
    });
    if (widest < 0) return false;
    const { low, high } = all[widest]!;
    const middle = (low + high) / 2;
    if (!(low < middle && middle < high)) return false;
    return (
      holds(all.with(widest, { ...all[widest]!, high: middle }), left) &&
      holds(all.with(widest, { ...all[widest]!, low: middle }), left)
    );
  };
  const certain = (): boolean => holds(spreads, { pieces: PIECES });
  if (!certain()) return [];
  return features.flatMap((feature, q): SafeRange[] => {
    const value = values[q]!;
    const side = spreads[q]!.points.length === 0 ? sideOf(feature, value) : undefined;
    if (!side) return [];
    const up = !(side.high < x[feature]!);
    const [end, own] = [up ? side.high : side.low, legal[feature]!];
    const spreadTo = (to: number): Spread => ({
      ...spreads[q]!,
      low: Math.min(value, to),
      high: Math.max(value, to),
    });
    const isSafe = (to: number): boolean => {
      spreads[q] = spreadTo(to);
      return certain();
    };
    const to = safeEnd(own, value, end, up, isSafe);
    spreads[q] = spreadTo(to);
    return [{ feature, from: value, to, open: to === end }];
  });
}

/** The farthest value from `value` towards `end` that bisection finds safe. */
function safeEnd(
  legal: Legal,
  value: number,
  end: number,
  up: boolean,
  isSafe: (to: number) => boolean,
): number {
  if (isSafe(end)) return end;
  let [safe, beyond] = [value, end];
  for (let round = 0; round < ROUNDS; round++) {
    const middle = (safe + beyond) / 2;
    let to = up ? legal.below(middle) : legal.above(middle);
    const inside = up ? to > safe && to < beyond : to < safe && to > beyond;
    if (!inside) {
      // No legal value lies between: the half nearer to `beyond` is all that is left.
      to = up ? legal.above(middle) : legal.below(middle);
      if (!(up ? to < beyond : to > beyond)) break;
    }
    if (isSafe(to)) safe = to;
    else beyond = to;
  }
  return safe;
}
