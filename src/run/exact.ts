import { squaredDistance } from "../data/metric.ts";
import { isLimit, isPredict } from "../errors.ts";
import type { ExactOptions, ExactPlan, PlanSearch } from "../exact/contract.ts";
import type { Told } from "../exact/told.ts";
import type { SafeValues } from "../explanation.ts";
import { scorerKernel } from "../model/scorer.ts";
import { slackOf } from "../model/slack.ts";
import { copyOf, rowOf, takeRows } from "../num/matrix.ts";
import type { Refined, RefinedRow } from "../refine/contract.ts";
import type { Matrix, Proof } from "../types.ts";
import type { Others } from "./alternatives.ts";
import { domainsOf } from "./domains.ts";
import { NEAR, type NearValues } from "./near.ts";
import { given } from "./plain.ts";
import type { Run } from "./run.ts";

/** What a search over values finds of a row besides its plan. */
export interface AlsoFound {
  /** Other plans, where they were asked for. */
  readonly others?: Others;
  readonly ranges?: readonly SafeValues[];
  /** Features in no plan with as few edits. */
  readonly useless?: { readonly features: readonly string[]; readonly edits: number };
  /** The least change with ever more edits. */
  readonly front?: readonly { readonly z: Float64Array; readonly least: boolean }[];
}

/** Plans over all legal values in the place of those that borrow from references. */
export interface Searched {
  readonly refined: Refined;
  readonly alsoFound: ReadonlyMap<number, AlsoFound>;
}

/**
 * Each row gets the plan of fewest edits and least change over all legal values, unless the plan it has is better.
 * Attributions are those of the coupling and do not follow the plan. Where a limit runs out, the remaining rows keep
 * what they have.
 */
export async function searchedPlans(run: Run, search: PlanSearch, refined: Refined): Promise<Searched> {
  const { told } = search;
  const { players, values, input } = run;
  const { usual, objective, maxDistance, alternatives = 0 } = input;
  const options = optionsOf(run);
  const askedOf = (row: RefinedRow, i: number, near?: NearValues): ExactOptions | undefined => {
    if (row.status === "model_error" || (row.valid && row.edits.length === 0)) return undefined;
    const x = rowOf(run.x, i);
    return { ...options, ...limitsOf(run, x), ...(near && { among: near(x) }) };
  };
  const answers = await plansOf(run, search, refined, askedOf, search.written);
  const isBetter = ([i, plan]: readonly [number, ExactPlan]): boolean => {
    if (plan.outcome !== "found" || plan.features.length === 0) return false;
    const known = { ...refined.rows[i]!, change: () => run.change(rowOf(run.x, i), rowOf(refined.z, i)) };
    return usual !== undefined || told.better(plan, known, objective);
  };
  const better = [...answers].filter(isBetter);
  const { z, scored } = await placed(run, refined, new Map(better));
  const rows = refined.rows.map((row, i) => {
    const [plan, answer] = [answers.get(i), scored.get(i)];
    if (answer) return withPlan(run, search, row, plan!, answer, i);
    if (usual && row.valid && row.edits.length > 0) return told.tooOdd(row);
    const said = plan && told.instead(plan, row, maxDistance !== undefined);
    return said ? { ...row, ...said, proof: { ...said.proof, ...scopeOf(run, told, plan) } } : row;
  });
  for (const [i, row] of rows.entries()) {
    if (row.status === "infeasible") z.data.set(rowOf(run.x, i), i * z.cols);
  }
  const asked = { players, alternatives, certified: values === "least" };
  return {
    refined: { ...refined, z, rows, curve: told.curve(rows) },
    alsoFound: new Map([...scored.keys()].map((i) => [i, told.besides(answers.get(i)!, asked)])),
  };
}

