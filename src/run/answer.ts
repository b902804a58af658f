import type { Explanation } from "../explanation.ts";
import { alternatives } from "./alternatives.ts";
import { assemble } from "./assemble.ts";
import { attribute } from "./attribute.ts";
import { desiredScores } from "./desired.ts";
import { leastPlans } from "./exact.ts";
import { nobody } from "./nobody.ts";
import { propose } from "./propose.ts";
import { refineRun } from "./refine.ts";
import { relaxations } from "./relax.ts";
import type { Run } from "./run.ts";

/**
 * Algorithm 1: x, f and the counterfactuals r of any generator become the few edits that carry the effect.
 *
 * p ← couple(x, r);  φ ← p-SHAP(f, x, r, p);  q ← compose(r, p);  z ← refine(x, q, φ, C).
 *
 * For the goal `each` with the default coupling a row's plan is a function of the row, the model, the
 * references, the constraints and the options, never of the other rows of the call.
 */
export async function answer(run: Run): Promise<Explanation> {
  if (run.good.length === 0) return assemble(run, await nobody(run));
  const proposal = await propose(run);
  const attributed = await attribute(run, proposal);
  const wanted = await desiredScores(run);
  const borrowed = await refineRun(run, proposal, attributed, wanted);
  const least = run.input.values === "least" ? await leastPlans(run, borrowed) : undefined;
  const refined = least?.refined ?? borrowed;
  const among = await alternatives(run, proposal, borrowed, run.input.alternatives ?? 0);
  const others = among.map((plans, i) => least?.others.get(i) ?? plans);
  const relaxed = await relaxations(run, proposal, refined);
  return assemble(run, { proposal, attributed, refined, others, relaxed, wanted, ranges: least?.ranges });
}
