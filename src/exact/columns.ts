import type { Constraints } from "../data/constraints.ts";
import { hasLevels } from "../data/schema.ts";
import { sortedColumn } from "../num/column.ts";
import { quantileSorted } from "../num/stats.ts";
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
    const known = sortedColumn(rows, k);
    const values = feature.missing ? known.filter((v) => !feature.missing!.includes(v)) : known;
    const [low, high] = [values[0] ?? 0, values.at(-1) ?? 0];
    const middle = quantileSorted(values, 0.5);
    const spread = [
      quantileSorted(awayFrom(middle, values), 0.5),
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

/** |v − middle| of sorted values, in order. */
function awayFrom(middle: number, values: Float64Array): Float64Array {
  const away = new Float64Array(values.length);
  let right = values.findIndex((v) => v >= middle);
  if (right < 0) right = values.length;
  let left = right - 1;
  for (let t = 0; t < away.length; t++) {
    const onRight = left < 0 || values[right]! - middle < middle - values[left]!;
    away[t] = onRight ? values[right++]! - middle : middle - values[left--]!;
  }
  return away;
}

/** The most decimals any of the sorted values is written with; −1 where they are more than a person would write. */
function decimalsOf(values: Float64Array): number {
  let most = 0;
  for (let t = 0; t < values.length; t++) {
    const value = values[t]!;
    if (value === values[t - 1]) continue;
    while (Number(value.toFixed(most)) !== value) if (++most > MOST_DECIMALS) return -1;
  }
  return most;
}
