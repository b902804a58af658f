import { startWork } from "../budget.ts";
import { checkOption, isColaError, isLimit } from "../errors.ts";
import { abortedAfter } from "../match/fewest.ts";
import { asModel } from "../model/contract.ts";
import { checkGoal, goalReach } from "../model/target.ts";
import type { Limits, Model, Reach } from "../types.ts";
import type { Refined, RefineOptions } from "./contract.ts";
import { finish, unfinished } from "./finish.ts";
import { defaultPolicy, policyOf } from "./policies.ts";
import { checkRows, problemOf } from "./problem.ts";

/**
 * Lines 6–16 of Algorithm 1: z is x with some cells of q (c_ik = 1), chosen so that f(z) meets the goal with few
 * edits. Only cells with q ≠ x are edits; a player moves with all its columns. Every row returned is scored
 * again by the model, and validity comes from that score. Limits that run out leave rows with the status
 * `budget`; an abort throws ABORTED.
 */
export async function refine(options: RefineOptions): Promise<Refined> {
  checkGoal("refine", options.goal);
  checkRows(options);
  checkAttribution(options);
  const model = asModel(options.model);
  return refineKernel({ ...options, model }, goalReach(model, options.goal));
}

/** Every policy but `minimal` orders cells by their attribution. */
function checkAttribution({ attribution, goal, policy = defaultPolicy(goal) }: RefineOptions): void {
  policyOf(policy);
  const known = policy === "minimal" || attribution !== undefined;
  checkOption(known, "refine", "attribution", `n × players numbers for the policy ${policy}`, attribution);
}

/** `refine` of tables that are known to fit and a goal that is one. */
export async function refineKernel(
  options: RefineOptions & { readonly model: Model },
  reach: Reach,
): Promise<Refined> {
  const name = options.policy ?? defaultPolicy(options.goal);
  const policy = policyOf(name);
  const work = startWork("refine", { ...options, limits: searchLimits(options, reach) });
  try {
    const problem = await problemOf(options, reach, name, work);
    return await finish(problem, name, await policy(problem));
  } catch (error) {
    if (isLimit(error)) return unfinished(options, name, error.message, work.modelRows);
    throw isColaError(error) && error.code === "ABORTED" && !("done" in error.details)
      ? abortedAfter(error, 0, options.x.rows)
      : error;
  }
}

/** The search leaves enough model rows to score what is returned. */
function searchLimits({ limits = {}, x }: RefineOptions, { outputs }: Reach): Limits {
  if (limits.modelRows === undefined) return limits;
  return { ...limits, modelRows: Math.max(0, limits.modelRows - outputs.length * x.rows) };
}
