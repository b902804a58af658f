import type { Between } from "./between.ts";
import type { Found, OrthantSearch } from "./orthant.ts";
import type { Orthant } from "./place.ts";
import type { SafeRange } from "./plan.ts";
import { isSide } from "./row.ts";

/** Parts of a cell that are tried, each half of the one before. */
const HALVINGS = 20;

/**
 * How far each edited number may go beyond its planned value so that every row between still meets all demands,
 * whatever the other numbers do within their own ranges: the sum over trees of the least leaf that meets the box stays
 * at or above `sure`, and every rule holds all over it. One side after the other, by bisection; the sum only falls as
 * the box grows.
 */
export function safeRanges(
  plan: Found,
  orthants: OrthantSearch,
  sure: Float64Array,
  between: Between | undefined,
): SafeRange[] {
  const { features, moves, places, values } = plan;
  const orthant = orthants.around(plan);
  const meets = orthants.meets(orthant);
  const sides = moves.flatMap((move, q) =>
    isSide(move) ? [{ move, k: features[q]!, value: values[q]! }] : [],
  );
  moves.forEach((move, q) => {
    if (!isSide(move)) between?.set(features[q]!, move.value, move.value);
  });
  const far = [...places];
  // Where rules or derived columns read values, a cell may hold in part: the end of a range within its first one.
  const inside = sides.map(({ value }) => value);
  const endOf = (r: number): number =>
    between && far[r] === places[r] ? inside[r]! : sides[r]!.move.last[far[r]!]!;
  const holds = (): boolean => {
    if (between) {
      sides.forEach(({ k, value }, r) => {
        between.set(k, value, endOf(r));
      });
      if (!between.may() || !between.certain()) return false;
    }
    return sumsHold(orthant, places, far, sure, meets);
  };
  if (holds()) {
    sides.forEach(({ move: { count, last }, k, value }, r) => {
      let [safe, end] = [places[r]!, count + 1];
      while (end - safe > 1) {
        far[r] = (safe + end) >> 1;
        if (holds()) safe = far[r]!;
        else end = far[r]!;
      }
      far[r] = safe;
      if (!between || safe > places[r]!) return;
      for (let t = 0; t < HALVINGS; t++) {
        // A sum may be rounded out of the cell; a half of it is not.
        inside[r] =
          t === 0 ? last[safe]! : orthants.legalTowards(k, value + (last[safe]! - value) / 2 ** t, value);
        if (holds()) return;
      }
      inside[r] = value;
    });
  }
  return sides.map(({ move, k, value }, r) => {
    const to = endOf(r);
    return { feature: k, from: value, to, open: far[r] === move.count && to === move.last[move.count] };
  });
}

/** Does the least that the leaves of a box can sum to meet every demand? */
function sumsHold(
  { sides, count, low, high, tree, value, base }: Orthant,
  near: readonly number[],
  far: readonly number[],
  sure: Float64Array,
  meets: ((j: number) => boolean) | undefined,
): boolean {
  const size = sides.length;
  for (let c = 0; c < sure.length; c++) {
    let sum = base[c]!;
    let [at, least] = [-1, 0];
    for (let j = 0; j < count; j++) {
      let r = 0;
      while (r < size && low[j * size + r]! <= far[r]! && high[j * size + r]! >= near[r]!) r++;
      if (r < size || meets?.(j) === false) continue;
      if (tree[j] !== at) {
        sum += least;
        least = value[c]![j]!;
        at = tree[j]!;
      } else if (value[c]![j]! < least) least = value[c]![j]!;
    }
    if (!(sum + least >= sure[c]!)) return false;
  }
  return true;
}
