import type { Side } from "./row.ts";

/**
 * The leaves of an orthant: every number of a set moves along one side, every level is fixed. Leaf j takes places
 * low[j·size + r] … high[j·size + r] of side r.
 */
export interface Orthant {
  readonly sides: readonly Side[];
  /** The farthest place of each side that is looked at. */
  readonly far: readonly number[];
  /** What the fixed levels cost. */
  readonly cost: number;
  /** Σ of the trees that are not among the leaves, for each demand. */
  readonly base: Float64Array;
  readonly count: number;
  low: Int32Array;
  high: Int32Array;
  tree: Int32Array;
  value: Float64Array[];
}

const EMPTY = new Int32Array(0);
export const NOTHING: Orthant = {
  sides: [],
  far: [],
  cost: 0,
  base: new Float64Array(0),
  count: 0,
  low: EMPTY,
  high: EMPTY,
  tree: EMPTY,
  value: [],
};
