import { fitMetric, squaredDistance } from "../data/metric.ts";
import { Heap } from "../num/heap.ts";
import { rowOf } from "../num/matrix.ts";
import type { Matrix } from "../types.ts";
import type { Run } from "./open.ts";

const NEIGHBOURS = 5;

/** −mean distance of a row to its 5 nearest training rows (references, where there are none), over all features. */
export function plausibilityIn({ constraints, input }: Run): (rows: Matrix) => Float64Array {
  const training = input.training ?? input.references;
  const metric = fitMetric(constraints.schema, training);
  const count = Math.min(NEIGHBOURS, training.rows);
  return (rows) =>
    Float64Array.from({ length: rows.rows }, (_, i) => {
      const farthest = new Heap(count + 1);
      for (let j = 0; j < training.rows; j++) {
        farthest.push(-squaredDistance(metric, rowOf(rows, i), rowOf(training, j)), j);
        if (farthest.size > count) farthest.pop();
      }
      let sum = 0;
      for (; farthest.size > 0; farthest.pop()) sum += Math.sqrt(-farthest.key);
      return -sum / count;
    });
}
