import { ColaError } from "../errors.ts";
import { number, oneOf, type Rule, resolveOptions, whole } from "../model/options.ts";
import { fromRows, rowOf } from "../num/matrix.ts";
import type { Random } from "../num/random.ts";
import type { WorkOptions } from "../types.ts";
import { isOutOfBudget } from "./ask.ts";
import type { Generated, Task } from "./contract.ts";
import { descend, type Mover } from "./discount/descend.ts";
import { groupScore } from "./discount/group-score.ts";
import { drawResamples } from "./discount/limits.ts";
import { narrow } from "./discount/narrow.ts";
import { project, slicesOf } from "./discount/slices.ts";
import { type Group, look, type Seen, type Standing, standing } from "./discount/standing.ts";
import { trials } from "./discount/trials.ts";
import { bytesKey } from "./distinct.ts";
import { type GroupPlan, searchGroup, settled } from "./group.ts";
import { openRun, type Run, SEARCH_RULES } from "./run.ts";
import type { Row } from "./search.ts";

export interface DiscountOptions extends WorkOptions {
  /** Names of the features that may change. Default: all the constraints let change. */
  readonly vary?: readonly string[];
  /** `gradient` needs a differentiable model; `search` asks for scores only. Default: what the model offers. */
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

const settingsOf = (options: DiscountOptions) => resolveOptions("discount", options, RULES);

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
  const byGradient = differentiable && settings.method !== "search";
  const short = new Set<string>();
  const generated = await searchGroup(run, random, (rows) => plan(run, rows, settings, random, byGradient, short));
  return settings.returns === "all" ? marked(generated, short) : generated;
}
