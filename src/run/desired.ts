import { type ColaError, isLimit } from "../errors.ts";
import { scorerKernel } from "../model/scorer.ts";
import type { Run } from "./contract.ts";

/** y* of the group goal, or the limit that kept it from being known; empty for the goal `each`. */
export interface Desired {
  readonly scores?: ArrayLike<number>;
  readonly stopped?: ColaError;
}

/** y* is what the caller gave, else f(r) of the references the model can score. */
export async function desiredScores(run: Run): Promise<Desired> {
  const { goal, model, r, reach } = run;
  if (goal.kind !== "group") return {};
  if (goal.desired) return { scores: goal.desired };
  try {
    const ask = scorerKernel(model, run.work.stage("evaluate"));
    const { scores, failures } = await ask.scoreEach(r, reach.primary);
    if (failures.size === r.rows) throw [...failures.values()][0]!;
    return { scores: scores.filter((score) => !Number.isNaN(score)) };
  } catch (error) {
    if (!isLimit(error)) throw error;
    return { stopped: error };
  }
}
