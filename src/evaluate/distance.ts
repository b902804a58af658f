import { sameValue } from "../num/matrix.ts";
import type { Matrix } from "../types.ts";
import { checkPair, type SparsityOptions, sparsity } from "./sparsity.ts";

export interface Distances {
  /** ‖z_i − x_i‖₁ of each row. */
  readonly l1: Float64Array;
  /** ‖z_i − x_i‖₂ of each row. */
  readonly l2: Float64Array;
  /** ‖z − x‖_F = √Σ_ik (z_ik − x_ik)². */
  readonly frobenius: number;
}

/**
 * How far z is from x, row by row and in all (n × d each). A missing value is 1 from any value and 0 from a
 * missing one. Give rows scaled by the mixed metric for distances that compare across features.
 */
export function distance(x: Matrix, z: Matrix): Distances {
  checkPair("distance", x, z, "z");
  const l1 = new Float64Array(x.rows);
  const squares = new Float64Array(x.rows);
  for (let at = 0; at < x.data.length; at++) {
    const step = gap(x.data[at]!, z.data[at]!);
    l1[Math.floor(at / x.cols)]! += step;
    squares[Math.floor(at / x.cols)]! += step * step;
  }
  const sum = squares.reduce((total, square) => total + square, 0);
  return { l1, l2: squares.map(Math.sqrt), frobenius: Math.sqrt(sum) };
}

export interface DistanceRatios {
  /** Edits of z per edit of r: Σ_i ‖z_i − x_i‖₀ / Σ_i ‖r_i − x_i‖₀. */
  readonly l0: number | null;
  readonly l1: number | null;
  readonly l2: number | null;
  readonly frobenius: number | null;
}

/**
 * ‖z − x‖ / ‖r − x‖ in four norms, sums over the rows for l0, l1 and l2; null where r = x. Row i of r is
 * compared with row i of x: give r unaligned for the ratio of the paper's Table 3, or q for the aligned one.
 */
export function distanceRatio(
  x: Matrix,
  z: Matrix,
  r: Matrix,
  options: SparsityOptions = {},
): DistanceRatios {
  checkPair("distanceRatio", x, r, "r");
  const [near, far] = [distance(x, z), distance(x, r)];
  return {
    l0: ratio(sparsity(x, z, options).total, sparsity(x, r, options).total),
    l1: ratio(sum(near.l1), sum(far.l1)),
    l2: ratio(sum(near.l2), sum(far.l2)),
    frobenius: ratio(near.frobenius, far.frobenius),
  };
}

function gap(from: number, to: number): number {
  if (sameValue(from, to)) return 0;
  return Number.isNaN(from) || Number.isNaN(to) ? 1 : Math.abs(from - to);
}

function ratio(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

function sum(values: Float64Array): number {
  return values.reduce((total, v) => total + v, 0);
}
