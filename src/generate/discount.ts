import { ColaError } from "../errors.ts";
import { fromRows, rowOf } from "../num/matrix.ts";
import type { Random } from "../num/random.ts";
import { number, oneOf, type Rule, whole } from "../train/options.ts";
import type { Matrix, RowStatus, WorkOptions } from "../types.ts";
import type { Generated, Task } from "./contract.ts";
import { groupScore } from "./discount/group-score.ts";
import { type MoveBy, type Outcome, optimise } from "./discount/optimise.ts";
import { project, slicesOf } from "./discount/slices.ts";
import type { Group } from "./discount/standing.ts";
import { bytesKey } from "./distinct.ts";
import { type GroupPlan, searchGroup, settled } from "./group.ts";
import { generatorOptions, openRun, type Run, SEARCH_RULES } from "./run.ts";
import type { Row } from "./search.ts";

export interface DiscountOptions extends WorkOptions {
  /** Names of the features that may change. Default: all the constraints let change. */
  readonly vary?: readonly string[];
  /**
   * `gradient` descends on a differentiable model; `search` asks for scores only; `auto` (default) descends
   * where it can, and searches on where it cannot or a limit is still broken.
   */
  readonly method?: "auto" | "gradient" | "search";
  /** Upper limits that must hold: sliced W2 of the rows (in sd), W2 of the scores. Default 0.4 and 0.3. */
  readonly inputLimit?: number;
  readonly outputLimit?: number;
  /** Desired scores, any number of them. Default: certainty for a class, the references' for a range. */
  readonly desired?: readonly number[];
  /** Share trimmed off each end of a distribution, δ. Default 0.05. */
  readonly trim?: number;
  /** Directions of the sliced distance. Default 10. */
  readonly projections?: number;
  /** Level of the upper limits, α. Default 0.05. */
  readonly alpha?: number;
  /** How upper limits are found. Default `bootstrap`. */
  readonly bound?: "bootstrap" | "dkw";
  /** Resamples of the bootstrap. Default 200. */
  readonly resamples?: number;
  /** Ends of the interval of η, and by how much it narrows per step. Default 0.2, 1 and 0.05. */
  readonly low?: number;
  readonly high?: number;
  readonly kappa?: number;
  /** Steps, at most. Default 50. */
  readonly iterations?: number;
  /** Size of a step of the descent: rate · tau. Default 0.1 and 1000. */
  readonly rate?: number;
  readonly tau?: number;
  /** The descent ends when Q changes by less per step. Default 1e-6. */
  readonly tolerance?: number;
  /** Candidates of the search: how they are made, how many per row and step, features changed. */
  readonly search?: "monte-carlo" | "genetic";
  readonly trials?: number;
  readonly spread?: number;
  /** `reached`: rows at the target. `all`: the whole group, whose distribution the limits speak of. */
  readonly returns?: "reached" | "all";
}

const numbers: Rule<readonly number[] | undefined> = {
  fallback: undefined,
  says: "a list of finite numbers",
  accepts: (v) => Array.isArray(v) && v.length > 0 && v.every(Number.isFinite),
};
const RULES = {
  vary: SEARCH_RULES.vary,
  method: oneOf<"auto" | "gradient" | "search">("auto", "gradient", "search"),
  inputLimit: number(0.4, 0),
  outputLimit: number(0.3, 0),
  desired: numbers,
  trim: number(0.05, 0, 0.49),
  projections: whole(10, 1, 10_000),
  alpha: number(0.05, 1e-9, 1),
  bound: oneOf<"bootstrap" | "dkw">("bootstrap", "dkw"),
  resamples: whole(200, 1, 100_000),
  low: number(0.2, 0, 1),
  high: number(1, 0, 1),
  kappa: number(0.05, 0, 1),
  iterations: whole(50, 1),
  rate: number(0.1, 0),
  tau: number(1000, 0),
  tolerance: number(1e-6, 0),
  search: oneOf<"monte-carlo" | "genetic">("monte-carlo", "genetic"),
  trials: whole(20, 1, 100_000),
  spread: whole(2, 1, 1000),
  returns: oneOf<"reached" | "all">("reached", "all"),
};
type Settings = ReturnType<typeof settingsOf>;

/** What is said of a member that is not at the target. */
interface Short {
  readonly status: RowStatus;
  readonly why: string;
}

const settingsOf = (options: DiscountOptions) => generatorOptions("discount", options, RULES);

