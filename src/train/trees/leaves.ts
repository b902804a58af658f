import type { Leaf } from "./grow.ts";
import { soften } from "./scan.ts";

/** Writes scale·S_α(Σ g)/(Σ h + λ) of each leaf's rows; 0 where nothing is there to divide by. */
export function newtonLeaves(
  leaves: readonly Leaf[],
  rows: Int32Array,
  g: Float64Array,
  h: Float64Array,
  { lambda, alpha, scale }: { readonly lambda: number; readonly alpha: number; readonly scale: number },
  value: Float64Array,
): void {
  for (const leaf of leaves) {
    let sumG = 0;
    let sumH = lambda;
    for (let i = leaf.start; i < leaf.end; i++) {
      sumG += g[rows[i]!]!;
      sumH += h[rows[i]!]!;
    }
    value[leaf.node] = sumH < 1e-150 ? 0 : (scale * soften(sumG, alpha)) / sumH;
  }
}

/** Writes the weighted mean of y (or of 1[y = label]) over each leaf's rows. */
export function meanLeaves(
  leaves: readonly Leaf[],
  rows: Int32Array,
  y: Float64Array,
  weights: Float64Array,
  value: Float64Array,
  label?: number,
): void {
  for (const leaf of leaves) {
    let sum = 0;
    let total = 0;
    for (let i = leaf.start; i < leaf.end; i++) {
      const row = rows[i]!;
      total += weights[row]!;
      sum += weights[row]! * (label === undefined ? y[row]! : Number(y[row] === label));
    }
    value[leaf.node] = sum / total;
  }
}
