import type { ExactOptions, ExactPlan, PlanSearch } from "../exact/plan.ts";
import { rowOf } from "../num/matrix.ts";
import type { Refined } from "../refine/contract.ts";
import type { Run, Searched } from "./contract.ts";
import { movedTo } from "./exact.ts";

/**
 * Plans of a coupling or policy whose edited values move back towards x as far as the target lets them, never farther
 * from x than q: of all rows between x and the plan that reach the target, the one of least change. An edit that moves
 * back to x itself is none.
 */
export async function settledPlans(run: Run, search: PlanSearch, refined: Refined): Promise<Searched> {
  const { told } = search;
  const work = run.work.stage("exact");
  const asked = (x: Float64Array, i: number): ExactOptions | undefined => {
    const { valid, edits } = refined.rows[i]!;
    return valid && edits.length > 0 ? told.between(x, rowOf(refined.z, i)) : undefined;
  };
  const less = ([i, plan]: readonly [number, ExactPlan]): boolean =>
    plan.outcome === "found" && plan.change < run.change(rowOf(run.x, i), rowOf(refined.z, i));
  const plans = new Map([...(await search.plans(run.x, asked, work))].filter(less));
  const { z, scored } = await search.placed(refined.z, plans, work);
  const rows = refined.rows.slice();
  const alsoFound = new Map<number, { ranges: ReturnType<typeof told.ranges> }>();
  for (const [i, answer] of scored) {
    const plan = plans.get(i)!;
    const { proof, ...row } = rows[i]!;
    const edits = row.edits.filter((p) => plan.features.includes(run.players[p]!));
    // A proof about the number of edits says nothing of one that has fewer.
    const still = proof && edits.length === row.edits.length ? { proof } : {};
    rows[i] = { ...row, ...answer, ...movedTo(run, i, plan.z, edits), ...still };
    alsoFound.set(i, { ranges: told.ranges(plan) });
  }
  return { refined: { ...refined, z, rows }, alsoFound };
}
