import type { Work } from "../budget.ts";
import { isLimit, isPredict } from "../errors.ts";
import { distinctRows } from "../num/distinct.ts";
import { rowOf } from "../num/matrix.ts";
import type { Matrix } from "../types.ts";
import type { Asked, ExactOptions, ExactPlan, ExactSearch, PlanSearch } from "./plan.ts";

/** The plans of the rows that `asked` asks about, as far as the limits let it; with `written` those of equal rows once. */
export async function plansOf(
  search: ExactSearch,
  x: Matrix,
  asked: Asked,
  work: Work,
  written?: PlanSearch["written"],
): Promise<Map<number, ExactPlan>> {
  const plans = new Map<number, ExactPlan>();
  const { place } = distinctRows(x);
  const known = new Map<number, ExactPlan | undefined>();
  try {
    for (let i = 0; i < x.rows; i++) {
      const row = rowOf(x, i);
      const options = await asked(row, i);
      if (!options) continue;
      if (!written || !known.has(place[i]!)) {
        const plan = await planned(search, row, { ...options, pulse: () => work.check() }, written);
        known.set(place[i]!, plan);
        if (plan) work.charge(plan.modelRows);
      }
      const plan = known.get(place[i]!);
      if (plan) plans.set(i, plan);
      if (work.due()) await work.pause(i + 1, x.rows);
    }
  } catch (error) {
    if (!isLimit(error)) throw error;
  }
  return plans;
}

/** The plan of a row; one on whose values the model fails keeps what it has. */
async function planned(
  search: ExactSearch,
  x: Float64Array,
  options: ExactOptions,
  written?: PlanSearch["written"],
): Promise<ExactPlan | undefined> {
  try {
    const plan = await (search.decided ?? search.plan)(x, options);
    return written?.(plan, x, options.within) ?? plan;
  } catch (error) {
    if (isPredict(error)) return undefined;
    throw error;
  }
}
