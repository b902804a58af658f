import type { ExactOptions, ExactPlan, PlanSearch } from "../exact/contract.ts";
import { rowOf } from "../num/matrix.ts";
import type { Refined, RefinedRow } from "../refine/contract.ts";
import { movedTo, placed, plansOf, type Searched } from "./exact.ts";
import type { Run } from "./run.ts";

/**
 * Plans of a coupling or policy whose edited values move back towards x as far as the target lets them, never farther
 * from x than q: of all rows between x and the plan that reach the target, the one of least change. An edit that moves
 * back to x itself is none.
 */
export async function settledPlans(run: Run, search: PlanSearch, refined: Refined): Promise<Searched> {
  const asked = ({ valid, edits }: RefinedRow, i: number): ExactOptions | undefined =>
    valid && edits.length > 0 ? search.told.between(rowOf(run.x, i), rowOf(refined.z, i)) : undefined;
  const found = await plansOf(run, search, refined, asked);
  const less = ([i, plan]: readonly [number, ExactPlan]): boolean =>
    plan.outcome === "found" && plan.change < run.change(rowOf(run.x, i), rowOf(refined.z, i));
  return settledBy(run, search, refined, new Map([...found].filter(less)));
}

async function settledBy(
  run: Run,
  search: PlanSearch,
  refined: Refined,
  plans: ReadonlyMap<number, ExactPlan>,
): Promise<Searched> {
  const { z, scored } = await placed(run, refined, plans);
  const rows = refined.rows.map((row, i) => {
    const [plan, answer] = [plans.get(i), scored.get(i)];
    if (!plan || !answer) return row;
    const edits = row.edits.filter((p) => plan.features.includes(run.players[p]!));
    const { proof, ...rest } = row;
    return {
      ...rest,
      ...answer,
      ...movedTo(run, i, plan.z, edits),
      // A proof about the number of edits says nothing of one that has fewer.
      ...(proof && edits.length === row.edits.length ? { proof } : {}),
    };
  });
  const alsoFound = [...scored.keys()].map((i) => {
    return [i, { ranges: search.told.ranges(plans.get(i)!) }] as const;
  });
  return { refined: { ...refined, z, rows }, alsoFound: new Map(alsoFound) };
}
