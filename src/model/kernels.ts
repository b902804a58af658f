import type { EncodedPair, Matrix } from "../basic-types.ts";
import type { Branching } from "./branch.ts";

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

/** What a column holds in a box: the numbers from low to high, or those listed, and gaps where `missing` says so. */
export interface Cells {
  readonly low: number;
  readonly high: number;
  readonly values?: readonly number[];
  readonly missing?: boolean;
}

/** All rows whose every column is within its cells; no column is without any. */
export type Box = readonly Cells[];

/** A pair with what its members add to d² and to the cost. */
export interface Members extends Pick<Branching, "gaps" | "costs"> {
  readonly pair: EncodedPair;
}

/** The target as a pair's structure sees it, up to rounding. */
export interface Edge {
  /** May a set with this slack, as the structure says, reach the target? */
  mayReach(slack: number): boolean;
  /** Is it sure to? */
  isReached(slack: number): boolean;
  /** Slacks closer than this cannot be told apart. */
  readonly blur: number;
}

/** A table row and what its columns may become. */
export interface Moves {
  readonly row: Float64Array;
  /** Table columns that each player may move. */
  readonly players: readonly (readonly number[])[];
  /** The values an edit may lead to (±Infinity: open), and codes that stand for a missing one. */
  domain(column: number, from: number): Values;
  readonly allows?: ((column: number, from: number, to: number) => boolean) | undefined;
  encode(rows: Matrix): Matrix;
  /** Encoded columns of each table column. */
  readonly encoded: readonly (readonly number[])[];
}

interface Values {
  readonly values?: readonly number[];
  readonly min: number;
  readonly max: number;
  readonly missing?: readonly number[];
}
