import type { Pair } from "../search/inside.ts";
import type { Matrix } from "../types.ts";

export type Prefer = "margin" | "near" | "plausible";

/** What a plan must satisfy and which of several of equal cost is taken. */
export interface Rule {
  /** How far past the target's edge. */
  readonly minMargin: number;
  /**
   * Among plans of equal cost and size: `margin` takes the best slack among those no farther from x than
   * the proposal (beyond it, the nearest), `near` the nearest, `plausible` the one `plausibility` ranks first.
   */
  readonly prefer: Prefer;
  /** Cost of each player. */
  readonly costs: ArrayLike<number>;
  /** All players cost the same. */
  readonly uniform: boolean;
  /** Largest squared distance from x. */
  readonly maxDistance: number;
  /** d²(a, b) of two table rows, a sum over their columns. */
  readonly distance: (a: Float64Array, b: Float64Array) => number;
  /** 1 for each completed row that meets the rules between columns. */
  readonly legal?: (rows: Matrix) => ArrayLike<number>;
  /** Larger is more plausible. */
  readonly plausibility?: (rows: Matrix) => ArrayLike<number> | Promise<ArrayLike<number>>;
  /** Mixtures scored for one row before the search settles for a bound. */
  readonly effort: number;
}

/** A pair with what its members cost and how far they carry. */
export interface Weighed {
  readonly pair: Pair;
  /** d² of editing each member alone. */
  readonly gaps: Float64Array;
  readonly costs: Float64Array;
}

/** One mixture that reaches the target. */
export interface Option {
  /** Which pair of the task. */
  readonly pair: number;
  /** Members of the pair that are edited, ascending. */
  readonly members: readonly number[];
  readonly slack: number;
  /** d²(z, x). */
  readonly distance: number;
  readonly cost: number;
}

/** Slacks that agree to nine decimals are tied, whichever way they were summed. */
export const TIE = 1e9;

export function weigh(pair: Pair, groups: readonly (readonly number[])[], rule: Rule): Weighed {
  const moved = pair.x.slice();
  const gaps = Float64Array.from(pair.players, (p) => {
    for (const c of groups[p]!) moved[c] = pair.r[c]!;
    const gap = rule.distance(pair.x, moved);
    for (const c of groups[p]!) moved[c] = pair.x[c]!;
    return gap;
  });
  return { pair, gaps, costs: Float64Array.from(pair.players, (p) => rule.costs[p]!) };
}

export function optionOf(weighed: Weighed, pair: number, members: readonly number[], slack: number): Option {
  let distance = 0;
  let cost = 0;
  for (const b of members) {
    distance += weighed.gaps[b]!;
    cost += weighed.costs[b]!;
  }
  return { pair, members, slack, distance, cost };
}

/** Are these members together within the largest distance? */
export function isNear({ maxDistance }: Rule, { gaps }: Weighed, members: readonly number[]): boolean {
  return within(
    members.reduce((sum, b) => sum + gaps[b]!, 0),
    maxDistance,
  );
}

/** Order of preference: negative when a comes before b. `cap` is the squared distance of the proposal. */
export function compareOptions(prefer: Prefer, cap: number): (a: Option, b: Option) => number {
  const near = (a: Option, b: Option): number => rounded(a.distance) - rounded(b.distance);
  const wide = (a: Option, b: Option): number => tied(b.slack) - tied(a.slack);
  const inside = (o: Option): boolean => within(o.distance, cap);
  const margin = (a: Option, b: Option): number => {
    if (inside(a) !== inside(b)) return inside(a) ? -1 : 1;
    return inside(a) ? wide(a, b) || near(a, b) : near(a, b) || wide(a, b);
  };
  const rest = prefer === "near" ? (a: Option, b: Option) => near(a, b) || wide(a, b) : margin;
  return (a, b) =>
    rounded(a.cost) - rounded(b.cost) ||
    a.members.length - b.members.length ||
    rest(a, b) ||
    a.pair - b.pair ||
    lexicographic(a.members, b.members);
}

export function tied(value: number): number {
  return Math.round(value * TIE);
}

/** Distances and costs, sums of what is not negative, are tied where they agree to seven digits, in any unit. */
export function rounded(value: number): number {
  // Beyond the range of float32 all sums would be tied.
  return value >= 2 ** -126 && value < 2 ** 127 ? Math.fround(value) : Number(value.toPrecision(7));
}

/** Is a distance within a limit, up to the rounding of its sum? */
export function within(distance: number, most: number): boolean {
  return distance <= most * (1 + 1e-12);
}

function lexicographic(a: readonly number[], b: readonly number[]): number {
  for (let t = 0; t < a.length; t++) if (a[t] !== b[t]) return a[t]! - b[t]!;
  return 0;
}
