import type { Steps } from "../model/steps.ts";
import type { Random } from "../num/random.ts";

/** A weighted sum of losses over rows, as seen by stochastic descent. */
export interface RowLoss {
  /** One per row. */
  readonly weights: Float64Array;
  /** Adds Σ weight_i ∂loss_i/∂θ over at most CHUNK rows to `gradient`; returns Σ weight_i loss_i. */
  add(theta: Float64Array, rows: Int32Array, gradient: Float64Array): number;
  /** Adds the gradient of the penalty in a batch of `size` rows; returns its value. */
  penalty?(theta: Float64Array, size: number, gradient: Float64Array): number;
}

interface DescentOptions {
  readonly rate: number;
  readonly epochs: number;
  /** Rows per step; all rows in their order when it is not below their number. */
  readonly batch: number;
  /** Stop once the mean loss of an epoch was not `tolerance` below the best for more than `patience` epochs. */
  readonly tolerance?: number;
  readonly patience?: number;
}

/** Rows between two chances to pause. */
export const CHUNK = 256;

/**
 * Adam (Kingma and Ba 2015, Algorithm 1; β₁ = 0.9, β₂ = 0.999, ε = 1e-8) on the weighted mean loss of
 * batches, shuffled anew every epoch. Moves `theta`.
 */
export function* descend(
  theta: Float64Array,
  loss: RowLoss,
  options: DescentOptions,
  random: Random,
): Steps<void> {
  const { epochs, tolerance = Number.NEGATIVE_INFINITY, patience = Number.POSITIVE_INFINITY } = options;
  const rows = loss.weights.length;
  const batch = Math.min(options.batch, rows);
  const step = adam(theta, options.rate);
  const gradient = new Float64Array(theta.length);
  let order = Int32Array.from({ length: rows }, (_, i) => i);
  let best = Number.POSITIVE_INFINITY;
  let stale = 0;
  for (let epoch = 0; epoch < epochs && stale <= patience; epoch++) {
    if (batch < rows) order = Int32Array.from(random.permutation(rows));
    let total = 0;
    for (let from = 0; from < rows; from += batch) {
      const to = Math.min(rows, from + batch);
      gradient.fill(0);
      let mass = 0;
      for (let t = from; t < to; t++) mass += loss.weights[order[t]!]!;
      let sum = 0;
      for (let t = from; t < to; t += CHUNK) {
        sum += loss.add(theta, order.subarray(t, Math.min(to, t + CHUNK)), gradient);
        yield [epoch, epochs];
      }
      if (mass === 0) continue;
      for (let p = 0; p < gradient.length; p++) gradient[p]! /= mass;
      const penalty = loss.penalty?.(theta, to - from, gradient) ?? 0;
      total += (sum / mass + penalty) * (to - from);
      step(gradient);
    }
    const mean = total / rows;
    stale = mean > best - tolerance ? stale + 1 : 0;
    best = Math.min(best, mean);
  }
}

/** One step of Adam per call. */
function adam(theta: Float64Array, rate: number): (gradient: Float64Array) => void {
  const first = new Float64Array(theta.length);
  const second = new Float64Array(theta.length);
  let left1 = 1;
  let left2 = 1;
  return (gradient) => {
    left1 *= 0.9;
    left2 *= 0.999;
    for (let p = 0; p < theta.length; p++) {
      const g = gradient[p]!;
      const m = 0.9 * first[p]! + 0.1 * g;
      const v = 0.999 * second[p]! + 0.001 * g * g;
      first[p] = m;
      second[p] = v;
      theta[p]! -= (rate * (m / (1 - left1))) / (Math.sqrt(v / (1 - left2)) + 1e-8);
    }
  };
}
