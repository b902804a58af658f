import type { Bounder, Condition, EncodedPair, Link, Matrix, Reach } from "./basic-types.ts";
import type { Constraints } from "./data/constraints.ts";
import type { ChangeOf, PlanSearch } from "./exact/plan.ts";
import type { Brancher, Branching } from "./model/branch.ts";
import type { Box, Edge, Members, Moves, ShapAll } from "./model/kernels.ts";

/** The contracts between the stages. Letters: n factual rows (i), m reference rows (j), d columns, players k (features). */

export type {
  Attribution,
  Bounder,
  Cell,
  Condition,
  Cost,
  Coupling,
  EachGoal,
  EncodedPair,
  Feature,
  Goal,
  GroupGoal,
  Kind,
  Limits,
  Link,
  Matrix,
  Progress,
  Proof,
  Reach,
  RowStatus,
  Schema,
  Table,
  Target,
  WorkOptions,
} from "./basic-types.ts";

/** margin(z) = intercept + Σ_k weights[k]·z_k; score = link(margin). */
export interface LinearStructure {
  readonly kind: "linear";
  readonly intercept: number;
  readonly weights: Float64Array;
  readonly link: Link;
  /** Sums and scores are rounded to float32; missing cells add nothing to a margin (else it has none). */
  readonly single?: boolean;
  readonly skipsMissing?: boolean;
  /** How far its own margins may be from the exact sum, for cells of at most these sizes. Default: model/rounding.ts. */
  readonly rounding?: (sizes: Float64Array) => number;
  /** `linearKernels` or `treeKernels` of cola-xai/model: they come with the model. Without them it is a black box. */
  readonly kernels: Kernels;
}

/**
 * A flat forest for one output: margin(z) = base + Σ_trees value[leaf(z)]; score = link(margin). Averages of
 * probabilities have link `identity` and leaf values divided by the number of trees. Node rule: model/trees/structure.ts.
 */
export interface Trees extends Pick<LinearStructure, "single" | "rounding" | "kernels"> {
  readonly kind: "trees";
  readonly base: number;
  readonly link: Link;
  /** Root node of each tree; the column tested at each node, −1 at a leaf. */
  readonly roots: Int32Array;
  readonly feature: Int32Array;
  readonly threshold: Float64Array;
  readonly left: Int32Array;
  readonly right: Int32Array;
  /** Leaf values (0 at inner nodes). */
  readonly value: Float64Array;
  /** Bits of NODE in model/trees/structure.ts: where missing goes, categorical splits, zero as missing. */
  readonly flags: Uint8Array;
  /** `true`: go left iff z ≤ threshold; `false`: iff z < threshold. */
  readonly inclusive: boolean;
  /** Cells are rounded to float32 before they are compared. */
  readonly float32: boolean;
  /** Bit sets of categorical splits: node v owns words [categoryStart[v], categoryStart[v+1]). */
  readonly categoryStart?: Int32Array;
  readonly categoryWords?: Uint32Array;
}

export type Structure = LinearStructure | Trees;

/** f: rows → scores of one output. */
export interface Model {
  /** Names of the outputs; two for a binary classifier, one for a regression or a plain function. */
  readonly outputs: readonly string[];
  /** The columns it reads, in order, where it knows them: names, which are categories, and what its file calls these. */
  readonly inputs?: readonly string[];
  readonly categorical?: readonly boolean[];
  readonly categoryNames?: readonly (readonly string[] | undefined)[];
  /** Scores of one output (default: index 1 of a two-output model, else 0). */
  predict(rows: Matrix, output?: number): Float64Array | Promise<Float64Array>;
  /** Scores before the link, where the model has such. */
  margin?(rows: Matrix, output?: number): Float64Array;
  /** ∂score/∂cell, one row per row, for differentiable models. */
  gradient?(rows: Matrix, output?: number): Matrix;
  /** The inside of the model as seen by one output, over the columns the model reads. */
  structure?(output: number): Structure | undefined;
  /** Bounds of an output over boxes of the columns the model reads. `boundOf` (model/bound.ts) knows those of structures. */
  bound?(output: number): Bound | undefined;
  /** Set when `predict` takes table rows and encodes them for `model` (data/encode); `completed`: with derived columns there. */
  readonly encoding?: Encoding;
  readonly completed?: Encoding;
  /** Set where scores are those of another model, put on a monotone scale (see `calibrate` in model/calibrate). */
  readonly calibration?: Calibration;
  /** Everything needed to load it again with `loadModel`. */
  toJSON?(): unknown;
}

export interface Encoding {
  readonly model: Model;
  encode(rows: Matrix): Matrix;
  /** Encoded columns of each table column. */
  readonly groups: readonly (readonly number[])[];
}

/** A plain function, accepted wherever a Model is. */
export type PredictFunction = (rows: Matrix) => ArrayLike<number> | Promise<ArrayLike<number>>;
export type ModelLike = Model | PredictFunction;

