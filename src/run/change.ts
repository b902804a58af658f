import { hasLevels } from "../data/schema.ts";
import type { Schema } from "../types.ts";

/**
 * How much z changes of x: Σ w_k·|z_k − x_k|; another level without order, or to and from missing, counts 1. The
 * exact search minimises the same sum.
 */
export function changeOf(
  { features }: Schema,
  weights: Float64Array,
  same: (k: number, a: number, b: number) => boolean,
  x: Float64Array,
  z: Float64Array,
): number {
  let sum = 0;
  features.forEach((feature, k) => {
    const [from, to] = [x[k]!, z[k]!];
    if (feature.derived || same(k, from, to)) return;
    const missing = (v: number): boolean => Number.isNaN(v) || !!feature.missing?.includes(v);
    const apart = missing(from) || missing(to) || (hasLevels(feature) && feature.kind !== "ordinal");
    sum += apart ? 1 : weights[k]! * Math.abs(to - from);
  });
  return sum;
}
