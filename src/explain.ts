import type { Explanation } from "./explanation.ts";
import { refine } from "./refine/refine.ts";
import { alternatives } from "./run/alternatives.ts";
import { assemble } from "./run/assemble.ts";
import { attribute } from "./run/attribute.ts";
import { desiredScores } from "./run/desired.ts";
import { type ExplainInput, openRun, stageOptions } from "./run/open.ts";
import { keysOf, mixtureOptions, propose } from "./run/propose.ts";
import { relaxations } from "./run/relax.ts";

/**
 * Algorithm 1: x, f and the counterfactuals r of any generator become the few edits that carry the effect.
 *
 * p ← couple(x, r);  φ ← p-SHAP(f, x, r, p);  q ← compose(r, p);  z ← refine(x, q, φ, C).
 *
 * For the goal `each` with the default coupling a row's plan is a function of the row, the model, the
 * references, the constraints and the options, never of the other rows of the call.
 */
export async function explain(input: ExplainInput): Promise<Explanation> {
  const run = openRun(input);
  const proposal = await propose(run);
  const attributed = await attribute(run, proposal);
  const wanted = await desiredScores(run);
  const refined = await refine({
    ...stageOptions(run),
    ...mixtureOptions(run),
    model: run.model,
    x: run.x,
    q: proposal.q,
    goal: run.goal,
    policy: run.policy,
    attribution: attributed.attribution,
    sources: proposal.source,
    seed: run.seed,
    ids: keysOf(run),
    domain: run.constraints.domain,
    ...wanted,
    ...(input.budget ? { budget: input.budget } : {}),
    ...(input.stop ? { stop: input.stop } : {}),
    ...(input.prune === undefined ? {} : { prune: input.prune }),
    ...(run.goal.kind === "each" && run.goal.minMargin !== undefined
      ? { minMargin: run.goal.minMargin }
      : {}),
    ...(proposal.matches && run.policy === "minimal"
      ? {
          references: {
            rows: run.r,
            candidates: proposal.matches.map((match) => match.candidates),
            plans: proposal.matches,
          },
        }
      : {}),
  });
  const others = await alternatives(run, proposal, input.alternatives ?? 0);
  const relaxed = await relaxations(run, proposal, refined);
  return assemble(run, { proposal, attributed, refined, others, relaxed, ...wanted });
}
