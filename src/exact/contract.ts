import type { Constraints } from "../data/constraints.ts";
import type { Matrix, Structure } from "../types.ts";
import type { ChangeOf } from "./plan.ts";

/** Σ sign·margin of the structures must reach `edge`. */
export interface Demand<M = Structure> {
  readonly parts: readonly { readonly structure: M; readonly sign: number }[];
  readonly edge: number;
  /** Rows whose sums all reach these are at the target for certain; Infinity where sums alone do not tell. */
  readonly sure: number;
  /** How far below the edge a sum may lie whose row the model itself still puts at the target. */
  readonly allowance: number;
  /** The edge for a row x, where it is the row's own: sums that are at least x's. */
  readonly edgeAt?: (x: Float64Array) => number;
}

/** One way to the target: a row that goes it meets all these demands; the model itself then says whether it is there. */
export type Way<M = Structure> = readonly Demand<M>[];

/** What may be changed, what it costs, and where it must lead. Rows are codes (data/schema). */
export interface ExactStudy<M = Structure> {
  readonly constraints: Constraints;
  /** Table rows → the columns that the structures read; column c of `groups[k]` is a function of feature k alone. */
  encode(rows: Matrix): Matrix;
  readonly groups: readonly (readonly number[])[];
  /** At least one way must be gone. */
  readonly ways: readonly Way<M>[];
  /** Does the model put this row at the target, as a plan for x? */
  reaches(z: Float64Array, x: Float64Array): boolean;
  /** Change is Σ_k weights[k]·|z_k − x_k|; another level, or to and from missing, counts 1. */
  readonly weights: Float64Array;
  /** What a change of feature k counts instead of that, where it is given: 0 or more, growing away from `from`. */
  readonly change?: ChangeOf;
  /** What one edit of each feature costs. */
  readonly costs: Float64Array;
  /** Ends of a column where the schema names none. */
  readonly low: Float64Array;
  readonly high: Float64Array;
  /** Decimals of a proposed number; −1: as many as it takes. */
  readonly decimals: Int32Array;
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
  readonly nodes: Nodes;
}

/**
 * The same trees as nodes over cells. Node v tests test[v]: on an interval axis cells below cut[v] go to below[v], the
 * others to above[v], and missing to `below` where gap[v] is 1; on a masked axis cells whose bit is set from word cut[v] of
 * `masks` on go to `below`. A child no row can come to is −1. At a leaf test[v] is −1 and cut[v] the leaf.
 */
export interface Nodes {
  readonly roots: Int32Array;
  readonly test: Int32Array;
  readonly cut: Int32Array;
  readonly below: Int32Array;
  readonly above: Int32Array;
  readonly gap: Uint8Array;
  readonly masks: Uint32Array;
}

/**
 * One feature cut into cells in which every test of the model answers alike. Numbers: cell c holds the codes in
 * (cuts[c − 1], cuts[c]]. Levels: cell c is level c. Missing is the cell after the last.
 */
export interface Axis {
  readonly levels: boolean;
  /** Cells have no order that the model keeps: what it accepts is a set of cells, not an interval. */
  readonly masked: boolean;
  readonly cuts: Float64Array;
  readonly cells: number;
  /** Encoded columns of each cell, missing last: (cells + 1) × columns of the feature. */
  readonly encoded: Matrix;
}
