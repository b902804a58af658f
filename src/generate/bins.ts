import type { Constraints } from "../data/constraints.ts";
import { hasLevels, levelsOf } from "../data/schema.ts";
import { sortedColumn } from "../num/column.ts";
import type { Matrix } from "../types.ts";

/**
 * A feature cut into bins: a number into bins of equal width over the reference rows, the outer two open to
 * what lies beyond; every level is a bin of its own.
 */
export interface Bins {
  readonly count: number;
  /** Lower edge of bin 0 and width of a bin; 0 and 1 for levels. */
  readonly low: number;
  readonly width: number;
  readonly levels: boolean;
}

/** Bins of every feature, `count` for a number. */
export function binsOf(constraints: Constraints, references: Matrix, count: number): Bins[] {
  return constraints.schema.features.map((feature, k) => {
    if (hasLevels(feature)) return { count: levelsOf(feature).length, low: 0, width: 1, levels: true };
    const values = sortedColumn(references, k);
    const [low, high] = [values[0] ?? 0, values.at(-1) ?? 0];
    if (high === low) return { count: 1, low, width: 1, levels: false };
    return { count, low, width: (high - low) / count, levels: false };
  });
}

/** The bin a value falls into, −1 when it is missing. */
export function binOf({ count, low, width, levels }: Bins, value: number): number {
  if (Number.isNaN(value)) return -1;
  if (levels) return value;
  return Math.min(count - 1, Math.max(0, Math.floor((value - low) / width)));
}

/** Bin of every cell, row by row. */
export function binCodes(bins: readonly Bins[], rows: readonly Float64Array[]): Int32Array {
  const codes = new Int32Array(rows.length * bins.length);
  rows.forEach((row, i) => {
    for (let k = 0; k < bins.length; k++) codes[i * bins.length + k] = binOf(bins[k]!, row[k]!);
  });
  return codes;
}

/**
 * Cost of going from x to z: bins moved in numbers, levels moved in ordinal features, 1 for another level or
 * for a value that appears or goes missing, each times the cost of the feature.
 */
export function costOf(
  constraints: Constraints,
  bins: readonly Bins[],
  x: Float64Array,
  z: Float64Array,
): number {
  let cost = 0;
  for (let k = 0; k < x.length; k++) {
    if (!constraints.editable[k] || constraints.same(k, x[k]!, z[k]!)) continue;
    const { kind, cost: price = 1 } = constraints.schema.features[k]!;
    const switched = kind === "categorical" || kind === "boolean" || Number.isNaN(x[k]! - z[k]!);
    cost += price * (switched ? 1 : Math.abs(z[k]! - x[k]!) / bins[k]!.width);
  }
  return cost;
}
