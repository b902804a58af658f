import { startWork, type Work } from "../budget.ts";
import { likeliest } from "../couple/likeliest.ts";
import { onePartner } from "../couple/rows.ts";
import { evenTransport } from "../couple/transport.ts";
import { checkOption, checkWhole } from "../errors.ts";
import { asModel } from "../model/contract.ts";
import { checkGoal, goalReach } from "../model/target.ts";
import { checkMatrix, checkSameCols, rowOf } from "../num/matrix.ts";
import type { MixtureOptions } from "../search/mixtures.ts";
import type { Cost, Coupling, Goal, Matrix, Model, ModelLike, Reach, WorkOptions } from "../types.ts";
import { aimOf } from "./joint/aim.ts";
import { assign } from "./joint/assign.ts";
import { type Choice, chooseEach, chooseFree } from "./joint/each.ts";
import { chooseGroup } from "./joint/group.ts";
import type { Offers } from "./joint/offers.ts";
import { type JointProblem, offersOfRow, pairOf, proposalOf } from "./joint/problem.ts";
import { nearestOf } from "./nearest.ts";
import type { Plan } from "./plans.ts";
import { allowedOf, type RuleOptions, ruleOf, squaredEuclid } from "./rule.ts";
import { distanceCost, type Sorted, scaled, sortedCost, sortedTables } from "./sorted.ts";

export interface JointOptions extends WorkOptions, MixtureOptions, RuleOptions {
  /** `each`, or `group` by MeanD (on labels also by W1, W2² and MMD). y* defaults to f(r). */
  readonly goal: Goal;
  /**
   * How often a reference may be used: `one-to-one` (default; once, or ⌈n/m⌉ times where there are more rows than
   * references), a capacity, or `free`.
   */
  readonly mode?: "one-to-one" | "free" | { readonly capacity: number };
  /**
   * References looked at for each row: its nearest, and always the one it is transported to and its partner in the
   * nearest coupling of the mode, so that there is one. Default 32.
   */
  readonly candidates?: number;
  /** Largest sets of edits looked at for a pair, besides all its edits at once. Default 3. */
  readonly maxEdits?: number;
  /** Most edits of a row. Default: none. */
  readonly perRow?: number;
  /**
   * No row goes farther from x than this: than its transport proposal (default for `group`), than a distance,
   * or as far as it likes (default for `each`).
   */
  readonly cap?: "transport" | "none" | number;
  /** What near means, for the candidates and for transport; default: `distance`. */
  readonly cost?: Cost;
  /** Which player of which row may move (rows × players). Default: all. */
  readonly allowed?: ArrayLike<number>;
}

/** A row's plan (its slack is the score of z for `group`), with the references looked at, the nearest first. */
export interface JointPlan extends Plan {
  readonly candidates: readonly number[];
}

export interface Joint {
  /** One reference per row. */
  readonly coupling: Coupling;
  readonly plans: readonly JointPlan[];
  /** n × d: each row's reference as far as the cap lets it; every mixture of x and q is within the cap. */
  readonly q: Matrix;
  /** Edits of all plans. */
  readonly value: number;
  /**
   * No coupling of the same mode with these candidates and cap needs fewer edits, whatever the sets: for `group` to
   * reach the level (Infinity: none does), for `each` to bring as many rows to the target.
   */
  readonly bound: number;
  /**
   * value − bound: how many edits fewer another coupling might need, for a group's coupling is the best of those tried.
   * NaN for a group that does not reach its level. `coupling` says the same.
   */
  readonly gap: number;
  /** Is the group at its level, or every row at the target? */
  readonly reached: boolean;
  /** How many rows use each reference. */
  readonly reuse: Int32Array;
  /** Rows the model scored. */
  readonly evaluations: number;
}

/**
 * Reference and edits chosen together: min over couplings σ and sets S_i of Σ_i |S_i| such that the rows
 * (r_σ(i) on S_i, x_i elsewhere) reach the goal. Per pair the frontier G_ij(c) of the effect against the number of
 * edits is tabled; then, at a price of 1/μ effects per edit, a coupling is one assignment with the costs
 * min_c (c − μ·G_ij(c)), and the Lagrangian bound over μ says how far any other could do better. Permuting the
 * rows permutes the result; equal rows are interchangeable.
 */
