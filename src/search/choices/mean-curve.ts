import type { Work } from "../../budget.ts";
import { approach, type Pick, pickOf } from "./closest.ts";
import type { Closing } from "./enumerate.ts";
import { enumerateAll, enumerateOne, improve } from "./enumerate.ts";
import { type Choices, largestSums, negated } from "./knapsack.ts";

/** The least |mean f(z) − mean y*| for every number of edits at once. */
export interface MeanCurve {
  /** value[C] is attained with at most C edits; bound ≤ optimum ≤ value. */
  readonly value: Float64Array;
  readonly bound: Float64Array;
  /** A plan (choice of each row) that attains value[C]. */
  plan(C: number): Int32Array;
}

/** Certified gap, as a share of the divergence of x. */
const SHARE = 1e-4;
/** Choices of a group up to which a thousandth of that is aimed at. */
const FEW = 2 ** 15;
/** Budgets without progress after which exchanges are given up. */
const STUCK = 4;
/** Budgets that get an enumeration of their own where one for all does not fit. */
const ENUMERATED = 32;

/**
 * min over plans of |Σ_i values_i / n − goal| subject to Σ sizes ≤ C, for C = 0 … maxTotal. As long as the best
 * sum stays short of the goal it is the largest sum (knapsack.ts), which is exact; scores that must fall are
 * negated. Past the crossing the problem is two-sided: exchanges find a plan near the goal, and where that
 * leaves more than 1e-4 of D(f(x), y*), the sums themselves are enumerated, exactly or on a grid whose
 * rounding is part of the bound. A plan that is known to come near the goal can be offered.
 */
export async function meanCurve(
  rows: readonly Choices[],
  goal: number,
  maxTotal: number,
  work: Work,
  known?: Int32Array,
): Promise<MeanCurve> {
  const n = rows.length;
  const start = rows.reduce((sum, row) => sum + row.values[0]!, 0);
  const sign = n * goal >= start ? 1 : -1;
  const signed = sign > 0 ? rows : rows.map(negated);
  const target = sign * n * goal;
  const largest = await largestSums(signed, maxTotal, work);
  const crossed = largest.sum.findIndex((sum) => sum >= target);
  const closing: Closing = {
    rows: signed,
    target,
    crossing: crossed < 0 ? largest.sum.length : crossed,
    largest,
    enough: SHARE * (target - sign * start),
    value: largest.sum.map((sum) => Math.abs(target - sum)),
    bound: largest.bound.map((sum) => Math.max(0, target - sum)),
    picks: new Array(largest.sum.length),
  };
  await close(closing, work);
  if (known) improve(closing, pickOf(signed, known).edits, known);
  const { value, bound, picks } = closing;
  return {
    value: value.map((v) => v / n),
    bound: bound.map((b) => b / n),
    plan: (C) => {
      const at = Math.min(C, value.length - 1);
      return picks[at]?.plan ?? largest.plan(at);
    },
  };
}

/** Fills value, bound and picks from the crossing on. */
async function close(closing: Closing, work: Work): Promise<void> {
  const { rows, target, crossing, largest, enough, value, bound, picks } = closing;
  const off = (pick: Pick): number => Math.abs(pick.sum - target);
  const few = rows.reduce((count, row) => count + row.values.length, 0) <= FEW;
  const wanted = few ? enough / 1000 : enough;
  let best = pickOf(rows, largest.plan(Math.max(0, crossing - 1)));
  for (let C = crossing, stuck = 0; C < value.length; C++) {
    if (work.due()) await work.pause(C, value.length);
    const before = best;
    for (let attempt = 0; attempt < 2 && stuck < STUCK && off(best) > wanted; attempt++) {
      const from = attempt === 0 ? pickOf(rows, largest.plan(C)) : before;
      const pick = approach(rows, from, target, C, wanted);
      if (off(pick) < off(best)) best = pick;
    }
    stuck = best === before ? stuck + 1 : 0;
    value[C] = off(best);
    bound[C] = 0;
    picks[C] = best;
  }
  if (crossing === value.length || value[crossing]! <= enough || (await enumerateAll(closing, work))) return;
  for (let C = crossing; C < crossing + ENUMERATED && C < value.length && value[C]! > enough; C++) {
    await enumerateOne(closing, C, work);
  }
}
