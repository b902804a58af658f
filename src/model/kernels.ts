import type { ExactQuestion, PlanSearch } from "../exact/contract.ts";
import type { Bounder, EncodedPair, LinearStructure, Matrix, Model, Structure } from "../types.ts";
import type { insideBy, marginCube, scoreCube } from "./inside.ts";
import type { leastEdits } from "./linear-least.ts";

/** Rows of x (`rows`) to be attributed against rows of r; row i has references cols[start[i]] … at these weights. */
export interface DenseProblem {
  readonly x: Matrix;
  readonly r: Matrix;
  /** Every column has a player. */
  readonly players: readonly (readonly number[])[];
  readonly rows: readonly number[];
  readonly start: Int32Array;
  readonly cols: Int32Array;
  readonly weight: Float64Array;
}

/** Rows with the same references at equal weight, and their mean φ over these (rows × players). */
export interface DenseBlock {
  readonly rows: readonly number[];
  readonly references: Int32Array;
  readonly phi: Float64Array;
}

/** Attributes the rows that weigh many references alike, block by block; yields nothing now and then, to pause. */
export type ShapAll = (problem: DenseProblem) => Iterable<DenseBlock | undefined>;

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
  readonly inside: typeof insideBy;
  readonly marginCube: typeof marginCube;
  readonly scoreCube: typeof scoreCube;
  readonly leastEdits?: typeof leastEdits;
  /** Scores of all mixtures of a logistic model, where they are made without 2^k exponentials. Valid until the next call. */
  logisticCube?(of: Structure, pair: EncodedPair): Float64Array | undefined;
}

/** What a column holds in a box: the numbers from low to high, or those listed, and gaps where `missing` says so. */
export interface Cells {
  readonly low: number;
  readonly high: number;
  readonly values?: readonly number[];
  readonly missing?: boolean;
}

/** All rows whose every column is within its cells; no column is without any. */
export type Box = readonly Cells[];

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
