import { startWork, type Work } from "../budget.ts";
import { ColaError, checkOption, checkWhole } from "../errors.ts";
import type { Cost, Coupling, Matrix, WorkOptions } from "../types.ts";
import { costOf } from "./cost.ts";
import { SemiDual } from "./sinkhorn-newton.ts";
import { type Entries, type EntropicProblem, entropicProblem, expanded } from "./sinkhorn-problem.ts";
import { rounded, trimmed } from "./sinkhorn-round.ts";
import { weightsOf } from "./weights.ts";

export interface SinkhornOptions extends WorkOptions {
  /** ε > 0, in units of the cost. */
  readonly epsilon: number;
  /** Largest L1 error of the marginals of a converged plan. Default 1e-9. */
  readonly tolerance?: number;
  /** Passes over the n × m kernel, those of line searches and of larger ε included. Default 1000. */
  readonly maxIterations?: number;
  /** Weights of the rows. Default 1/n each. */
  readonly a?: ArrayLike<number>;
  /** Weights of the columns. Default 1/m each. */
  readonly b?: ArrayLike<number>;
}

type Settings = Required<Pick<SinkhornOptions, "epsilon" | "tolerance" | "maxIterations">>;

/** The first ε is the mean cost (above each row's least) divided by this: Sinkhorn alone is fast there. */
const FIRST_LEVEL = 10;
/** From one ε to the next while it is brought down to the one asked for. */
const EPSILON_FACTOR = 3;
/** Marginal error that is good enough before ε is lowered: ten times the smallest weight, but within these. */
const COARSE_ERROR = { least: 1e-5, most: 1e-2 } as const;
/** The same for the column that is worst off, relative to its weight. */
const COARSE_WORST = 0.5;
/** A Sinkhorn iteration that leaves more than this share of the error has stalled: Newton takes over. */
const STALL = 0.3;
/** The share of the tolerance that is aimed at: near the solution it is one Newton step more. */
const AIM = 1e-3;
/** Steps without a smaller error or a larger dual value after which the arithmetic, not the method, is the limit. */
const PATIENCE = 50;
/** Largest cost / ε whose digits a double still resolves. */
const MAX_EXPONENT = 1e14;

/**
 * P = argmin ⟨P, C⟩ + ε Σ_ij P_ij log(P_ij / (a_i b_j)) over plans with marginals a and b: the paper's
 * entropic p_OT. Shapes: C is n × m, a has length n, b length m; zero weights are legal.
 *
 * Log-domain Sinkhorn while it is fast, then Newton on the semi-dual, with ε lowered from the scale of the
 * costs. `gap` is the entropic objective of the plan minus its dual value. A converged plan has marginals
 * a and b within `tolerance`; when `maxIterations` ran out first, the plan is the last iterate rounded to
 * them and `converged` is false.
 */
export async function sinkhorn(cost: Cost | Matrix, options: SinkhornOptions): Promise<Coupling> {
  const given = costOf(cost);
  const a = weightsOf("sinkhorn", "a", options.a, given.n);
  const b = weightsOf("sinkhorn", "b", options.b, given.m);
  return entropic(given, a, b, options);
}

/** `sinkhorn` with weights 1/n and 1/m. */
export function evenSinkhorn(cost: Cost, options: SinkhornOptions): Promise<Coupling> {
  const even = (size: number): Float64Array => new Float64Array(size).fill(1 / size);
  return entropic(cost, even(cost.n), even(cost.m), options);
}

async function entropic(
  given: Cost,
  a: Float64Array,
  b: Float64Array,
  options: SinkhornOptions,
): Promise<Coupling> {
  const settings = checkedOptions(options);
  const work = startWork("sinkhorn", options);
  work.check();
  const problem = await entropicProblem(given, a, b, work);
  checkResolution(settings.epsilon, problem);
  const plan = new SemiDual(problem, settings.maxIterations - 1, work);
  await solve(plan, problem, settings);
  const converged = plan.error <= settings.tolerance;
  const entries = converged
    ? await trimmed(plan, problem, Math.min(settings.tolerance, 1e-9), work)
    : rounded(plan, problem);
  return {
    name: "sinkhorn",
    n: given.n,
    m: given.m,
    ...(await valuesOf(entries, plan, problem, settings.epsilon, work)),
    ...(await expanded(entries, problem, work)),
    converged,
    iterations: plan.passes,
  };
}

