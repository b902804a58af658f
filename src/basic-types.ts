import type { DivergenceName } from "./num/divergence.ts";

/** The contracts that speak of no model: numbers, tables, targets, couplings, proofs. `types.ts` has them all. */

/** Row-major numbers: cell (i, k) is `data[i * cols + k]`. Inputs are never written. NaN is a missing value. */
export interface Matrix {
  readonly data: Float64Array;
  readonly rows: number;
  readonly cols: number;
}

export interface Progress {
  readonly stage: string;
  readonly done: number;
  readonly total: number;
}

/** Limits of a run (default: none). When one runs out, the result is partial and says so. */
export interface Limits {
  /** Wall clock in milliseconds; rows the model may be asked to score. */
  readonly timeMs?: number;
  readonly modelRows?: number;
  /** Bytes of working memory one stage may allocate. Default: 1 GiB. */
  readonly bytes?: number;
}

/** Options every long stage accepts. */
export interface WorkOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  readonly limits?: Limits;
  /** The run this stage is part of: rows its model scores count there too. */
  readonly within?: { charge(rows: number): void };
}

/** How a margin becomes a score. `softmax` needs the margins of all outputs. */
export type Link = "identity" | "logistic" | "exp" | "softmax";

/** Two encoded rows and the encoded columns of each player; a column of none holds `from`. */
export interface EncodedPair {
  readonly from: Float64Array;
  readonly to: Float64Array;
  readonly columns: readonly (readonly number[])[];
}

/** The margins a half-decided mixture can still have. A member is edited or kept (`by` 1: decided, −1: taken back). */
export interface Bounder {
  edit(member: number, by: 1 | -1): void;
  keep(member: number, by: 1 | -1): void;
  /** Sets low[at], high[at] to bounds over all ways to edit `left` more of the undecided members. */
  rangeInto(left: number, at: number, low: Float64Array, high: Float64Array): void;
}

/**
 * Where the score should go. A class target is reached when the best score of the named outputs is
 * strictly above every other (two outputs: above `threshold`). A range is reached when the score of
 * `output` is > above, < below, ≥ min and ≤ max, as far as these are given.
 */
export type Target =
  | {
      readonly class: string | number | readonly (string | number)[];
      readonly not?: boolean;
      readonly threshold?: number;
    }
  | {
      readonly output?: string | number;
      readonly above?: number;
      readonly below?: number;
      readonly min?: number;
      readonly max?: number;
    };

/** Each row must reach the target. */
export interface EachGoal {
  readonly kind: "each";
  readonly target: Target;
  /** How far past the target's edge a row must be. Default 0. */
  readonly minMargin?: number;
}

/** D(f(z), y*) ≤ (1 − level)·D(f(x), y*) over all rows; y* is `desired`, default f(r). */
export interface GroupGoal {
  readonly kind: "group";
  /** Default `w1`. `transport` is W2². */
  readonly divergence?: DivergenceName;
  /** Default `score`; `label`: score > threshold (0.5). */
  readonly on?: "score" | "label";
  readonly threshold?: number;
  /** Share of the effect to reach, in [0, 1]. Default 1. */
  readonly level?: number;
  readonly desired?: ArrayLike<number>;
  readonly output?: number;
}
export type Goal = EachGoal | GroupGoal;

/** sign·(score of output − value) must be > 0 (strict) or ≥ 0. */
export interface Condition {
  readonly output: number;
  readonly sign: 1 | -1;
  readonly value: number;
  readonly strict: boolean;
}

/** A target compiled against a model's outputs. */
export interface Reach {
  /** Outputs whose scores are needed, in the order `slack` takes them. */
  readonly outputs: readonly number[];
  /** The output whose score is shown and explained, unless `contest` is set. */
  readonly primary: number;
  /**
   * The goal in words where several classes of more are wanted (`not a`, `b or c`): no output's score is about it, so
   * the slack is shown and explained, the largest score of a wanted class minus the largest of the others.
   */
  readonly contest?: string;
  /** How far past the edge row i is: larger is better, the edge is at 0. */
  slack(scores: readonly Float64Array[], i: number): number;
  /** Is a row with this slack at the target? (`minMargin` > 0 asks for more.) */
  reached(slack: number, minMargin?: number): boolean;
  /** The target as half-lines that must all hold; undefined for multiclass contests between outputs. */
  readonly conditions?: readonly Condition[];
}

/** Cost of moving row i to reference j. */
export interface Cost {
  readonly n: number;
  readonly m: number;
  /** Writes c(i, ·) into `out` (length m). */
  row(i: number, out: Float64Array): void;
  /** The points behind a squared Euclidean cost: lets solvers centre, sort in 1-D and skip the n×m matrix. */
  readonly points?: { readonly x: Matrix; readonly r: Matrix } | undefined;
  dense(): Matrix;
}

