import { checkOption } from "../errors.ts";
import type { PlanSearch } from "../exact/plan.ts";
import type { Explanation } from "../explanation.ts";
import type { Refined } from "../refine/contract.ts";
import { alternatives } from "./alternatives.ts";
import { assemble } from "./assemble.ts";
import { attribute, noAttributions } from "./attribute.ts";
import type { Run, Searched } from "./contract.ts";
import { desiredScores } from "./desired.ts";
import { searchedPlans } from "./exact.ts";
import { noFindings } from "./no-rows.ts";
import { propose } from "./propose.ts";
import { refineRun } from "./refine.ts";
import { relaxations } from "./relax.ts";
import { settledPlans } from "./settle.ts";
import { planShares } from "./shares.ts";
import { startRows } from "./start.ts";

/**
 * Algorithm 1: x, f and the counterfactuals r of any generator become the few edits that carry the effect.
 *
 * p ← couple(x, r);  φ ← p-SHAP(f, x, r, p);  q ← compose(r, p);  z ← refine(x, q, φ, C).
 *
 * For the goal `each` with the default coupling a row's plan is a function of the row, the model, the
 * references, the constraints and the options, never of the other rows of the call.
 */
export async function answer(run: Run): Promise<Explanation> {
  if (run.good.length === 0) return assemble(run, await noFindings(run));
  const search = run.plans === "searched" ? run.exact() : undefined;
  const rule = "left out (options.plausible) where no search over values of trees is made";
  checkOption(!run.input.usual || search !== undefined, "explain", "usual", rule, "a forest");
  if (run.input.only === "plans" && search) return plansAlone(run, search);
  const proposal = await propose(run);
  const attributed = run.input.only ? noAttributions(run) : await attribute(run, proposal);
  const wanted = await desiredScores(run);
  const borrowed = await refineRun(run, proposal, attributed, wanted);
  const { refined, alsoFound } = await overValues(run, search, borrowed);
  const others = await alternatives(run, proposal, refined, (i) => alsoFound.get(i)?.others);
  const relaxed = await relaxations(run, proposal, refined);
  const shares = run.goal.kind === "each" ? await planShares(run, refined) : new Map();
  const found = { proposal, attributed, refined, others, relaxed, wanted, alsoFound, shares };
  return secondPlans(run, await assemble(run, found));
}

/** The explanation with plans that other models accept too, if there are other models. */
async function secondPlans(run: Run, explanation: Explanation): Promise<Explanation> {
  return (await run.sturdy()?.(run, explanation)) ?? explanation;
}

/** The plans that a search over values finds instead of the borrowed ones, or makes of them. */
async function overValues(run: Run, search: PlanSearch | undefined, borrowed: Refined): Promise<Searched> {
  if (search) return searchedPlans(run, search, borrowed);
  const { grid } = run.input;
  if (grid && run.plans === "searched") return grid.search(run, borrowed);
  const settles = run.plans === "settled" ? run.exact() : undefined;
  return settles ? settledPlans(run, settles, borrowed) : { refined: borrowed, alsoFound: new Map() };
}

/** Plans without references: r is z itself, and q is z. */
async function plansAlone(run: Run, search: PlanSearch): Promise<Explanation> {
  const { refined, alsoFound } = await searchedPlans(run, search, await startRows(run));
  const proposal = { q: refined.z, source: new Int32Array(run.x.rows).fill(-1) };
  const others = await alternatives(run, proposal, refined, (i) => alsoFound.get(i)?.others);
  const attributed = noAttributions(run);
  const relaxed = new Map();
  const found = await assemble(run, {
    proposal,
    attributed,
    refined,
    others,
    relaxed,
    wanted: {},
    alsoFound,
    shares: new Map(),
  });
  return secondPlans(run, found);
}
