import { complete } from "./between.ts";
import type { ExactPlan, ExactSearch, ExactStudy, PlanSearch } from "./contract.ts";
import { plansOf } from "./plans.ts";
import { toldBy } from "./told.ts";

/** Digits from which on shorter numbers are looked for: nobody misses more. */
const FEWEST = 6;
/** The share of its own move by which a number may go farther to be shorter. */
const FARTHER = 1e-3;

type Written = Pick<ExactStudy<unknown>, "constraints" | "decimals" | "low" | "high" | "reaches">;

/** A search that can write its plans as people write numbers. */
export function withDigits(
  search: ExactSearch | undefined,
  study: Written,
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
 * that is nearest to it and moves at most a thousandth farther. The range then begins there. Where no range goes beyond the
 * plan, rules and model are asked.
 */
function inFewDigits(study: Written, plan: ExactPlan, x: Float64Array): ExactPlan {
  const { constraints, decimals } = study;
  const z = plan.z.slice();
  const known = plan.ranges.some(({ from, to }) => from !== to);
  const ranges = plan.ranges.map((range) => {
    const { feature: k, from } = range;
    if (decimals[k]! >= 0) return range;
    const to = known ? range.to : endOf(study, k, from > x[k]!);
    const short = shortest(from, to, FARTHER * Math.abs(from - x[k]!));
    if (short === from || constraints.nearest(k, short) !== short) return range;
    z[k] = short;
    if (known) return { ...range, from: short };
    if (holds(study, z, x)) return { ...range, from: short, to: short };
    z[k] = from;
    return range;
  });
  return { ...plan, z: complete(study, z), ranges };
}

/** The last legal number of a feature upwards or downwards. */
function endOf({ constraints, low, high }: Written, k: number, up: boolean): number {
  const { min = low[k]!, max = high[k]! } = constraints.schema.features[k]!;
  return up ? max : min;
}

/** Do rules and model accept these values? */
function holds(study: Written, values: Float64Array, x: Float64Array): boolean {
  const z = complete(study, values);
  return study.constraints.legal({ data: z, rows: 1, cols: z.length })[0] === 1 && study.reaches(z, x);
}

/** The number of fewest digits between two that is at most `farther` from the first. */
function shortest(from: number, to: number, farther: number): number {
  const away = Math.sign(to - from);
  if (away === 0) return from;
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
