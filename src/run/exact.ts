import { squaredDistance } from "../data/metric.ts";
import type { ExactOptions, ExactPlan, PlanSearch } from "../exact/plan.ts";
import { rowOf } from "../num/matrix.ts";
import type { Refined, RefinedRow } from "../refine/contract.ts";
import type { Proof } from "../types.ts";
import type { Run, Searched } from "./contract.ts";
import { domainsOf } from "./domains.ts";
import { NEAR } from "./near.ts";
import { given } from "./plain.ts";

/**
 * Each row gets the plan of fewest edits and least change over all legal values, unless the plan it has is better.
 * Attributions are those of the coupling and do not follow the plan. Where a limit runs out, the remaining rows keep
 * what they have.
 */
export async function searchedPlans(run: Run, search: PlanSearch, refined: Refined): Promise<Searched> {
  const { told } = search;
  const { players, values, input } = run;
  const { usual, objective = "edits", maxDistance, alternatives = 0, front } = input;
  const more = objective === "edits" ? { menu: alternatives !== 0, ...(front ? { front } : {}) } : {};
  const work = run.work.stage("exact");
  const asked = async (x: Float64Array, i: number): Promise<ExactOptions | undefined> => {
    const { status, valid, edits } = refined.rows[i]!;
    if (status === "model_error" || (valid && edits.length === 0)) return undefined;
    const near = values === "near" ? { among: (await run.near(work))(x) } : {};
    return { objective, ...more, ...limitsOf(run, x), ...near };
  };
  const answers = await search.plans(run.x, asked, work, true);
  const isBetter = ([i, plan]: readonly [number, ExactPlan]): boolean => {
    const known = { ...refined.rows[i]!, change: () => run.change(rowOf(run.x, i), rowOf(refined.z, i)) };
    return told.better(plan, usual ? { ...known, valid: false } : known, objective);
  };
  const near = values === "near" ? NEAR : undefined;
  const proofOf = (plan: ExactPlan, claim: Omit<Proof, "scope"> | undefined): Proof | undefined =>
    claim && { ...claim, ...told.scope(plan, near, domainsOf(run)) };
  const better = [...answers].filter(isBetter);
  const { z, scored } = await search.placed(refined.z, new Map(better), work);
  const rows = refined.rows.map((row, i) => {
    const [plan, answer] = [answers.get(i), scored.get(i)];
    if (answer) {
      const edits = plan!.features.map((k) => players.indexOf(k));
      const proof = proofOf(plan!, told.claim(plan!, objective));
      const known = { status: "ok", before: row.before, ...answer, valid: true, reference: -1 } as const;
      return { ...known, ...movedTo(run, i, plan!.z, edits), ...given({ proof }) };
    }
    if (usual && row.valid && row.edits.length > 0) return told.tooOdd(row);
    const said = plan && told.instead(plan, row, maxDistance !== undefined);
    return said ? { ...row, ...said, proof: proofOf(plan, said.proof)! } : row;
  });
  for (const [i, row] of rows.entries()) {
    if (row.status === "infeasible") z.data.set(rowOf(run.x, i), i * z.cols);
  }
  const besides = { players, alternatives, certified: values === "least" };
  return {
    refined: { ...refined, z, rows, curve: told.curve(rows) },
    alsoFound: new Map([...scored.keys()].map((i) => [i, told.besides(answers.get(i)!, besides)])),
  };
}

/** Leaves that stand for one mixture of the option `effort`. */
const LEAVES = 2 ** 16;

/** The limits that hold for every plan of a row. */
export function limitsOf({ input, metric }: Run, x: Float64Array): ExactOptions {
  const { effort, budget, maxDistance: far } = input;
  return given({
    effort: effort && effort * LEAVES,
    maxEdits: budget?.perRow,
    within: far === undefined ? far : (z: Float64Array) => squaredDistance(metric, x, z) <= far ** 2,
  });
}

/** Row i moved to z by these edits. */
export function movedTo(
  { x, metric, moves }: Run,
  i: number,
  z: Float64Array,
  edits: readonly number[],
): Pick<RefinedRow, "edits" | "distance" | "cost"> {
  return {
    edits,
    distance: Math.sqrt(squaredDistance(metric, rowOf(x, i), z)),
    cost: edits.reduce((sum, p) => sum + (moves.costs?.[p] ?? 1), 0),
  };
}
