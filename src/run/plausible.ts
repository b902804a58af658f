import { type Metric, squaredDistance } from "../data/metric.ts";
import { nearestOf } from "../match/nearest.ts";
import { rowOf } from "../num/matrix.ts";
import type { Matrix } from "../types.ts";

const NEIGHBOURS = 5;

/** −mean distance of a row to its 5 nearest training rows (references, where there are none), over all features. */
export function plausibility(metric: Metric, training: Matrix): (rows: Matrix) => Float64Array {
  const count = Math.min(NEIGHBOURS, training.rows);
  const all = Int32Array.from({ length: training.rows }, (_, j) => j);
  return (rows) =>
    Float64Array.from({ length: rows.rows }, (_, i) => {
      const distances = Float64Array.from(all, (j) =>
        squaredDistance(metric, rowOf(rows, i), rowOf(training, j)),
      );
      const near = nearestOf(distances, all, count);
      return -near.reduceRight((sum, j) => sum + Math.sqrt(distances[j]!), 0) / count;
    });
}
