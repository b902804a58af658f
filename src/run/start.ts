import { statusOf } from "../match/plans.ts";
import { scorerKernel } from "../model/scorer.ts";
import { shownScores } from "../model/target.ts";
import type { Refined, RefinedRow } from "../refine/contract.ts";
import { unfinished } from "../refine/finish.ts";
import type { Run } from "./run.ts";

/** Rows as they are, before any plan: scored, and without a plan where they miss the target. */
export async function startRows(run: Run): Promise<Refined> {
  const { x, reach, goal } = run;
  const ask = scorerKernel(run.model, run.work.stage("score"));
  const answers: Awaited<ReturnType<typeof ask.scoreEach>>[] = [];
  for (const output of reach.outputs) answers.push(await ask.scoreEach(x, output));
  const scores = answers.map((answer) => answer.scores);
  const shown = shownScores(reach, scores);
  const rows = Array.from({ length: x.rows }, (_, i): RefinedRow => {
    const error = answers.map(({ failures }) => failures.get(i)).find((one) => one !== undefined);
    const slack = reach.slack(scores, i);
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
