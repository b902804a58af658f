import type { ExactPlan, ExactSearch, ExactStudy, SafeRange } from "./contract.ts";

/** Digits from which on shorter numbers are looked for: nobody misses more. */
const FEWEST = 6;

/** A search that can write its plans as people write numbers. */
export function withDigits(
  search: ExactSearch | undefined,
  study: Pick<ExactStudy, "decimals" | "constraints">,
): ExactSearch | undefined {
  return (
    search && {
      ...search,
      written: (plan, within) => {
        const own = inFewDigits(study, plan);
        return within?.(own.z) === false ? plan : own;
      },
    }
  );
}

/**
 * In a column of arbitrary decimals the planned value becomes the one of fewest digits (six at least) in its safe range
 * that is nearest to it. The range then begins there.
 */
function inFewDigits(
  { decimals, constraints }: Pick<ExactStudy, "decimals" | "constraints">,
  plan: ExactPlan,
): ExactPlan {
  const z = plan.z.slice();
  const ranges = plan.ranges.map((range) => {
    const { feature: k, from } = range;
    if (decimals[k]! >= 0) return range;
    const short = shortest(range);
    if (short === from || constraints.nearest(k, short) !== short) return range;
    z[k] = short;
    return { ...range, from: short };
  });
  return { ...plan, z: constraints.complete({ data: z, rows: 1, cols: z.length }).data, ranges };
}

/** The number of fewest digits between the ends of a range, counted from its near end. */
function shortest({ from, to }: SafeRange): number {
  const away = Math.sign(to - from);
  for (let digits = FEWEST; digits < 16; digits++) {
    const near = Number(from.toPrecision(digits));
    const step = 10 ** (Math.floor(Math.log10(Math.abs(from) || 1)) + 1 - digits);
    for (const value of [near, Number((near + away * step).toPrecision(digits))]) {
      if ((value - from) * away >= 0 && (to - value) * away >= 0) return value;
    }
  }
  return from;
}
