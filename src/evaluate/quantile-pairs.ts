import { risingOrder } from "./sample.ts";

/**
 * Σ_ij p_ij cost(a_i, b_j) for the plan that pairs equal quantiles of two weighted samples, which is optimal
 * on a line for every cost that is convex in a − b.
 */
export function quantilePairs(
  a: ArrayLike<number>,
  wa: Float64Array,
  b: ArrayLike<number>,
  wb: Float64Array,
  cost: (u: number, v: number) => number,
): number {
  const rows = risingOrder(a);
  const cols = risingOrder(b);
  let [s, t, sum] = [0, 0, 0];
  let left = wa[rows[0]!]!;
  let right = wb[cols[0]!]!;
  for (;;) {
    const mass = Math.min(left, right);
    sum += mass * cost(a[rows[s]!]!, b[cols[t]!]!);
    left -= mass;
    right -= mass;
    while (left === 0 && ++s < rows.length) left = wa[rows[s]!]!;
    while (right === 0 && ++t < cols.length) right = wb[cols[t]!]!;
    if (s >= rows.length || t >= cols.length) return sum;
  }
}
