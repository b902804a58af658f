import type { Orthant } from "./boxes.ts";

/**
 * How far each edited number may go beyond its planned place so that every row between still meets all demands,
 * whatever the other numbers do within their own ranges: the sum over trees of the least leaf that meets the box stays
 * at or above `sure`. One side after the other, by bisection; the sum only falls as the box grows.
 */
export function safePlaces(orthant: Orthant, places: readonly number[], sure: Float64Array): number[] {
  const far = [...places];
  if (!holds(orthant, places, far, sure)) return far;
  orthant.sides.forEach(({ count }, r) => {
    let [safe, end] = [places[r]!, count + 1];
    while (end - safe > 1) {
      far[r] = (safe + end) >> 1;
      if (holds(orthant, places, far, sure)) safe = far[r]!;
      else end = far[r]!;
    }
    far[r] = safe;
  });
  return far;
}

/** Does the least that the leaves of a box can sum to meet every demand? */
function holds(
  orthant: Orthant,
  near: readonly number[],
  far: readonly number[],
  sure: Float64Array,
): boolean {
  const { sides, count, low, high, tree, value, base } = orthant;
  const size = sides.length;
  for (let c = 0; c < sure.length; c++) {
    let sum = base[c]!;
    let [at, least] = [-1, 0];
    for (let j = 0; j < count; j++) {
      let r = 0;
      while (r < size && low[j * size + r]! <= far[r]! && high[j * size + r]! >= near[r]!) r++;
      if (r < size) continue;
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
