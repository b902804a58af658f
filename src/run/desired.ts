import { outputIndex } from "../model/contract.ts";
import { scorer } from "../model/scorer.ts";
import type { Run } from "./open.ts";

/** y* of the group goal: what the caller gave, else f(r) of all references. */
export async function desiredScores(run: Run): Promise<{ desired?: ArrayLike<number> }> {
  const { goal, model, r } = run;
  if (goal.kind !== "group") return {};
  if (goal.desired) return { desired: goal.desired };
  return {
    desired: await scorer(model, run.work.stage("evaluate")).score(r, outputIndex(model, goal.output)),
  };
}