/** Lowers ε to the one asked for; there, steps go on to the aim, or until they no longer help. */
async function solve(plan: SemiDual, problem: EntropicProblem, settings: Settings): Promise<void> {
  const { epsilon, tolerance, maxIterations } = settings;
  const least = problem.b.reduce((low, b) => Math.min(low, b));
  const coarse = Math.min(COARSE_ERROR.most, Math.max(COARSE_ERROR.least, 10 * least));
  let level = problem.mean / FIRST_LEVEL;
  for (; level > epsilon && plan.passes < maxIterations - 1; level /= EPSILON_FACTOR) {
    await plan.setEpsilon(level);
    await descend(plan, maxIterations - 1, () => plan.error <= coarse && plan.worst <= COARSE_WORST);
  }
  await plan.setEpsilon(epsilon);
  let last = Number.POSITIVE_INFINITY;
  await descend(plan, maxIterations, () => {
    const settled = plan.error <= tolerance && last <= tolerance && plan.error > last / 2;
    last = plan.error;
    return settled || plan.error <= AIM * tolerance;
  });
}

/** Sinkhorn until it stalls, then Newton, until `done`. */
async function descend(plan: SemiDual, maxPasses: number, done: () => boolean): Promise<void> {
  let stalled = false;
  let best = plan.error;
  let patience = PATIENCE;
  while (!done() && plan.passes < maxPasses && patience > 0) {
    const { error: before, value: from } = plan;
    await (stalled ? plan.newtonStep() : plan.sinkhornStep());
    const { error, value } = plan;
    stalled ||= error > STALL * before;
    patience = error < best || value > from + 1e-12 * (1 + Math.abs(from)) ? PATIENCE : patience - 1;
    best = Math.min(best, error);
  }
}

/** ⟨P, C⟩, and the entropic objective minus G(φ)·ε − ε Σ b log b, its dual value. */
async function valuesOf(
  entries: Entries,
  plan: SemiDual,
  problem: EntropicProblem,
  epsilon: number,
  work: Work,
): Promise<{ cost: number; gap: number }> {
  const { cost, a, b, floor } = problem;
  const { start, cols, mass } = entries;
  let moved = 0;
  let divergence = 0;
  for (let i = 0; i < a.length; i++) {
    for (let e = start[i]!; e < start[i + 1]!; e++) {
      const p = mass[e]!;
      moved += p * cost[i * b.length + cols[e]!]!;
      divergence += p * Math.log(p / (a[i]! * b[cols[e]!]!));
    }
    if (work.due()) await work.pause(plan.passes, plan.passes);
  }
  const dual = b.reduce((sum, bj) => sum - bj * Math.log(bj), plan.value);
  return { cost: moved + floor, gap: Math.abs(moved + epsilon * (divergence - dual)) };
}

function checkedOptions(options: SinkhornOptions): Settings {
  const { epsilon, tolerance = 1e-9, maxIterations = 1000 } = options;
  const positive = epsilon > 0 && epsilon < Number.POSITIVE_INFINITY;
  checkOption(positive, "sinkhorn", "epsilon", "finite and above 0 (where it is 0, call transport)", epsilon);
  checkOption(tolerance > 0 && tolerance <= 1, "sinkhorn", "tolerance", "above 0 and at most 1", tolerance);
  checkWhole("sinkhorn", "maxIterations", maxIterations, 1);
  return { epsilon, tolerance, maxIterations };
}

function checkResolution(epsilon: number, { top }: EntropicProblem): void {
  if (top / epsilon <= MAX_EXPONENT) return;
  throw new ColaError(
    "OPTION_INVALID",
    `sinkhorn: epsilon = ${epsilon} is below the digits of costs that differ by ${top}; call transport, which is the limit for epsilon → 0.`,
    { option: "epsilon", value: epsilon, top },
  );
}
