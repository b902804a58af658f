import type { PshapOptions } from "../attribute/options.ts";
import { couplers, type OwnCoupling } from "../couple/registry.ts";
import type { Constraints } from "../data/constraints.ts";
import type { Metric } from "../data/metric.ts";
import { checkKeys } from "../errors.ts";
import type { Prefer } from "../match/option.ts";
import type { Budget } from "../refine/contract.ts";
import type { Cell, Goal, Matrix, ModelLike, Schema, Trees, WorkOptions } from "../types.ts";
import type { GridSearch } from "./grid.ts";
import type { TargetRows } from "./near.ts";
import type { ReasonRows } from "./reasons.ts";
import type { Sturdy } from "./sturdy.ts";

/** What a study is made of. Rows are codes (data/schema); without a schema every column is a plain number. */
export interface Parts {
  /** Scores table rows: a function, or a Model (see `bind`). */
  readonly model: ModelLike;
  /** Counterfactual rows r of any generator, m × d; with `only: "plans"` the training rows will do. */
  readonly references: Matrix;
  readonly schema?: Schema;
  /** Rows the metric is fitted on. Default: the references. */
  readonly training?: Matrix;
  /** The schema compiled and the metric fitted on `training` over all features, where they are at hand. */
  readonly constraints?: Constraints;
  readonly metric?: Metric;
  /** Digest of the model, kept in the run hash; of all models, where there are others beside it. */
  readonly modelDigest?: string;
  /**
   * Challengers or retrainings (`sturdyWith` of cola-xai/model): each row of the goal `each` gets a second plan, `sturdy`, of
   * the fewest edits that all of them accept as well, and both plans are judged by further models.
   */
  readonly sturdy?: Sturdy;
  /** `gridSearch` of cola-xai/model: plans of models without bounds take values of a grid, too, not those of references alone. */
  readonly grid?: GridSearch;
  /**
   * `nearestReasons` of cola-xai/model: φ of the goal `each` is measured against the rows of the training table at the target
   * that are nearest to x, whatever the constraints let x become; the plan does not depend on φ then. Protected attributes
   * are not among what could be unlocked for a plan. φ is another where φ is
   * asked for otherwise (`background`) or steers the plan (`values: "reference"`, `coupling`, `policy`, …).
   */
  readonly reasons?: ReasonRows;
  /** The table's rows at the target, where another thread finds them for all; else the model is asked about the table. */
  readonly targetRows?: TargetRows;
  /** How usual a row is, by a forest over codes (`fitIsolation` of cola-xai/model): no plan is odder than its row. */
  readonly usual?: Trees;
}

/** The rows of one question. */
export interface Rows {
  /** Factual rows, n × d. */
  readonly x: Matrix;
  /** Factual row each reference was made for, −1 where that is not known. */
  readonly pairs?: ArrayLike<number>;
  /** Names of the rows, shown and used to key their random streams. */
  readonly ids?: readonly Cell[];
}

export type Values = "least" | "near" | "reference";

/**
 * What stands where options are left out, and how plans are then made. A run that is kept with it is the same again
 * where a later version has other defaults.
 */
export interface Defaults
  extends Pick<Options, "coupling" | "policy" | "values" | "objective" | "value" | "prefer" | "stop"> {
  /**
   * `borrowed`: plans are those of references; `settled`: their numbers then move back towards x; `searched`: the search
   * over all values takes their place.
   */
  readonly plans: "borrowed" | "settled" | "searched";
}

