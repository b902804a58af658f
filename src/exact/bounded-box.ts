import type { RowBounds, Spread } from "./bounded-contract.ts";
import { isPart } from "./bounded-moves.ts";
import type { Legal } from "./legal.ts";
import type { ChangeOf } from "./plan.ts";

/** What the boxes of one row share. */
export interface BoxTask {
  readonly bounds: RowBounds;
  readonly floor: Float64Array;
  /** Codes for missing values are NaN here. */
  readonly x: Float64Array;
  /** What each feature may become, numbers above x, below it and single values apart. */
  readonly parts: ReadonlyMap<number, readonly Spread[]>;
  readonly legal: readonly (Legal | undefined)[];
  readonly change: ChangeOf;
  /** What a unit of each feature's change counts; undefined where changes are not counted by their length. */
  readonly weights: Float64Array | undefined;
}

/** Spreads that a plan may lie in, and the least it then changes. */
export interface OpenBox {
  readonly spreads: readonly Spread[];
  readonly cost: number;
  /** Values at which the bounds allow that cost; undefined while a feature may go several ways. */
  readonly guess: readonly number[] | undefined;
}

/** Room for the rounding of a few sums and quotients. */
const ROUNDING = 1e-12;

/**
 * The box without what its bounds rule out: a demand's bound is a sum over features, so that each must add what the
 * others cannot. Undefined where nothing is left, or only what changes as much as `cap`.
 */
export function tightened(task: BoxTask, from: readonly Spread[], cap: number): OpenBox | undefined {
  let spreads = from;
  let [cost, guess] = leastCost(task, spreads);
  for (let c = 0; c < task.floor.length && cost < cap; c++) {
    const floor = task.floor[c]!;
    if (!(task.bounds.most(c, spreads, [], 0) >= floor)) return undefined;
    const need = floor - task.bounds.start;
    const gains = spreads.map((spread) => mostGain(task.bounds, spread));
    const all = gains.reduce((sum, gain) => sum + gain, 0);
    const slack = ROUNDING * (Math.abs(need) + gains.reduce((sum, gain) => sum + Math.abs(gain), 0));
    const cut = spreads.map((spread, q) => without(task, spread, need - (all - gains[q]!) - slack));
    if (cut.includes(undefined)) return undefined;
    spreads = cut as Spread[];
    const [own, values] = leastCost(task, spreads, need - slack);
    if (own >= cost) [cost, guess] = [own, values];
  }
  return cost < cap ? { spreads, cost, guess } : undefined;
}

function mostGain(bounds: RowBounds, { feature, low, high, points }: Spread): number {
  let most = low <= high ? Math.max(bounds.gain(feature, low), bounds.gain(feature, high)) : -Infinity;
  for (const { value } of points) most = Math.max(most, bounds.gain(feature, value));
  return most;
}

/** The values of a spread that add at least `need`. */
function without({ bounds, legal }: BoxTask, spread: Spread, need: number): Spread | undefined {
  const { feature, points } = spread;
  let { low, high } = spread;
  if (low <= high) {
    const [atLow, atHigh] = [bounds.gain(feature, low), bounds.gain(feature, high)];
    if (atLow < need && atHigh < need) [low, high] = [Infinity, -Infinity];
    else if (atLow < need) {
      const from = low + ((need - atLow) / (atHigh - atLow)) * (high - low);
      low = Math.max(low, legal[feature]!.above(from - ROUNDING * (Math.abs(from) + high - low)));
    } else if (atHigh < need) {
      const to = low + ((need - atLow) / (atHigh - atLow)) * (high - low);
      high = Math.min(high, legal[feature]!.below(to + ROUNDING * (Math.abs(to) + high - low)));
    }
    // A legal value that is not there is NaN, and no number lies between.
    if (!(low <= high)) [low, high] = [Infinity, -Infinity];
  }
  const kept = points.filter(({ value }) => bounds.gain(feature, value) >= need);
  if (!(low <= high) && kept.length === 0) return undefined;
  return { feature, low, high, points: kept };
}

/** One feature's part in the least cost. */
interface Share {
  cost: number;
  gain: number;
  value: number;
  readonly far: number;
  /** Gain for each unit of cost, from `value` to `far`. */
  readonly rate: number;
  readonly weight: number;
}

/**
 * The least that a plan in these spreads changes: every feature at its nearest value, and what is then missing to `need`
 * from those that add most for their change. Also the values at which that would do.
 */
function leastCost(
  task: BoxTask,
  spreads: readonly Spread[],
  need = Number.NEGATIVE_INFINITY,
): [number, readonly number[] | undefined] {
  const shares = spreads.map((spread) => shareOf(task, spread, need > Number.NEGATIVE_INFINITY));
  let missing = need - shares.reduce((sum, share) => sum + share.gain, 0);
  for (const share of shares.toSorted((a, b) => b.rate - a.rate)) {
    if (!(missing > 0) || !(share.rate > 0)) break;
    const room = Math.abs(share.far - share.value) * share.weight;
    const cost = Math.min(room, missing / share.rate);
    share.cost += cost;
    share.value += (Math.sign(share.far - share.value) * cost) / share.weight;
    missing -= cost * share.rate;
  }
  const whole = spreads.every((spread) => isPart(spread, task.parts.get(spread.feature)!));
  return [
    shares.reduce((sum, share) => sum + share.cost, 0),
    whole ? shares.map((share) => share.value) : undefined,
  ];
}

function shareOf(task: BoxTask, spread: Spread, gains: boolean): Share {
  const { bounds, x, parts, change, weights } = task;
  const { feature: k, low, high, points } = spread;
  const gainOf = (value: number): number => (gains ? bounds.gain(k, value) : 0);
  if (!(low <= high) || !isPart(spread, parts.get(k)!)) {
    const best = points.toSorted((a, b) => gainOf(b.value) - gainOf(a.value))[0];
    const numbers = low <= high;
    const cost = numbers ? 0 : Math.min(...points.map((point) => point.cost));
    const gain = gains ? mostGain(bounds, spread) : 0;
    return { cost, gain, value: best?.value ?? low, far: best?.value ?? low, rate: 0, weight: 1 };
  }
  const up = !(high < x[k]!);
  const [near, far] = up ? [low, high] : [high, low];
  const cost = change(k, x[k]!, near);
  const [atNear, atFar] = [gainOf(near), gainOf(far)];
  const weight = weights && !Number.isNaN(x[k]!) && cost < change(k, x[k]!, far) ? weights[k]! : 0;
  if (weight > 0 && far !== near) {
    const rate = (atFar - atNear) / (Math.abs(far - near) * weight);
    return { cost, gain: atNear, value: near, far, rate, weight };
  }
  const value = atFar > atNear ? far : near;
  return { cost, gain: Math.max(atNear, atFar), value, far: value, rate: 0, weight: 1 };
}
