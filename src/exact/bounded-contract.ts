import type { Demand, ExactStudy } from "./contract.ts";
import type { Point } from "./row.ts";

/** What a feature may become: the numbers from low to high (none where low > high), and single values. */
export interface Spread {
  readonly feature: number;
  readonly low: number;
  readonly high: number;
  readonly points: readonly Pick<Point, "value" | "cost">[];
}

/**
 * The sums of one way to the target as one row sees them, bounded over rows in which some features are anywhere in
 * their spreads and the others as in x. A bound is a sum of what each feature adds at most, so that it also says how
 * far a feature must go at least.
 */
export interface RowBounds {
  /** The most that the sum of a demand can be where all of `moved`, and at most `more` of `others`, change. */
  most(demand: number, moved: readonly Spread[], others: readonly Spread[], more: number): number;
  /** The least that it can be where all of `moved` change. */
  least(demand: number, moved: readonly Spread[]): number;
  /** Of the last `most`: its bound is start + Σ gain(feature, value), rounding included in `start`. */
  readonly start: number;
  gain(feature: number, value: number): number;
  /** Of the last `most`: how much of its bound rests on the width of a spread. */
  doubt(spread: Spread): number;
  /** How far the sum of a demand may be from the model's own, on either side; the bounds have it included. */
  error(demand: number): number;
  /** The sum of a demand in double precision. */
  at(demand: number, features: readonly number[], values: ArrayLike<number>): number;
  /** Multiplications so far. */
  readonly work: number;
}

/** A way to the target through a model with bounds. */
export interface BoundedWay<M> {
  readonly demands: readonly Demand<M>[];
  /** Has the model an answer where a feature has this value? */
  reads(feature: number, value: number): boolean;
  /** As one row sees it; `spreads` are all that its features may become. */
  row(x: Float64Array, spreads: readonly Spread[]): RowBounds;
}

/** Opens a way; undefined where the model's columns are not what its bounds need. */
export type OpenBounds<M> = (
  study: ExactStudy<M>,
  demands: readonly Demand<M>[],
) => BoundedWay<M> | undefined;
