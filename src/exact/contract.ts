import type { Work } from "../budget.ts";
import type { Constraints } from "../data/constraints.ts";
import type { Matrix, Model, Structure } from "../types.ts";
import type { Axis } from "./axis.ts";
import type { Told } from "./told.ts";

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

/** How much of a change it is when feature k goes from one code to another; never less for a number farther away. */
export type ChangeOf = (k: number, from: number, to: number) => number;

/** A search over all legal values of a model: what is asked of `kernels.exact`. */
export interface ExactQuestion {
  /** Over codes. */
  readonly model: Model;
  readonly constraints: Constraints;
  readonly reach: ExactTarget;
  readonly minMargin?: number;
  /** Rows that tell the scale of a change, and the ends and decimals of columns of which the schema tells none. */
  readonly table: Matrix;
  /**
   * What a change counts. `mad` (default): median absolute deviations of the column (interquartile ranges, ranges, units
   * where these are 0); `percentile`: the share of the table's rows that lie between; or one's own.
   */
  readonly change?: "mad" | "percentile" | ChangeOf;
  /** Other models whose own targets a plan must reach too. */
  readonly also?: readonly { readonly model: Model; readonly reach: ExactTarget }[];
  /** A forest over codes whose sum must not fall below that of x: how usual a row is. */
  readonly usual?: Structure;
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
  /** Sets of features kept at a time for one row before the search settles for a bound. */
  readonly keep?: number;
  /**
   * What a plan has the least of. `edits` (default): edits, then change; `cost`: the costs of its edits (`cost` of the
   * schema), then change; `change`: change alone, with any number of edits.
   */
  readonly objective?: "edits" | "cost" | "change";
  /** Edits a plan may have at most. Default: all features. */
  readonly maxEdits?: number;
  /** For each feature the only values an edit of this row may lead to, where legal; undefined: all legal ones. */
  readonly among?: readonly (ArrayLike<number> | undefined)[];
  /** May a plan end in this row? Where not, no row may whose features are all as far from x, or farther. */
  readonly within?: (z: Float64Array) => boolean;
  /** Also find the least change with up to 1, 2, … as many edits more than the fewest (objective `edits`). */
  readonly front?: number;
  /** Find every smallest set with its least change. */
  readonly menu?: boolean;
  /** Called now and then; may throw. */
  readonly pulse?: () => void;
}

/** The least change with at most so many edits. */
export interface FrontPoint extends LeverSet {
  readonly edits: number;
  /** Proven: no plan of so many edits changes less. */
  readonly least: boolean;
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
  /** Proven: no plan changes less, of as many edits (`edits`), of the same cost (`cost`), of any (`change`). */
  readonly least: boolean;
  /** With objective `cost`: what the plan's edits cost, and whether it is proven that none costs less. */
  readonly cost?: number;
  readonly cheapest?: boolean;
  /** With `front`: ever more edits, each point of less change than the one before; the first is the plan itself. */
  readonly front?: readonly FrontPoint[];
  readonly z: Float64Array;
  readonly features: readonly number[];
  readonly change: number;
  /** With `menu`: every set of as many features that can reach the target, least change first. */
  readonly menu?: readonly LeverSet[];
  /** Features in no plan with as few edits, whatever the values. */
  readonly useless: readonly number[];
  readonly ranges: readonly SafeRange[];
  /** Leaves looked at, and rows the model scored. */
  readonly effort: number;
  readonly modelRows: number;
}

export interface ExactSearch {
  /** The plan of one row. */
  plan(x: Float64Array, options?: ExactOptions): ExactPlan;
  /** The same, once a model that answers later has told of the rows it leaves in doubt. */
  decided?(x: Float64Array, options?: ExactOptions): Promise<ExactPlan>;
}

/** A search with what is said of its plans. */
export interface PlanSearch extends ExactSearch {
  /** A plan with numbers as people write them (exact/digits.ts), as long as it stays `within`. */
  written(plan: ExactPlan, x: Float64Array, within?: ExactOptions["within"]): ExactPlan;
  /** The plans of the rows of x that are `asked` about, as far as the limits let it; with `digits` as people write numbers. */
  plans(x: Matrix, asked: Asked, work: Work, digits?: boolean): Promise<Map<number, ExactPlan>>;
  /** Rows with these plans, where the model puts them at the target. */
  placed(
    known: Matrix,
    plans: ReadonlyMap<number, { readonly z: Float64Array }>,
    work: Work,
  ): Promise<Placed>;
  readonly told: Told;
}

/** Rows with their plans, and the model's answer for those it puts at the target. */
export interface Placed {
  readonly z: Matrix;
  readonly scored: Map<number, Answer>;
}

export interface Answer {
  readonly after: number;
  readonly slack: number;
}

/** What a row is searched with; undefined for one that is not. */
export type Asked = (
  x: Float64Array,
  i: number,
) => ExactOptions | undefined | Promise<ExactOptions | undefined>;

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
