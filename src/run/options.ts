import type { PshapOptions } from "../attribute/options.ts";
import type { OwnCoupling } from "../couple/registry.ts";
import type { Prefer } from "../match/option.ts";
import type { Budget } from "../refine/contract.ts";
import type { Cell, Goal, Matrix } from "../types.ts";

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
