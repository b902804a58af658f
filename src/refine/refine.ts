import { startWork } from "../budget.ts";
import { isColaError } from "../errors.ts";
import { abortedAfter } from "../match/fewest.ts";
import { asModel } from "../model/contract.ts";
import { checkGoal, reachOf } from "../model/target.ts";
import type { Refined, RefineOptions } from "./contract.ts";
import { finish, unfinished } from "./finish.ts";
import { policyOf } from "./policies.ts";
import { problemOf } from "./problem.ts";

/**
 * Lines 6–16 of Algorithm 1: z is x with some cells of q (c_ik = 1), chosen so that f(z) meets the goal with few
 * edits. Only cells with q ≠ x are edits; a player moves with all its columns. Every row returned is scored
 * again by the model, and validity comes from that score. Limits that run out leave rows with the status
 * `budget`; an abort throws ABORTED.
 */
export async function refine(options: RefineOptions): Promise<Refined> {
  checkGoal("refine", options.goal);
  const name = options.policy ?? (options.goal.kind === "each" ? "minimal" : "greedy");
  const policy = policyOf(name);
  const work = startWork("refine", { ...options, limits: searchLimits(options) });
  try {
    const problem = await problemOf(options, name, work);
    return await finish(problem, name, await policy(problem));
  } catch (error) {
    if (!isColaError(error)) throw error;
    if (error.code.startsWith("LIMIT_")) return unfinished(options, name, error, work.modelRows);
    throw error.code === "ABORTED" && !("done" in error.details)
      ? abortedAfter(error, 0, options.x.rows)
      : error;
  }
}

/** The search leaves enough model rows to score what is returned. */
function searchLimits({ limits = {}, model, goal, x }: RefineOptions): NonNullable<RefineOptions["limits"]> {
  if (limits.modelRows === undefined) return limits;
  const outputs = goal.kind === "each" ? reachOf(asModel(model), goal.target).outputs.length : 1;
  return { ...limits, modelRows: Math.max(0, limits.modelRows - outputs * x.rows) };
}
