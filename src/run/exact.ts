import { squaredDistance } from "../data/metric.ts";
import { decodeCell } from "../data/schema.ts";
import { isColaError, isLimit } from "../errors.ts";
import type { ExactOptions, ExactPlan, ExactSearch } from "../exact/contract.ts";
import type { SafeValues } from "../explanation.ts";
import { scorerKernel } from "../model/scorer.ts";
import { shownScores } from "../model/target.ts";
import { effectOf } from "../num/divergence.ts";
import { copyOf, rowOf, takeRows } from "../num/matrix.ts";
import type { CurvePoint, Refined, RefinedRow } from "../refine/contract.ts";
import type { Matrix, Proof } from "../types.ts";
import type { Others } from "./alternatives.ts";
import { domainsOf } from "./domains.ts";
import { NEAR } from "./near.ts";
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
export async function searchedPlans(run: Run, search: ExactSearch, refined: Refined): Promise<Searched> {
  const answers = await exactPlans(run, search, refined);
  const better = [...answers].filter(([i, plan]) => isBetter(run, plan, refined, i));
  const z = copyOf(refined.z);
  for (const [i, plan] of better) z.data.set(plan.z, i * z.cols);
  const scored = await score(
    run,
    z,
    better.map(([i]) => i),
  );
  for (const [i] of better) if (!scored.has(i)) z.data.set(rowOf(refined.z, i), i * z.cols);
  const rows = refined.rows.map((row, i) => {
    const [plan, answer] = [answers.get(i), scored.get(i)];
    if (answer) return told(run, row, plan!, answer, i);
    if (run.input.usual && row.valid && row.edits.length > 0) return tooOdd(row);
    return plan ? bounded(run, row, plan) : row;
  });
  for (const [i, row] of rows.entries()) {
    if (row.reason === TOO_ODD) z.data.set(rowOf(run.x, i), i * z.cols);
  }
  return {
    refined: { ...refined, z, rows, curve: curveOf(rows) },
    alsoFound: new Map([...scored.keys()].map((i) => [i, alsoFoundOf(run, answers.get(i)!)])),
  };
}

const TOO_ODD = "no plan found reaches the target and is no odder than the row itself.";

/** A row whose plan is not kept, since it may be odder than the row itself. */
function tooOdd(row: RefinedRow): RefinedRow {
  const { proof: _, ...rest } = row;
  const nothing = { edits: [], after: row.before, slack: Number.NaN, valid: false, distance: 0, cost: 0 };
  return { ...rest, ...nothing, status: "infeasible", reference: -1, reason: TOO_ODD };
}

/** What the search says of each row that is not at the target, as far as the limits let it. */
async function exactPlans(run: Run, search: ExactSearch, { rows }: Refined): Promise<Map<number, ExactPlan>> {
  const plans = new Map<number, ExactPlan>();
  const work = run.work.stage("exact");
  try {
    const near = run.values === "near" ? await run.near(work) : undefined;
    const options = { ...optionsOf(run), pulse: () => work.check() };
    for (const [i, row] of rows.entries()) {
      if (row.status === "model_error" || (row.valid && row.edits.length === 0)) continue;
      const x = rowOf(run.x, i);
      const asked = { ...options, ...limitsOf(run, x), ...(near && { among: near(x) }) };
      const plan = await planned(search, x, asked);
      if (plan) {
        work.charge(plan.modelRows);
        plans.set(i, search.written?.(plan, x, asked.within) ?? plan);
      }
      if (work.due()) await work.pause(i + 1, rows.length);
    }
  } catch (error) {
    if (!isLimit(error)) throw error;
  }
  return plans;
}

