import { quantileSorted } from "../../num/stats.ts";

/** The part [low, high) of sorted values that lies inside their own [δ, 1 − δ] quantiles; all if nothing does. */
function inside(values: Float64Array, trim: number): [low: number, high: number] {
  const n = values.length;
  const [least, most] = [quantileSorted(values, trim), quantileSorted(values, 1 - trim)];
  let low = 0;
  let high = n;
  while (low < n && values[low]! < least) low++;
  while (high > low && values[high - 1]! > most) high--;
  return high > low ? [low, high] : [0, n];
}

/** Calls `pair(s, t, mass)` for the monotone plan between p and q equal masses, which is optimal on a line. */
function monotone(p: number, q: number, pair: (s: number, t: number, mass: number) => void): void {
  // Whole units keep the masses exact: a value on the left has q of the p·q units, one on the right p.
  let [left, right] = [q, p];
  for (let s = 0, t = 0; s < p && t < q; ) {
    const units = Math.min(left, right);
    pair(s, t, units / (p * q));
    left -= units;
    right -= units;
    if (left === 0) {
      s++;
      left = q;
    }
    if (right === 0) {
      t++;
      right = p;
    }
  }
}

/**
 * Trimmed W2² of two samples on a line: 1/(1 − 2δ) · Σ ν_st (a_s − b_t)², ν the optimal plan between the
 * values inside their own [δ, 1 − δ] quantiles, uniform masses (Manole, Balakrishnan and Wasserman 2022).
 * Both come sorted.
 */
export function trimmedSorted(a: Float64Array, b: Float64Array, trim: number): number {
  const [a0, a1] = inside(a, trim);
  const [b0, b1] = inside(b, trim);
  let sum = 0;
  monotone(a1 - a0, b1 - b0, (s, t, mass) => {
    sum += mass * (a[a0 + s]! - b[b0 + t]!) ** 2;
  });
  return sum / (1 - 2 * trim);
}

/** Positions of values by rising value; equal ones keep their order. */
export function risingOrder(values: Float64Array): Int32Array {
  return Int32Array.from(values, (_, i) => i).sort((i, j) => values[i]! - values[j]! || i - j);
}

/** Σ_t ν_st b_t · n for each a_s: where the optimal plan sends it. */
export function goals(a: Float64Array, b: Float64Array): Float64Array {
  const [rows, cols] = [risingOrder(a), risingOrder(b)];
  const to = new Float64Array(a.length);
  monotone(a.length, b.length, (s, t, mass) => {
    to[rows[s]!]! += mass * a.length * b[cols[t]!]!;
  });
  return to;
}