/**
 * DISCOUNT (You, Cao, Nilsson, Zhao and Lei 2025): a distributional counterfactual. The group is moved so that
 * the distribution of its scores comes near the desired one while the distribution of its rows stays near that
 * of x, both by upper confidence limits of trimmed Wasserstein distances, between which the weight η is found
 * by interval narrowing. Limits are measured on the legal rows that are returned. A single member need not
 * reach the target: those that do not are reported as such.
 */
export async function discount(task: Task, options: DiscountOptions, random: Random): Promise<Generated> {
  const settings = settingsOf(options);
  const run = openRun("discount", task, settings, options);
  const differentiable = typeof run.inner.model.gradient === "function" && !run.constraints.hasDerived;
  if (settings.method === "gradient" && !differentiable) {
    throw new ColaError(
      "OPTION_INVALID",
      'discount: the model has no gradient(rows, output); choose a differentiable model, or method "search". (Derived columns hide the gradient too.)',
      { method: settings.method },
    );
  }
  const ways: readonly MoveBy[] = !differentiable
    ? ["search"]
    : settings.method === "auto"
      ? ["gradient", "search"]
      : [settings.method];
  const short = new Map<string, Short>();
  const generated = await searchGroup(run, random, (rows) => plan(run, rows, settings, random, ways, short));
  return settings.returns === "all" ? marked(generated, short) : generated;
}

async function plan(
  run: Run,
  members: readonly Row[],
  settings: Settings,
  random: Random,
  ways: readonly MoveBy[],
  short: Map<string, Short>,
): Promise<GroupPlan> {
  const group = await openGroup(run, members, settings, random);
  if (!group) {
    const why =
      "no reference row is at the target, so that there are no desired scores; give options.desired";
    return { limit: undefined, search: () => settled([], why), details: () => ({ feasible: false }) };
  }
  const outcome = await optimise(group, settings, ways, random);
  const { seen, feasible, limit } = outcome;
  const place = new Map(members.map((row, i) => [row, i]));
  const state = feasible ? "the group's distribution is matched" : "the group's limits do not hold";
  const why = limit?.message ?? `${state}, this row is not at the target`;
  return {
    limit,
    search: (row) => {
      const i = place.get(row)!;
      const z = seen.rows[i]!;
      if (!seen.valid[i]) short.set(bytesKey(z), { status: limit ? "budget" : "infeasible", why });
      return settled(seen.valid[i] || settings.returns === "all" ? [z] : [], why);
    },
    details: () => report(outcome, settings),
  };
}

async function openGroup(
  run: Run,
  members: readonly Row[],
  settings: Settings,
  random: Random,
): Promise<Group | undefined> {
  const score = await groupScore(run, members.length, settings.desired);
  if (!score.desired) return undefined;
  const x = fromRows(members.map((row) => row.x));
  const slices = slicesOf(
    run.metric,
    both(x, run.references),
    settings.projections,
    random.split("discount", "directions"),
  );
  const points = slices.place(x);
  const origin = Array.from({ length: settings.projections }, (_, t) =>
    project(points, slices.directions, t),
  );
  const { trim, alpha, bound } = settings;
  return { run, members, score, desired: score.desired, slices, origin, trim, alpha, bound };
}

function both(a: Matrix, b: Matrix): Matrix {
  const data = new Float64Array(a.data.length + b.data.length);
  data.set(a.data);
  data.set(b.data, a.data.length);
  return { data, rows: a.rows + b.rows, cols: a.cols };
}

/** What the group came to: plain JSON; a limit that is not finite is null. */
function report({ standing: at, ...outcome }: Outcome, settings: Settings): Record<string, unknown> {
  const finite = (v: number): number | null => (Number.isFinite(v) ? v : null);
  return {
    methods: outcome.ways,
    feasible: outcome.feasible,
    input: { distance: at.input, upper: finite(at.inputUpper), limit: settings.inputLimit },
    output: { distance: at.output, upper: finite(at.outputUpper), limit: settings.outputLimit },
    eta: outcome.eta,
    iterations: outcome.iterations,
    members: outcome.seen.rows.length,
    atTarget: outcome.seen.valid.reduce((sum, v) => sum + v, 0),
  };
}

/** With the whole group returned: members that are not at the target say so. */
function marked(generated: Generated, short: ReadonlyMap<string, Short>): Generated {
  const { rows, pairs, report: given } = generated;
  const status = [...given.status];
  const reasons = [...given.reasons];
  pairs!.forEach((i, t) => {
    const found = short.get(bytesKey(rowOf(rows, t)));
    if (!found) return;
    status[i] = found.status;
    reasons[i] = found.why;
  });
  return { ...generated, report: { ...given, status, reasons } };
}
