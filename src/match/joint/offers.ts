import type { Context } from "../context.ts";
import { compareOptions, type Option, optionOf, type Weighed, within } from "../option.ts";
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
  /** Sets that were not searched are taken to do as much as their size allows. */
  readonly optimistic: Offer;
  /** For `each`: of the smallest sets that reach the target, the one the rule prefers. */
  readonly lead?: Pick<Option, "slack" | "distance">;
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
  const sets: (readonly [size: number, effect: number])[] = [];
  best.forEach((slack, size) => {
    sets.push([size, aim.effect(slack)]);
  });
  const real = rising(reference, sets);
  const lead = aim.group ? undefined : leadOf(context, weighed, table, aim);
  const found = { real, ...(lead ? { lead } : {}) };
  const open = unknownSizes(context, weighed, table, perRow);
  if (open.length === 0) return { ...found, optimistic: real };
  const known = rising(
    reference,
    sets.filter(([size]) => size < open[0]!),
  );
  if (known.effects.at(-1)! >= aim.ceiling) return { ...found, optimistic: real };
  const bound = boundBySize(context, weighed, aim);
  const hoped = rising(reference, [...sets, ...open.map((size) => [size, bound(size)] as const)]);
  return { ...found, optimistic: hoped };
}

function leadOf(
  { rule }: Context,
  weighed: Weighed,
  { sizes, slack, members }: SetTable,
  aim: Aim,
): Option | undefined {
  const compare = compareOptions(rule.prefer, rule.maxDistance);
  let lead: Option | undefined;
  for (let t = 0; t < slack.length; t++) {
    if (!(aim.effect(slack[t]!) === 1) || (lead && sizes[t]! > lead.members.length)) continue;
    const option = optionOf(weighed, 0, members(t), slack[t]!);
    if (!lead || option.members.length < lead.members.length || compare(option, lead) < 0) lead = option;
  }
  return lead;
}

/** The steps no smaller set equals. */
function rising(reference: number, sets: readonly (readonly [size: number, effect: number])[]): Offer {
  const [sizes, effects]: [number[], number[]] = [[], []];
  for (const [size, effect] of sets.toSorted((a, b) => a[0] - b[0] || b[1] - a[1])) {
    if (effects.length > 0 && !(effect > effects.at(-1)!)) continue;
    sizes.push(size);
    effects.push(effect);
  }
  return { reference, sizes, effects };
}

/** Sizes with sets that were not searched but might be used. */
function unknownSizes(
  { rule }: Context,
  { gaps }: Weighed,
  { exhausted, error }: SetTable,
  perRow: number,
): number[] {
  const rest = gaps.toSorted();
  const sizes: number[] = [];
  // Where no mixture failed, the set of all members is in the table.
  const [first, last] = error ? [1, gaps.length] : [exhausted + 1, gaps.length - 1];
  let least = rest.subarray(0, first - 1).reduce((sum, gap) => sum + gap, 0);
  for (let size = first; size <= Math.min(last, perRow); size++) {
    least += rest[size - 1]!;
    if (!within(least, rule.maxDistance)) break;
    sizes.push(size);
  }
  return sizes;
}

/** The most that any set of a size can do: what the model's inside allows, else what any row can. */
function boundBySize({ mix: { inside } }: Context, { pair }: Weighed, aim: Aim): (size: number) => number {
  if (!inside) return () => aim.ceiling;
  const bounders = inside.structures.map((s) => s.kernels.bounder(s, pair));
  const allowance = inside.allowance(pair);
  const [low, high] = [new Float64Array(bounders.length), new Float64Array(bounders.length)];
  return (size) => {
    for (let o = 0; o < bounders.length; o++) bounders[o]!.rangeInto(size, o, low, high);
    const slack = inside.optimistic(low, high);
    const most = slack + allowance(slack);
    return most < Number.POSITIVE_INFINITY ? aim.effect(most) : aim.ceiling;
  };
}
