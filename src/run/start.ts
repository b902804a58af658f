import { statusOf } from "../match/plans.ts";
import { scorerKernel } from "../model/scorer.ts";
import { slackOf } from "../model/slack.ts";
import type { Refined, RefinedRow } from "../refine/contract.ts";
import { unfinished } from "../refine/finish.ts";
import type { Run } from "./contract.ts";

/** Rows as they are, before any plan: scored, and without a plan where they miss the target. */
export async function startRows(run: Run): Promise<Refined> {
  const { x, reach, goal } = run;
  const ask = scorerKernel(run.model, run.work.stage("score"));
  const { shown, slack: slacks, failures } = await slackOf(ask, x, reach);
  const rows = Array.from(slacks, (slack, i): RefinedRow => {
    const error = failures.get(i);
    const valid = !error && reach.reached(slack, goal.kind === "each" ? goal.minMargin : 0);
    return {
      status: error ? statusOf(error) : valid ? "ok" : "infeasible",
      ...(error ? { reason: error.message } : {}),
      edits: [],
      before: shown[i]!,
      after: shown[i]!,
      slack,
      valid,
      distance: 0,
      cost: 0,
      ...(valid ? { proof: { claim: "optimal", edits: 0, scope: "model" } } : {}),
    };
  });
  return { ...unfinished(run, run.policy, ""), rows };
}