export async function joint(model: ModelLike, x: Matrix, r: Matrix, options: JointOptions): Promise<Joint> {
  const known = asModel(model);
  checkMatrix(owner, "x", x);
  checkMatrix(owner, "r", r);
  checkSameCols(owner, x, r);
  checkGoal(owner, options.goal);
  const { cost = distanceCost(x, r, options.distance ?? squaredEuclid) } = options;
  return jointKernel(known, x, r, goalReach(known, options.goal), { ...options, cost });
}

/** `joint` of tables that are known to fit and a goal that is one. */
export async function jointKernel(
  model: Model,
  x: Matrix,
  r: Matrix,
  reach: Reach,
  options: JointOptions & { readonly cost: Cost },
): Promise<Joint> {
  const work = startWork("joint", options);
  const checked = check(x, r, options);
  const sorted = sortedTables(x, r);
  const cost = sortedCost(options.cost, sorted);
  const problem = await jointProblemOf(model, reach, sorted, cost, options, checked, work);
  const near = cost.dense();
  const { partner: nearest } = await assign(near, checked.capacity, work);
  const candidates = candidatesOf(near, [problem.transported, nearest], checked.candidates);
  const onRow = async (done: number): Promise<void> => {
    work.report(done, x.rows);
    if (work.due()) await work.pause(done, x.rows);
  };
  const free = options.goal.kind === "each" && checked.capacity >= x.rows;
  const choice = free
    ? await chooseFree(problem, candidates, onRow)
    : await chosen(problem, candidates, near, checked.capacity, onRow);
  return unsorted(
    problem,
    sorted,
    near,
    candidates,
    choice,
    options.goal.kind === "group" && !choice.reached,
  );
}

/** Tables the frontier of every candidate pair, then assigns. */
async function chosen(
  problem: JointProblem,
  candidates: readonly (readonly number[])[],
  near: Matrix,
  capacity: number,
  onRow: (done: number) => Promise<void>,
): Promise<Choice> {
  const offers: Offers[][] = [];
  for (let i = 0; i < candidates.length; i++) {
    offers.push(await offersOfRow(problem, i, candidates[i]!));
    await onRow(i + 1);
  }
  const start = problem.aim.start.slack.map((s) => (Number.isNaN(s) ? 0 : problem.aim.effect(s)));
  const choose = problem.aim.group ? chooseGroup : chooseEach;
  return choose(problem, offers, { start, ties: scaled(near), capacity });
}

const owner = "match.joint";

type Checked = ReturnType<typeof check>;

function check(x: Matrix, r: Matrix, options: JointOptions) {
  const { goal, mode = "one-to-one", candidates = 32, maxEdits = 3 } = options;
  const { cap = goal.kind === "group" ? "transport" : "none", perRow = Number.POSITIVE_INFINITY } = options;
  whole("candidates", candidates, 1);
  whole("maxEdits", maxEdits, 1);
  whole("perRow", perRow, 0);
  const { objective = "edits" } = options;
  checkOption(
    objective === "edits",
    owner,
    "objective",
    "edits (the coupling match counts costs)",
    objective,
  );
  const legalCap = cap === "transport" || cap === "none" || cap >= 0;
  checkOption(legalCap, owner, "cap", '"transport", "none" or a distance ≥ 0', cap);
  const minMargin = options.minMargin ?? (goal.kind === "each" ? goal.minMargin : undefined) ?? 0;
  const players = options.groups?.length ?? x.cols;
  const rule = ruleOf(owner, { ...options, minMargin }, players);
  const allowed = allowedOf(owner, options.allowed, x.rows, players);
  return { rule, allowed, cap, candidates, maxEdits, perRow, capacity: capacityOf(mode, x.rows, r.rows) };
}

function capacityOf(mode: NonNullable<JointOptions["mode"]>, n: number, m: number): number {
  if (mode === "free") return Number.POSITIVE_INFINITY;
  if (mode === "one-to-one") return Math.ceil(n / m);
  const { capacity } = mode;
  whole("mode.capacity", capacity, 1);
  const enough = `at least ${Math.ceil(n / m)}, so that ${m} references serve ${n} rows`;
  checkOption(capacity * m >= n, owner, "mode.capacity", enough, capacity);
  return capacity;
}

