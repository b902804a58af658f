import { type Bits, bothBits, countBits, hasBit } from "./bits.ts";
import type { Tried } from "./change.ts";
import type { ItemSet } from "./item-sets.ts";

/** A two-level rule: for whom (undefined: everyone), and which change. */
export interface Rule {
  readonly group: ItemSet | undefined;
  readonly change: Tried;
  readonly applies: Bits;
  readonly reaches: Bits;
  /** Rows it applies to without taking them to the target. */
  readonly missed: number;
  /** What its change costs on average where it applies. */
  readonly price: number;
}

export function ruleOf(group: ItemSet | undefined, change: Tried): Rule {
  const applies = group ? bothBits(group.rows, change.applies) : change.applies;
  const reaches = group ? bothBits(group.rows, change.reaches) : change.reaches;
  const count = countBits(applies);
  let sum = 0;
  for (let i = 0; i < change.cost.length; i++) if (hasBit(applies, i)) sum += change.cost[i]!;
  return {
    group,
    change,
    applies,
    reaches,
    missed: count - countBits(reaches),
    price: sum / Math.max(1, count),
  };
}

/** A set of rules as the objective sees it. */
export interface Standing {
  /** Least cost of each row among the rules that take it to the target; Infinity without one. */
  readonly cost: Float64Array;
  readonly covered: Uint8Array;
  readonly missed: number;
  /** Features the rules change, and what the changes cost, summed over the rules. */
  readonly features: number;
  readonly price: number;
}

export interface ObjectiveSettings {
  /** λ: two weights (correct, cost) or four (incorrect, cover, feature cost, feature change). */
  readonly lambda: readonly number[];
  readonly bins: number;
  readonly rules: number;
  readonly width: number;
}

export function standingOf(rows: number, rules: readonly Rule[]): Standing {
  const empty: Standing = {
    cost: new Float64Array(rows).fill(Number.POSITIVE_INFINITY),
    covered: new Uint8Array(rows),
    missed: 0,
    features: 0,
    price: 0,
  };
  return rules.reduce(joined, empty);
}

/** The standing with one more rule. */
export function joined(standing: Standing, rule: Rule): Standing {
  const cost = standing.cost.slice();
  const covered = standing.covered.slice();
  for (let i = 0; i < cost.length; i++) {
    if (!hasBit(rule.applies, i)) continue;
    covered[i] = 1;
    if (hasBit(rule.reaches, i)) cost[i] = Math.min(cost[i]!, rule.change.cost[i]!);
  }
  return {
    cost,
    covered,
    missed: standing.missed + rule.missed,
    features: standing.features + rule.change.to.length,
    price: standing.price + rule.price,
  };
}

/** Value of a standing, and what breaks ties: the mean cost. */
export type Value = readonly [value: number, saved: number];

export const better = (a: Value, b: Value): boolean =>
  a[0] > b[0] + 1e-12 || (a[0] > b[0] - 1e-12 && a[1] > b[1] + 1e-12);

/**
 * Two weights: λ0 · 100 · share of rows taken to the target + λ1 · (U − mean cost), U = bins · width, which is
 * also the cost of a row that is not taken there: one more rule never lowers it. Four weights (Rawal and
 * Lakkaraju 2020, eq. 1 to 4): λ0 (n · rules − incorrect) + λ1 · rows covered − λ2 · features changed +
 * λ3 (bins · rules · width − bins moved).
 */
export function meritOf({ lambda, bins, rules, width }: ObjectiveSettings, standing: Standing): Value {
  const n = standing.cost.length;
  const most = bins * width;
  let reached = 0;
  let cost = 0;
  for (let i = 0; i < n; i++) {
    if (Number.isFinite(standing.cost[i])) reached++;
    cost += Math.min(most, standing.cost[i]!);
  }
  const saved = -cost / n;
  if (lambda.length === 2) return [lambda[0]! * 100 * (reached / n) + lambda[1]! * (most + saved), saved];
  const covered = standing.covered.reduce((sum, c) => sum + c, 0);
  const value =
    lambda[0]! * (n * rules - standing.missed) +
    lambda[1]! * covered -
    lambda[2]! * standing.features +
    lambda[3]! * (bins * rules * width - standing.price);
  return [value, saved];
}