/** A model whose scores are put on another scale by points (score, probability): scores rise, probabilities are monotone. */
export interface Calibration {
  readonly model: Model;
  readonly table: readonly (readonly [score: number, probability: number])[];
}

/** The exact algorithms over a structure; a mixture takes `to` for some players (edited) and `from` elsewhere. */
export interface Kernels {
  /** Plans of fewest edits and least change over all legal values; undefined where the target or the rules are beyond it. */
  exact?(question: ExactQuestion): PlanSearch | undefined;
  margins(of: Structure, rows: Matrix): Float64Array;
  /** The least and the greatest margin over a box. */
  range?(of: Structure, box: Box): readonly [low: number, high: number];
  /** Margins of all 2^k mixtures; bit b of the place: player b is edited. */
  cubeInto(of: Structure, pair: EncodedPair, out: Float64Array): void;
  /** Margins of the mixtures of at most `maxSize` ≤ 3 edits, placed as model/trees/subsets.ts says. */
  small(of: Structure, pair: EncodedPair, maxSize: number): Float64Array;
  /** φ of each player, margin(from) − margin(to) in all. */
  shapInto(of: Structure, pair: EncodedPair, out: Float64Array): void;
  /** φ against many references at once; undefined where pair by pair is as fast. */
  shapAll?(of: Structure): ShapAll | undefined;
  bounder(of: Structure, pair: EncodedPair): Bounder;
  /** The slack of mixtures, for structures of one link that make the scores of these outputs. */
  inside(structures: readonly Structure[], outputs: readonly number[], reach: Reach): Inside;
  /** Margins of all 2^k mixtures, and scores by the structure at a place among those whose margins make them. */
  marginCube(of: Structure, pair: EncodedPair): Float64Array;
  scoreCube(structures: readonly Structure[], at: number, pair: EncodedPair): Float64Array;
  /** The least number of edits with which any values bring the row `from` to the target (model/linear-least.ts). */
  leastEdits?(
    of: LinearStructure,
    conditions: readonly Condition[],
    minMargin: number,
    from: Float64Array,
    moves: Moves,
  ): number;
  /** Scores of all mixtures of a logistic model, where they are made without 2^k exponentials. Valid until the next call. */
  logisticCube?(of: Structure, pair: EncodedPair): Float64Array | undefined;
}

/** What the margin of an output can be; score = link(margin). */
export interface Bound extends Pick<LinearStructure, "link" | "single"> {
  /**
   * Every row of the box that the model scores has, as the model itself computes it, a margin from `low` to `high`;
   * a box within this one has a range within this one's.
   */
  range(box: Box): readonly [low: number, high: number];
  /** Plans over all legal values; it comes with the model, as kernels do. */
  exact?: Kernels["exact"];
}

/** Slack of mixtures from the structure of a linear or tree model. */
export interface Inside {
  /** Slack of all 2^k sets; bit b of the index: member b is edited. */
  cube(pair: EncodedPair): Float64Array;
  /** Slack of the sets of at most `maxSize` ≤ 3 members, placed as trees/subsets.ts says. */
  small(pair: EncodedPair, maxSize: number): Float64Array;
  /** One structure per margin, in the order `optimistic` takes them. */
  readonly structures: readonly Structure[];
  /**
   * How far the model's own slack of a mixture of this pair may be from the structure's, near a given slack
   * (model/rounding.ts). What is closer to an edge is asked of the model.
   */
  allowance(pair: EncodedPair): (slack: number) => number;
  /** Largest slack of any row whose margins lie in [low, high]. */
  optimistic(low: Float64Array, high: Float64Array): number;
  /** The target as the structures see it, whose slack must be at least `edge`; slacks closer than `tie` are equal. */
  edge(pair: EncodedPair, edge: number, tie: number): Edge;
  /** Branch and bound over the sets of members of one pair. */
  brancher(members: Members, pause: Branching["pause"]): Brancher;
}

/** A search over all legal values of a model: what is asked of `kernels.exact`. */
export interface ExactQuestion {
  /** Over codes. */
  readonly model: Model;
  readonly constraints: Constraints;
  readonly reach: Reach;
  readonly minMargin?: number;
  /** Rows that tell the scale of a change, and the ends and decimals of columns of which the schema tells none. */
  readonly table: Matrix;
  /**
   * What a change counts. `mad` (default): median absolute deviations of the column (interquartile ranges, ranges, units
   * where these are 0); `percentile`: the share of the table's rows that lie between; or one's own.
   */
  readonly change?: "mad" | "percentile" | ChangeOf;
  /** Other models whose own targets a plan must reach too. */
  readonly also?: readonly { readonly model: Model; readonly reach: Reach }[];
  /** A forest over codes whose sum must not fall below that of x: how usual a row is. */
  readonly usual?: Structure;
}