/** A sparse joint distribution over (i, j), entries sorted by row, then column. */
export interface Coupling {
  /** Which coupling made it: `transport`, `sinkhorn`, … */
  readonly name: string;
  readonly n: number;
  readonly m: number;
  readonly rows: Int32Array;
  readonly cols: Int32Array;
  /** Probabilities; they sum to one. */
  readonly mass: Float64Array;
  /** Whole numbers behind `mass` (mass = units / total) where the plan is exact. */
  readonly units?: Float64Array;
  readonly total?: number;
  /** Σ mass·c; NaN where no cost was given. */
  readonly cost: number;
  /** u_i + v_j ≤ c_ij. */
  readonly dual?: { readonly u: Float64Array; readonly v: Float64Array };
  /** Primal minus dual value (edits, for `joint`): how far from optimal the plan can be. 0 where nothing is optimised. */
  readonly gap: number;
  readonly converged: boolean;
  readonly iterations: number;
}

/** φ (n × players): Σ_k values[i,k] = f(x_i) − base_i up to `residual`. */
export interface Attribution {
  readonly values: Matrix;
  /** Σ_j p(j|i) f(r_j) for each row. */
  readonly base: Float64Array;
  /** Largest |f(x_i) − base_i − Σ_k φ_ik|. */
  readonly residual: number;
  readonly exact: boolean;
  readonly space: "score" | "margin";
  /** The space of each row, where rows differ (asked for with space `each`); `space` is then `margin`. */
  readonly spaces?: readonly ("score" | "margin")[];
  /** Standard errors where sampled. */
  readonly stderr?: Matrix;
  /** Rows the model scored. */
  readonly evaluations: number;
}

export type RowStatus = "ok" | "infeasible" | "budget" | "model_error" | "invalid_input";

/** What is proven about a row's plan, and over which set of rows. */
export interface Proof {
  readonly claim: "optimal" | "at least" | "none exists";
  /** With `at least`: no plan of fewer than `edits` edits exists, whatever it costs. */
  readonly edits?: number;
  /** Set where `optimal` speaks of costs or of the change instead of the number of edits: no plan costs, or changes, less. */
  readonly least?: "cost" | "change";
  /** Set where no plan with as few edits changes less either, over the ranges and decimals that the columns have. */
  readonly change?: "least";
  /** `references`: mixtures of x with one of the named references; `grid`: the values of `grid`; `model`: any legal value. */
  readonly scope: "references" | "grid" | "model";
  /** Features of the plan whose schema names no end: between which of their column's numbers the proof holds. */
  readonly domain?: readonly { readonly feature: string; readonly from: number; readonly to: number }[];
  /** With scope `grid`: the values are those of so many nearest rows at the target, in any combination. */
  readonly near?: number;
  /** With scope `grid`: the values tried for a feature at most, and up to how many edits all their combinations were. */
  readonly grid?: { readonly values: number; readonly edits: number };
  /** Indices of the references searched, with scope `references`. */
  readonly references?: readonly number[];
}

export type Kind = "numeric" | "integer" | "ordinal" | "categorical" | "boolean";

/** One business feature: a player, an edit, a unit of budget. */
export interface Feature {
  readonly name: string;
  readonly kind: Kind;
  /** Shown instead of the name. */
  readonly label?: string;
  readonly unit?: string;
  /** Levels of an ordinal (in order) or categorical feature; a cell holds the index. */
  readonly categories?: readonly string[];
  readonly immutable?: boolean;
  readonly min?: number;
  readonly max?: number;
  /** Values are x + t·step for whole t counted from `min` (or 0). */
  readonly step?: number;
  /** The only values an edit may lead to: numbers, or level names. */
  readonly allowed?: readonly (number | string)[];
  readonly direction?: "up" | "down";
  /** From level name to the level names it may become; levels not listed may not change. */
  readonly transitions?: Readonly<Record<string, readonly string[]>>;
  /** May an edit lead to or from a missing value (default false)? `missing` lists numbers that stand for one: −9, 999. */
  readonly editMissing?: boolean;
  readonly missing?: readonly number[];
  /** Cost of one edit. Default 1. */
  readonly cost?: number;
  /** Numbers closer than this are the same value. Default 0. */
  readonly tolerance?: number;
  /** Recomputed from other features after every edit, e.g. `debt / income`; never an edit itself. */
  readonly derived?: string;
}

export interface Schema {
  readonly features: readonly Feature[];
  /** Conditions every changed row must meet, e.g. `dpd_30d <= dpd_12m`. See data/expression. */
  readonly rules?: readonly string[];
}

/** A cell as people write it; null is missing. */
export type Cell = string | number | boolean | null;

/** Columns by name, in order. */
export interface Table {
  readonly names: readonly string[];
  readonly columns: readonly (readonly Cell[])[];
  readonly rows: number;
}
