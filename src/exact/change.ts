import type { Constraints } from "../data/constraints.ts";
import { hasLevels } from "../data/schema.ts";
import { sorted } from "../num/stats.ts";
import type { ExactQuestion, Feature, Matrix } from "../types.ts";
import type { ExactStudy } from "./contract.ts";
import type { ChangeOf } from "./plan.ts";

/** Is this code no value of the feature, but one for a missing value? */
export function isGap({ missing }: Feature, value: number): boolean {
  return Number.isNaN(value) || missing?.includes(value) === true;
}

/** What a change counts in a study: its own measure, or so many deviations of the column. */
export function changeIn({ change, weights, constraints }: ExactStudy<unknown>): ChangeOf {
  if (change) return change;
  const { features } = constraints.schema;
  return (k, from, to) => {
    const feature = features[k]!;
    const steps = !hasLevels(feature) || feature.kind === "ordinal";
    return steps && !isGap(feature, from) && !isGap(feature, to) ? weights[k]! * Math.abs(to - from) : 1;
  };
}

/** The measure a question names, where it is not the default. */
export function changeOf(
  { schema }: Constraints,
  table: Matrix,
  change: ExactQuestion["change"],
): ChangeOf | undefined {
  if (typeof change === "function") return change;
  if (change !== "percentile") return undefined;
  const ranks = schema.features.map((feature, k) =>
    hasLevels(feature) && feature.kind !== "ordinal" ? undefined : rankOf(feature, table, k),
  );
  return (k, from, to) => {
    const rank = ranks[k];
    const { features } = schema;
    if (!rank || isGap(features[k]!, from) || isGap(features[k]!, to)) return 1;
    return Math.abs(rank(to) - rank(from));
  };
}

/**
 * The share of a column's values below a value, half of those equal to it among them; straight lines between the values
 * there are, so that a longer way is never a smaller change.
 */
function rankOf(feature: Feature, { data, rows, cols }: Matrix, k: number): (value: number) => number {
  const own = sorted(Array.from({ length: rows }, (_, i) => data[i * cols + k]!)).filter(
    (v) => !isGap(feature, v),
  );
  const values = Float64Array.from(new Set(own));
  const shares = new Float64Array(values.length);
  for (let from = 0, t = 0; from < own.length; t++) {
    let to = from;
    while (to < own.length && own[to] === own[from]) to++;
    shares[t] = (from + to) / 2 / own.length;
    from = to;
  }
  return (value) => {
    if (values.length === 0 || value <= values[0]!) return shares[0] ?? 0;
    let [low, high] = [0, values.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (values[middle]! <= value) low = middle;
      else high = middle;
    }
    if (high === values.length) return shares[low]!;
    const part = (value - values[low]!) / (values[high]! - values[low]!);
    return shares[low]! + part * (shares[high]! - shares[low]!);
  };
}
