import { complete } from "./between.ts";
import type { ExactStudy } from "./contract.ts";
import type { ExactOptions, ExactPlan, ExactSearch, LeverSet, PlanSearch } from "./plan.ts";
import { plansOf } from "./plans.ts";
import { toldBy } from "./told.ts";

/** Numbers with more digits than this are shortened where possible. */
const FEWEST = 6;
/** The share of its own move by which a number may go farther to be shorter. */
const FARTHER = 1e-3;

type Written = Pick<ExactStudy<unknown>, "constraints" | "decimals" | "low" | "high" | "reaches">;
type Within = ExactOptions["within"];

/** A search that can write its plans as people write numbers. */
export function withDigits(
  search: ExactSearch | undefined,
  study: Written,
): Omit<PlanSearch, "placed"> | undefined {
  if (!search) return undefined;
  const written: PlanSearch["written"] = (plan, x, within) => {
    const short = <P extends LeverSet>(one: P): P => ({ ...one, z: shorter(study, one.z, x, within) });
    const own = withinRanges(study, plan, x, within);
    return {
      ...(within?.(own.z) === false ? plan : own),
      ...(plan.menu ? { menu: plan.menu.map(short) } : {}),
      ...(plan.front ? { front: plan.front.map(short) } : {}),
    };
  };
  return {
    ...search,
    written,
    plans: (x, asked, work, byCells) => plansOf(search, x, asked, work, byCells ? written : undefined),
    told: toldBy(study.constraints),
  };
}

/**
 * In a column of arbitrary decimals the planned value becomes the one of fewest digits (six at least) in its safe range
 * that is nearest to it and moves at most a thousandth farther. The range then begins there. Where no range goes beyond the
 * plan, rules and model are asked.
 */
function withinRanges(study: Written, plan: ExactPlan, x: Float64Array, within: Within): ExactPlan {
  const { constraints, decimals } = study;
  if (plan.ranges.every(({ from, to }) => from === to)) {
    const z = shorter(study, plan.z, x, within);
    const ranges = plan.ranges.map((range) => ({ ...range, from: z[range.feature]!, to: z[range.feature]! }));
    return { ...plan, z, ranges };
  }
  const z = plan.z.slice();
  const ranges = plan.ranges.map((range) => {
    const { feature: k, from, to } = range;
    if (decimals[k]! >= 0) return range;
    const fits = (short: number): boolean => constraints.nearest(k, short) === short;
    const short = shortest(from, to, FARTHER * Math.abs(from - x[k]!), fits);
    z[k] = short;
    return { ...range, from: short };
  });
  return { ...plan, z: complete(study, z), ranges };
}

/** A plan whose numbers of arbitrary decimals are as short as rules and model accept them, a thousandth farther at most. */
function shorter(study: Written, plan: Float64Array, x: Float64Array, within: Within): Float64Array {
  const { constraints, decimals, low, high } = study;
  const z = plan.slice();
  constraints.schema.features.forEach(({ derived, ...ends }, k) => {
    const { min = low[k]!, max = high[k]! } = ends;
    const [from, own] = [plan[k]!, x[k]!];
    if (derived || decimals[k]! >= 0 || Object.is(from, own)) return;
    z[k] = shortest(from, from > own ? max : min, FARTHER * Math.abs(from - own), (short) => {
      const row = complete(study, z.with(k, short));
      const legal = constraints.legal({ data: row, rows: 1, cols: row.length })[0] === 1;
      return (
        constraints.nearest(k, short) === short && legal && within?.(row) !== false && study.reaches(row, x)
      );
    });
  });
  return complete(study, z);
}

/** The number of fewest digits between two that fits and is at most `farther` from the first; that one where there is none. */
function shortest(from: number, to: number, farther: number, fits: (short: number) => boolean): number {
  const away = Math.sign(to - from);
  if (away === 0) return from;
  const most = Math.min(Math.abs(to - from), farther);
  for (let digits = FEWEST; digits < 16; digits++) {
    const near = Number(from.toPrecision(digits));
    const step = 10 ** (Math.floor(Math.log10(Math.abs(from) || 1)) + 1 - digits);
    for (const value of [near, Number((near + away * step).toPrecision(digits))]) {
      const more = (value - from) * away;
      if (more >= 0 && more <= most && (to - value) * away >= 0 && (value === from || fits(value)))
        return value;
    }
  }
  return from;
}