/** What the search says of the rows that `askedOf` asks about, as far as the limits let it; `digits`: as people write them. */
export async function plansOf(
  run: Run,
  search: PlanSearch,
  { rows }: Refined,
  askedOf: (row: RefinedRow, i: number, near?: NearValues) => ExactOptions | undefined,
  digits?: PlanSearch["written"],
): Promise<Map<number, ExactPlan>> {
  const plans = new Map<number, ExactPlan>();
  const work = run.work.stage("exact");
  try {
    const near = run.values === "near" ? await run.near(work) : undefined;
    for (const [i, row] of rows.entries()) {
      const asked = askedOf(row, i, near);
      if (!asked) continue;
      const x = rowOf(run.x, i);
      const plan = await planned(search, x, { ...asked, pulse: () => work.check() });
      if (plan) {
        work.charge(plan.modelRows);
        plans.set(i, digits?.(plan, x, asked.within) ?? plan);
      }
      if (work.due()) await work.pause(i + 1, rows.length);
    }
  } catch (error) {
    if (!isLimit(error)) throw error;
  }
  return plans;
}

/** The plan of a row; one on whose values the model fails keeps what it has. */
async function planned(
  search: PlanSearch,
  x: Float64Array,
  options: ExactOptions,
): Promise<ExactPlan | undefined> {
  try {
    return await (search.decided ?? search.plan)(x, options);
  } catch (error) {
    if (isPredict(error)) return undefined;
    throw error;
  }
}

/** Leaves that stand for one mixture of the option `effort`. */
const LEAVES = 2 ** 16;

function optionsOf({ input }: Run): ExactOptions {
  const { alternatives = 0, front = 0, objective = "edits" } = input;
  if (objective !== "edits") return { objective };
  return { menu: alternatives !== 0, ...(front > 0 && { front }) };
}

/** The limits that hold for every plan of a row. */
export function limitsOf({ input, metric }: Run, x: Float64Array): ExactOptions {
  const { effort, budget, maxDistance: far } = input;
  return given({
    effort: effort && effort * LEAVES,
    maxEdits: budget?.perRow,
    within: far === undefined ? far : (z: Float64Array) => squaredDistance(metric, x, z) <= far ** 2,
  });
}

interface Answer {
  readonly after: number;
  readonly slack: number;
}

/** z with these plans, and the model's answer for those it puts at the target; where it does not, z keeps what it had. */
export async function placed(
  run: Run,
  refined: Pick<Refined, "z">,
  plans: ReadonlyMap<number, { readonly z: Float64Array }>,
): Promise<{ z: Matrix; scored: Map<number, Answer> }> {
  const z = copyOf(refined.z);
  const scored = new Map<number, Answer>();
  const rows = [...plans.keys()];
  if (rows.length === 0) return { z, scored };
  for (const [i, plan] of plans) z.data.set(plan.z, i * z.cols);
  try {
    const ask = scorerKernel(run.model, run.work.stage("exact"));
    const { shown, slack } = await slackOf(ask, takeRows(z, rows), run.reach);
    rows.forEach((i, t) => {
      if (run.reach.reached(slack[t]!, minMargin(run))) scored.set(i, { after: shown[t]!, slack: slack[t]! });
    });
  } catch (error) {
    if (!isLimit(error)) throw error;
  }
  for (const i of rows) if (!scored.has(i)) z.data.set(rowOf(refined.z, i), i * z.cols);
  return { z, scored };
}

const minMargin = ({ goal }: Run): number => (goal.kind === "each" ? (goal.minMargin ?? 0) : 0);

/** What is said of a row with the plan that was found. */
function withPlan(
  run: Run,
  { told }: PlanSearch,
  { before }: RefinedRow,
  plan: ExactPlan,
  answer: Answer,
  i: number,
): RefinedRow {
  const edits = plan.features.map((k) => run.players.indexOf(k));
  const claim = told.claim(plan, run.input.objective);
  return {
    ...{ status: "ok", before, ...answer, valid: true, reference: -1 },
    ...movedTo(run, i, plan.z, edits),
    ...(claim && { proof: { ...claim, ...scopeOf(run, told, plan) } }),
  };
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

/** The values a proof speaks of: those of the nearest rows at the target, or all legal ones. */
function scopeOf(run: Run, told: Told, { features }: ExactPlan): Pick<Proof, "scope" | "near" | "domain"> {
  if (run.values === "near") return { scope: "grid", near: NEAR };
  const edited = told.names(features);
  const domain = domainsOf(run).filter(({ feature }) => edited.includes(feature));
  return { scope: "model", ...(domain.length > 0 ? { domain } : {}) };
}