/** The plan of a row; one on whose values the model fails keeps what it has. */
export async function planned(
  search: ExactSearch,
  x: Float64Array,
  options: ExactOptions,
): Promise<ExactPlan | undefined> {
  try {
    return await (search.decided ?? search.plan)(x, options);
  } catch (error) {
    if (isColaError(error) && error.code.startsWith("PREDICT_")) return undefined;
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

/** Does the plan found take the place of the one there is? */
function isBetter(run: Run, plan: ExactPlan, { rows, z }: Refined, i: number): boolean {
  if (plan.outcome !== "found" || plan.features.length === 0) return false;
  const row = rows[i]!;
  if (!row.valid || run.input.usual) return true;
  const { objective } = run.input;
  if (objective === "cost") return !!plan.cheapest || plan.cost! <= row.cost;
  if (objective === "change") return plan.least || plan.change <= run.change(rowOf(run.x, i), rowOf(z, i));
  return plan.features.length <= row.edits.length;
}

interface Answer {
  readonly after: number;
  readonly slack: number;
}

/** The model's answer for exactly the rows returned; those it fails on are left out. */
export async function score(run: Run, z: Matrix, rows: readonly number[]): Promise<Map<number, Answer>> {
  const answers = new Map<number, Answer>();
  if (rows.length === 0) return answers;
  const asked = takeRows(z, rows);
  const ask = scorerKernel(run.model, run.work.stage("exact"));
  const scores: Float64Array[] = [];
  try {
    for (const output of run.reach.outputs) scores.push((await ask.scoreEach(asked, output)).scores);
  } catch (error) {
    if (!isLimit(error)) throw error;
    return answers;
  }
  const shown = shownScores(run.reach, scores);
  rows.forEach((i, t) => {
    const slack = run.reach.slack(scores, t);
    if (run.reach.reached(slack, minMargin(run))) answers.set(i, { after: shown[t]!, slack });
  });
  return answers;
}

const minMargin = ({ goal }: Run): number => (goal.kind === "each" ? (goal.minMargin ?? 0) : 0);

/** What is said of a row with the plan that was found. */
function told(run: Run, row: RefinedRow, plan: ExactPlan, { after, slack }: Answer, i: number): RefinedRow {
  const { players, metric, moves } = run;
  const edits = plan.features.map((k) => players.indexOf(k));
  const proof = proofOf(run, plan);
  return {
    status: "ok",
    edits,
    before: row.before,
    after,
    slack,
    valid: true,
    distance: Math.sqrt(squaredDistance(metric, rowOf(run.x, i), plan.z)),
    cost: edits.reduce((sum, p) => sum + (moves.costs?.[p] ?? 1), 0),
    reference: -1,
    ...given({ proof }),
  };
}

/** A row that keeps its plan, or has none, with what the search proves of it. */
function bounded(run: Run, row: RefinedRow, plan: ExactPlan): RefinedRow {
  if (plan.outcome === "found") return row;
  const { maxDistance } = run.input;
  if (plan.outcome === "none") {
    if (row.valid || maxDistance !== undefined) return row;
    const reason = "no permitted values reach the target.";
    return { ...row, status: "infeasible", reason, proof: { claim: "none exists", ...scopeOf(run, plan) } };
  }
  const known = row.proof?.scope === "model" || plan.atLeast < 2 || row.edits.length > plan.atLeast;
  if (row.valid && known) return row;
  const claim = row.valid ? "optimal" : "at least";
  return { ...row, proof: { claim, edits: plan.atLeast, ...scopeOf(run, plan) } };
}

/** What is proven of the plan that was found. */
function proofOf(run: Run, plan: ExactPlan): Proof | undefined {
  const { objective = "edits" } = run.input;
  const { fewest, least, cheapest, atLeast, features } = plan;
  const scope = scopeOf(run, plan);
  const edits = features.length;
  if (objective === "change")
    return least ? { claim: "optimal", edits, least: "change", ...scope } : undefined;
  const change = least ? ({ change: "least" } as const) : {};
  if (objective === "cost")
    return cheapest ? { claim: "optimal", edits, least: "cost", ...change, ...scope } : undefined;
  if (fewest) return { claim: "optimal", edits, ...change, ...scope };
  return atLeast > 1 ? { claim: "at least", edits: atLeast, ...scope } : undefined;
}

/** The values a proof speaks of: those of the nearest rows at the target, or all legal ones. */
function scopeOf(
  run: Run,
  { features }: Pick<ExactPlan, "features">,
): Pick<Proof, "scope" | "near" | "domain"> {
  if (run.values === "near") return { scope: "grid", near: NEAR };
  const edited = features.map((k) => run.constraints.schema.features[k]!.name);
  const domain = domainsOf(run).filter(({ feature }) => edited.includes(feature));
  return { scope: "model", ...(domain.length > 0 ? { domain } : {}) };
}

/** The share of rows short of the target after the plans of the first rows, smallest plans first. */
export function curveOf(rows: readonly RefinedRow[]): CurvePoint[] {
  const sizes = rows
    .filter((row) => row.valid)
    .map((row) => row.edits.length)
    .sort((a, b) => a - b);
  const short = (edits: number): number => {
    let [left, done] = [edits, 0];
    for (const size of sizes) {
      if (size > left) break;
      left -= size;
      done++;
    }
    return (rows.length - done) / rows.length;
  };
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const start = short(0);
  return Array.from({ length: total + 1 }, (_, C) => ({ C, D: short(C), effect: effectOf(start, short(C)) }));
}

export function alsoFoundOf(run: Run, plan: ExactPlan): AlsoFound {
  const { features } = run.constraints.schema;
  const { useless, fewest, menu, front } = plan;
  const named = useless.map((k) => features[k]!.name);
  const certified = fewest && named.length > 0 && run.values === "least";
  return {
    ranges: rangesOf(run, plan),
    ...given({
      useless: certified ? { features: named, edits: plan.features.length } : undefined,
      others: menu && othersOf(run, plan),
      front,
    }),
  };
}

/** The other smallest sets of features with their plans of least change. */
function othersOf({ players, input }: Run, { menu = [], features, fewest, least }: ExactPlan): Others {
  const count = input.alternatives === "all" ? Number.POSITIVE_INFINITY : (input.alternatives ?? 0);
  const own = features.join();
  const ways = menu.filter((way) => way.features.join() !== own);
  const plans = ways.slice(0, count).map((way) => ({
    players: way.features.map((k) => players.indexOf(k)),
    reference: -1,
    slack: 0,
    z: way.z,
  }));
  if (fewest && least && plans.length === ways.length) return { plans, all: true };
  return { plans, ...(plans.length < count ? { fewer: "none found" } : {}) };
}

function rangesOf({ constraints }: Run, { ranges }: ExactPlan): SafeValues[] {
  return ranges.map(({ feature: k, from, to, open }) => {
    const feature = constraints.schema.features[k]!;
    return {
      feature: feature.name,
      from: decodeCell(feature, from),
      to: decodeCell(feature, to),
      open,
      known: "certified",
    };
  });
}
