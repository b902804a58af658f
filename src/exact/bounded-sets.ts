import type { RowBounds, Spread } from "./bounded-contract.ts";
import { SPENT } from "./meter.ts";

/** Do the bounds leave it open that all demands are met? */
function possible(
  bounds: RowBounds,
  floor: Float64Array,
  moved: readonly Spread[],
  others: readonly Spread[] = [],
  more = 0,
): boolean {
  for (let c = 0; c < floor.length; c++) {
    if (!(bounds.most(c, moved, others, more) >= floor[c]!)) return false;
  }
  return true;
}

/**
 * All sets of `size` features that the bounds do not refute. Depth first: a set in the making is given up when no choice
 * of the features still to come can help it; those that promise most come first, so that the rest is soon refused. More than `keep` end the search.
 */
export function openSets(
  bounds: RowBounds,
  floor: Float64Array,
  spreads: readonly Spread[],
  size: number,
  keep: number,
  pulse: () => void,
): Spread[][] {
  const open: Spread[][] = [];
  const choose = (chosen: readonly Spread[], next: number, left: number): void => {
    for (let t = next; t <= spreads.length - left; t++) {
      pulse();
      if (t > next && left > 1 && !possible(bounds, floor, chosen, spreads.slice(t), left)) return;
      const moved = [...chosen, spreads[t]!];
      if (!possible(bounds, floor, moved, left > 1 ? spreads.slice(t + 1) : [], left - 1)) continue;
      if (left === 1 && open.length === keep) throw SPENT;
      if (left === 1) open.push(moved);
      else choose(moved, t + 1, left - 1);
    }
  };
  if (possible(bounds, floor, [], spreads, size)) choose([], 0, size);
  return open;
}

/** Features in the order of the most that each can do alone for the first demand. */
export function byPromise(bounds: RowBounds, spreads: readonly Spread[]): Spread[] {
  const most = new Map(spreads.map((spread) => [spread, bounds.most(0, [spread], [], 0)]));
  return spreads.toSorted((a, b) => most.get(b)! - most.get(a)! || a.feature - b.feature);
}
