import type { ColaError } from "../../errors.ts";
import type { Weighed } from "../option.ts";
import { tied } from "../option.ts";
import type { Context } from "../search.ts";
import type { SetTable } from "../table.ts";
import type { Aim } from "./aim.ts";

/** What a row gets from one reference: effects[t] for sizes[t] edits, both rising; the first is x itself. */
export interface Offer {
  readonly reference: number;
  readonly sizes: readonly number[];
  readonly effects: readonly number[];
}

/** The frontier of a pair as far as it was searched, and as it could be at best. */
export interface Offers {
  readonly real: Offer;
  /** Sets that were not searched are taken to do as much as any row can. */
  readonly hoped: Offer;
}

/** G(c) = max effect over the sets of at most c members, from the table of a pair. */
export function offersOf(
  context: Context,
  weighed: Weighed,
  reference: number,
  table: SetTable,
  aim: Aim,
  perRow: number,
): Offers {
  const best: number[] = [];
  for (let t = 0; t < table.slack.length; t++) {
    const size = table.sizes[t]!;
    if (table.slack[t]! > (best[size] ?? Number.NEGATIVE_INFINITY)) best[size] = table.slack[t]!;
  }
  const start = aim.effect(table.slack[0]!);
  const offer = { reference, sizes: [0], effects: [start] };
  best.forEach((slack, size) => {
    const effect = aim.effect(slack);
    if (!(effect > offer.effects.at(-1)!)) return;
    offer.sizes.push(size);
    offer.effects.push(effect);
  });
  const first = firstUnknown(context, weighed, table, perRow);
  return { real: offer, hoped: first === undefined ? offer : widened(offer, first, aim.ceiling) };
}

/** The smallest size with sets that were not searched but might be used. */
function firstUnknown(
  { rule }: Context,
  { gaps }: Weighed,
  table: SetTable & { readonly error?: ColaError },
  perRow: number,
): number | undefined {
  if (table.error) return 1;
  const size = table.exhausted + 1;
  // One that is left at the size of all members is the whole set, which is in the table.
  if (size >= gaps.length || size > perRow) return undefined;
  const least = gaps
    .toSorted()
    .subarray(0, size)
    .reduce((sum, gap) => sum + gap, 0);
  return tied(least) <= tied(rule.maxDistance) ? size : undefined;
}

function widened({ reference, sizes, effects }: Offer, size: number, ceiling: number): Offer {
  const kept = sizes.filter((s) => s < size).length;
  if (effects[kept - 1]! >= ceiling) return { reference, sizes, effects };
  return {
    reference,
    sizes: [...sizes.slice(0, kept), size],
    effects: [...effects.slice(0, kept), ceiling],
  };
}
