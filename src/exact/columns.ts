import type { Constraints } from "../data/constraints.ts";
import { hasLevels } from "../data/schema.ts";
import { median, quantileSorted, sorted } from "../num/stats.ts";
import type { Matrix } from "../types.ts";
import type { ExactStudy } from "./contract.ts";

/** What a table says of its numbers: the scale of a change, where the column ends, how many decimals it has. */
export type Columns = Pick<ExactStudy, "weights" | "low" | "high" | "decimals">;

/** Decimals beyond which a column counts as a continuum. */
const MOST_DECIMALS = 6;

/**
 * Change is counted in median absolute deviations; where half of a column is one value, in interquartile ranges, then
 * in ranges, then in units.
 */
export function columnsOf({ schema }: Constraints, rows: Matrix): Columns {
  const columns = schema.features.map((feature, k) => {
    const values = sorted(
      Float64Array.from({ length: rows.rows }, (_, i) => rows.data[i * rows.cols + k]!),
    ).filter((v) => !Number.isNaN(v) && !feature.missing?.includes(v));
    const [low, high] = [values[0] ?? 0, values.at(-1) ?? 0];
    const middle = quantileSorted(values, 0.5);
    const spread = [
      median(values.map((v) => Math.abs(v - middle))),
      quantileSorted(values, 0.75) - quantileSorted(values, 0.25),
      high - low,
    ].find((size) => size > 0 && Number.isFinite(size));
    const decimals = hasLevels(feature) ? 0 : decimalsOf(values);
    return { weight: 1 / (spread ?? 1), low, high, decimals };
  });
  return {
    weights: Float64Array.from(columns, (column) => column.weight),
    low: Float64Array.from(columns, (column) => column.low),
    high: Float64Array.from(columns, (column) => column.high),
    decimals: Int32Array.from(columns, (column) => column.decimals),
  };
}

/** The most decimals any of the values is written with; −1 where they are more than a person would write. */
function decimalsOf(values: Float64Array): number {
  let most = 0;
  for (const value of new Set(values))
    while (Number(value.toFixed(most)) !== value) if (++most > MOST_DECIMALS) return -1;
  return most;
}
