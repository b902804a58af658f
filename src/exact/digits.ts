import type { ExactPlan, ExactSearch, ExactStudy, PlanSearch, SafeRange } from "./contract.ts";
import { plansOf } from "./plans.ts";
import { toldBy } from "./told.ts";

/** Digits from which on shorter numbers are looked for: nobody misses more. */
const FEWEST = 6;
/** The share of its own move by which a number may go farther to be shorter. */
const FARTHER = 1e-3;

/** A search that can write its plans as people write numbers. */
export function withDigits(
  search: ExactSearch | undefined,
  study: Pick<ExactStudy, "decimals" | "constraints">,
): Omit<PlanSearch, "placed"> | undefined {
  if (!search) return undefined;
  const written: PlanSearch["written"] = (plan, x, within) => {
    const own = inFewDigits(study, plan, x);
    return within?.(own.z) === false ? plan : own;
  };
  return {
    ...search,
    written,
    plans: (x, asked, work, digits) => plansOf(search, x, asked, work, digits ? written : undefined),
    told: toldBy(study.constraints),
  };
}

/**
 * In a column of arbitrary decimals the planned value becomes the one of fewest digits (six at least) in its safe range
 * that is nearest to it and moves at most a thousandth farther. The range then begins there.
 */
function inFewDigits(
  { decimals, constraints }: Pick<ExactStudy, "decimals" | "constraints">,
  plan: ExactPlan,
  x: Float64Array,
): ExactPlan {
  const z = plan.z.slice();
  const ranges = plan.ranges.map((range) => {
    const { feature: k, from } = range;
    if (decimals[k]! >= 0) return range;
    const short = shortest(range, FARTHER * Math.abs(from - x[k]!));
    if (short === from || constraints.nearest(k, short) !== short) return range;
    z[k] = short;
    return { ...range, from: short };
  });
  return { ...plan, z: constraints.complete({ data: z, rows: 1, cols: z.length }).data, ranges };
}

/** The number of fewest digits in a range that is at most `farther` from its near end. */
function shortest({ from, to }: SafeRange, farther: number): number {
  const away = Math.sign(to - from);
  const most = Math.min(Math.abs(to - from), farther);
  for (let digits = FEWEST; digits < 16; digits++) {
    const near = Number(from.toPrecision(digits));
    const step = 10 ** (Math.floor(Math.log10(Math.abs(from) || 1)) + 1 - digits);
    for (const value of [near, Number((near + away * step).toPrecision(digits))]) {
      const more = (value - from) * away;
      if (more >= 0 && more <= most && (to - value) * away >= 0) return value;
    }
  }
  return from;
}