/** How rows are explained. */
export interface Options {
  /** Default: every row's default output above 0.5. */
  readonly goal?: Goal;
  /**
   * `match`: a row's own pairs, else the best of its nearest references (default for `each`); `joint`: references
   * and edits chosen together for all rows; `transport` (default for `group`) or another name in `couplings`; or a
   * coupling of your own.
   */
  readonly coupling?: string | OwnCoupling;
  /** How many rows `joint` may give the same reference. Default: one, or as few as there must be. */
  readonly reuse?: number | "free";
  /** With `joint` no row goes farther from x than its transport proposal. Default: true for `group`. */
  readonly capped?: boolean;
  /** Default `most-likely`. */
  readonly value?: "most-likely" | "average";
  /**
   * Where planned values come from. `least`: any legal value, fewest edits, then least change, proven for models with
   * bounds; `near`: values of the 50 rows at the target nearest to x, mixed; `reference`: those of one reference, as in
   * the paper. Default `least` for the goal `each`, `reference` where a choice among references is asked for (`coupling`,
   * `policy`, `budget.total`, `value`, `prefer`, `stop`, `prune`) or the goal is `group`. `least` together with such a
   * choice settles its plan: edited numbers move back towards x as far as the target lets them.
   */
  readonly values?: Values;
  /** `plans`: no attributions; with a model that has bounds no references either. */
  readonly only?: "plans";
  /** A name in `policies`. Default `minimal` for `each`, `greedy` for `group`. */
  readonly policy?: string;
  readonly budget?: Budget;
  readonly stop?: "goal" | "budget";
  readonly prune?: boolean;
  /** Among plans of equal size; `plausible`: the nearest to its 5 nearest training rows. Default `margin`. */
  readonly prefer?: Prefer;
  /** What a plan has the least of: edits (default), their costs, or change, with any number of edits. */
  readonly objective?: "edits" | "cost" | "change";
  /** Largest mixed-metric distance ‖z − x‖. */
  readonly maxDistance?: number;
  /** Other plans wanted for each row; `all`: every smallest set of features that reaches the target. Default 0. */
  readonly alternatives?: number | "all";
  /** The least change with up to so many edits more than the fewest is told too. Default 0. */
  readonly front?: number;
  /** Nearest references searched for a row without pairs. Default 32, and 1024 for a row that has no plan among those. */
  readonly candidates?: number;
  /** Mixtures scored for one row before its proof settles for a bound. */
  readonly effort?: number;
  /** How φ is computed; `space` defaults to `each` for the goal `each`. */
  readonly attribution?: Pick<PshapOptions, "space" | "tolerance" | "maxEvaluations" | "maxEnumeration">;
  /** ε of `sinkhorn`, bins of `coarsened`. */
  readonly epsilon?: number;
  readonly bins?: number;
  /**
   * φ against this many training rows (references, where there are none), drawn with equal weight, instead of the
   * coupled references: RB-SHAP. Edits and values still come from the coupling.
   */
  readonly background?: number;
  /** Default 0. */
  readonly seed?: number;
  /** What stands where options are left out, as an earlier run had it. Default: the defaults of this version. */
  readonly defaults?: Defaults;
}

/** What to explain and how. */
export interface ExplainInput extends Parts, Rows, Options, WorkOptions {}

const KEYS = [
  "model",
  "references",
  "schema",
  "training",
  "constraints",
  "metric",
  "modelDigest",
  "sturdy",
  "usual",
  "grid",
  "reasons",
  "targetRows",
  "x",
  "pairs",
  "ids",
  "goal",
  "coupling",
  "reuse",
  "capped",
  "value",
  "values",
  "only",
  "policy",
  "budget",
  "stop",
  "prune",
  "prefer",
  "objective",
  "maxDistance",
  "alternatives",
  "front",
  "candidates",
  "effort",
  "attribution",
  "epsilon",
  "bins",
  "background",
  "seed",
  "defaults",
  "signal",
  "onProgress",
  "limits",
  "within",
] as const;
/** A list of all keys there are; never one that leaves some out. */
type Whole<L extends readonly string[]> = Exclude<keyof ExplainInput, L[number]> extends never ? L : never;

const ATTRIBUTION_KEYS = ["space", "tolerance", "maxEvaluations", "maxEnumeration"];

/** What `coupling` may name. */
export const COUPLINGS: readonly string[] = ["match", "joint", ...Object.keys(couplers)];

/** Throws where a name is given that no part, option or question has. */
export function checkNames(input: Partial<ExplainInput>): void {
  checkKeys("explain", input, KEYS satisfies Whole<typeof KEYS>);
  checkKeys("explain: budget", input.budget, ["total", "perRow"]);
  checkKeys("explain: attribution", input.attribution, ATTRIBUTION_KEYS);
}

/** What is the same for every question of a study. */
export type Given = Parts & Options;

/** What a question may leave out: nothing of the question before it may stand in for that. */
const LEFT_OUT = {
  pairs: undefined,
  ids: undefined,
  signal: undefined,
  onProgress: undefined,
  limits: undefined,
  within: undefined,
};

/** What is given of a question in all. */
export function inputOf(shared: Given, rows: Rows, work: WorkOptions = {}): ExplainInput {
  return { ...(shared as object), ...(LEFT_OUT as object), ...rows, ...work } as ExplainInput;
}