function whole(name: string, value: number, least: number): void {
  if (value !== Number.POSITIVE_INFINITY) checkWhole(owner, name, value, least);
}

async function jointProblemOf(
  model: Model,
  reach: Reach,
  { rows, x, r }: Sorted,
  cost: Cost,
  options: JointOptions,
  { rule, allowed, cap, maxEdits, perRow }: Checked,
  work: Work,
): Promise<JointProblem> {
  const { goal } = options;
  const { minMargin } = rule;
  const wanted = goal.kind === "each" ? { ...goal, minMargin } : goal;
  const aim = await aimOf(model, x, r, wanted, reach, options, work);
  const limits =
    options.limits?.timeMs === undefined ? {} : { limits: { timeMs: Math.max(0, work.remainingMs()) } };
  const plan = await evenTransport(cost, {
    ...(options.signal ? { signal: options.signal } : {}),
    ...limits,
  });
  const problem: JointProblem = {
    aim,
    mix: aim.mix,
    rule,
    work,
    progress: () => [0, x.rows],
    x: aim.mix.side(x),
    r: aim.mix.side(r),
    transported: likeliest(plan, cost),
    caps: new Float64Array(x.rows).fill(rule.maxDistance),
    allowed: (i) => allowed(rows[i]!),
    maxEdits,
    perRow,
  };
  if (cap === "none") return problem;
  const caps = problem.caps.map((most, i) => {
    const own = cap === "transport" ? reachedBy(problem, i, problem.transported[i]!) : cap ** 2;
    return Math.min(most, own);
  });
  return { ...problem, caps };
}

/** d² of all the edits of a pair. */
function reachedBy(problem: JointProblem, i: number, j: number): number {
  return pairOf(problem, i, j).gaps.reduce((sum, gap) => sum + gap, 0);
}

function candidatesOf(near: Matrix, always: readonly Int32Array[], count: number): number[][] {
  const order = Int32Array.from({ length: near.cols }, (_, j) => j);
  return Array.from({ length: near.rows }, (_, i) => {
    const list = nearestOf(rowOf(near, i), order, Math.min(count, near.cols));
    return [...new Set([...list, ...always.map((partner) => partner[i]!)])];
  });
}

function unsorted(
  problem: JointProblem,
  { rows, cols, x }: Sorted,
  near: Matrix,
  candidates: readonly (readonly number[])[],
  choice: Choice,
  missed: boolean,
): Joint {
  const partner = new Int32Array(rows.length);
  const plans = new Array<JointPlan>(rows.length);
  const q = { data: new Float64Array(x.data.length), rows: x.rows, cols: x.cols };
  const reuse = new Int32Array(cols.length);
  const members = choice.plans.map(({ players }, i) => {
    const own = pairOf(problem, i, choice.partner[i]!).pair.players;
    return players.map((p) => own.indexOf(p));
  });
  const proposed = proposalOf(problem, choice.partner, members);
  choice.partner.forEach((j, i) => {
    const at = rows[i]!;
    partner[at] = cols[j]!;
    reuse[cols[j]!]!++;
    q.data.set(rowOf(proposed, i), at * x.cols);
    plans[at] = named(choice.plans[i]!, cols, cols[j]!, candidates[i]!);
  });
  const cost = choice.partner.reduce((sum, j, i) => sum + near.data[i * near.cols + j]!, 0) / rows.length;
  const gap = choice.edits - choice.bound;
  // A group that misses its level is told apart from one for which no coupling can reach it.
  const converged = !missed || choice.bound === Number.POSITIVE_INFINITY;
  return {
    coupling: { ...onePartner("joint", cols.length, partner, cost), gap: missed ? 0 : gap, converged },
    plans,
    q,
    value: choice.edits,
    bound: choice.bound,
    gap: missed ? Number.NaN : gap,
    reached: choice.reached,
    reuse,
    evaluations: problem.work.modelRows,
  };
}

/** A plan in the words of the given tables. */
function named(plan: Plan, cols: Int32Array, reference: number, candidates: readonly number[]): JointPlan {
  const { proof } = plan;
  const scope = proof?.references ? { references: proof.references.map((j) => cols[j]!) } : {};
  return {
    ...plan,
    reference,
    ...(proof ? { proof: { ...proof, ...scope } } : {}),
    candidates: candidates.map((j) => cols[j]!),
  };
}
