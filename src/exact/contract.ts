import type { Constraints } from "../data/constraints.ts";
import type { Matrix, Model, Structure } from "../types.ts";
import type { Axis } from "./axis.ts";

/** Σ sign·margin of the structures must reach `edge`. */
export interface Demand {
  readonly parts: readonly { readonly structure: Structure; readonly sign: number }[];
  readonly edge: number;
  /** Rows whose sums all reach these are at the target for certain; Infinity where sums alone do not tell. */
  readonly sure: number;
  /** How far below the edge a sum may lie whose row the model itself still puts at the target. */
  readonly allowance: number;
}

/** One way to the target: a row that goes it meets all these demands; the model itself then says whether it is there. */
export type Way = readonly Demand[];

/** What may be changed, what it costs, and where it must lead. Rows are codes (data/schema). */
export interface ExactStudy {
  readonly constraints: Constraints;
  /** Table rows → the columns that the structures read; column c of `groups[k]` is a function of feature k alone. */
  encode(rows: Matrix): Matrix;
  readonly groups: readonly (readonly number[])[];
  /** At least one way must be gone. */
  readonly ways: readonly Way[];
  /** Does the model put this row at the target? */
  reaches(z: Float64Array): boolean;
  /** Change is Σ_k weights[k]·|z_k − x_k|; another level, or to and from missing, counts 1. */
  readonly weights: Float64Array;
  /** Ends of a column where the schema names none. */
  readonly low: Float64Array;
  readonly high: Float64Array;
  /** Decimals of a proposed number; −1: as many as it takes. */
  readonly decimals: Int32Array;
}

/** A search over all legal values of a model: what is asked of `kernels.exact`. */
export interface ExactQuestion {
  /** Over codes. */
  readonly model: Model;
  readonly constraints: Constraints;
  readonly reach: ExactTarget;
  readonly minMargin?: number;
  /** Rows that tell the scale of a change, and the ends and decimals of columns of which the schema tells none. */
  readonly table: Matrix;
}

/** A target as model/target.ts compiles it. */
export interface ExactTarget {
  readonly outputs: readonly number[];
  readonly primary: number;
  readonly conditions?: readonly {
    readonly output: number;
    readonly sign: 1 | -1;
    readonly value: number;
    readonly strict: boolean;
  }[];
  slack(scores: readonly Float64Array[], i: number): number;
  reached(slack: number, minMargin?: number): boolean;
}

export interface ExactOptions {
  /** Leaves looked at for one row before the search settles for a bound. */
  readonly effort?: number;
  /** Edits a plan may have at most. Default: all features. */
  readonly maxEdits?: number;
  /** Find every smallest set with its least change. */
  readonly menu?: boolean;
  /** Called now and then; may throw. */
  readonly pulse?: () => void;
}

/** A set of features and the least change with which editing exactly these reaches the target. */
export interface LeverSet {
  readonly features: readonly number[];
  readonly change: number;
  readonly z: Float64Array;
}

/**
 * Values of one edited number that all keep the target, whatever the other edits do within their own ranges: from the
 * planned one, away from x. `open`: no legal value lies beyond `to`.
 */
export interface SafeRange {
  readonly feature: number;
  readonly from: number;
  readonly to: number;
  readonly open: boolean;
}

export interface ExactPlan {
  /** `found`: z reaches the target; `none`: no legal values do; `open`: the effort ran out first. */
  readonly outcome: "found" | "none" | "open";
  /** No plan has fewer edits than this; with `found` and `fewest` it is the number of the plan's own. */
  readonly atLeast: number;
  /** Proven: no plan has fewer edits. */
  readonly fewest: boolean;
  /** Proven: no plan of as many edits changes less. */
  readonly least: boolean;
  readonly z: Float64Array;
  readonly features: readonly number[];
  readonly change: number;
  /** With `menu`: every set of as many features that can reach the target, least change first. */
  readonly menu?: readonly LeverSet[];
  /** Features in no plan of as few edits, whatever the values. */
  readonly useless: readonly number[];
  readonly ranges: readonly SafeRange[];
  /** Leaves looked at, and rows the model scored. */
  readonly effort: number;
  readonly modelRows: number;
}

export interface ExactSearch {
  /** The plan of one row. */
  plan(x: Float64Array, options?: ExactOptions): ExactPlan;
}

/**
 * Trees as leaves: a value for each demand and the cells it takes. Entry e of leaf l (start[l] ≤ e < start[l + 1])
 * says what feature[e] must be: a cell in [low[e], high[e]], or missing where missing[e] is 1; on a masked axis a
 * cell whose bit is set from word low[e] of `masks` on.
 */
export interface Leaves {
  readonly axes: readonly Axis[];
  /** The tree of each leaf, ascending. */
  readonly tree: Int32Array;
  readonly trees: number;
  readonly values: readonly Float64Array[];
  readonly base: Float64Array;
  readonly start: Int32Array;
  readonly feature: Int32Array;
  readonly low: Int32Array;
  readonly high: Int32Array;
  readonly missing: Uint8Array;
  readonly masks: Uint32Array;
}
