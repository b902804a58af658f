import type { Work } from "../budget.ts";
import { type Metric, squaredDistance } from "../data/metric.ts";
import { contentOrder, nearestOf } from "../match/nearest.ts";
import { scorerKernel } from "../model/scorer.ts";
import { slackOf } from "../model/slack.ts";
import type { Reach } from "../model/target.ts";
import { rowOf, takeRows } from "../num/matrix.ts";
import type { Matrix, Model } from "../types.ts";

/** Rows at the target whose values a plan may take. */
export const NEAR = 50;

/** For each feature the values that plans of one row may lead to. */
export type NearValues = (x: Float64Array) => readonly ArrayLike<number>[];

/** The table's rows that the model puts at the target, scored when they are first asked for. */
export function nearValues(
  model: Model,
  reach: Reach,
  table: () => Matrix,
  metric: Metric,
): (work: Work) => Promise<NearValues> {
  let known: NearValues | undefined;
  return async (work) => {
    known ??= amongNearest(await rowsAtTarget(model, reach, table(), work), metric);
    return known;
  };
}

/** The rows that the model puts at the target. */
export async function rowsAtTarget(model: Model, reach: Reach, table: Matrix, work: Work): Promise<Matrix> {
  const { slack } = await slackOf(scorerKernel(model, work), table, reach);
  return takeRows(
    table,
    Array.from(slack.keys()).filter((j) => reach.reached(slack[j]!)),
  );
}

/** Values of the nearest rows, ties in the order of their content, so that the order of the table does not count. */
function amongNearest(pool: Matrix, metric: Metric): NearValues {
  const order = contentOrder(pool);
  return (x) => {
    const costs = Float64Array.from({ length: pool.rows }, (_, j) =>
      squaredDistance(metric, x, rowOf(pool, j)),
    );
    const near = nearestOf(costs, order, NEAR);
    return Array.from(x, (_, k) => [...new Set(near.map((j) => pool.data[j * pool.cols + k]!))]);
  };
}
