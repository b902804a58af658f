import type { Work } from "../budget.ts";
import { type Metric, squaredDistance } from "../data/metric.ts";
import { contentOrder, nearestOf } from "../match/nearest.ts";
import { scorerKernel } from "../model/scorer.ts";
import { slackOf } from "../model/slack.ts";
import { rowOf, takeRows } from "../num/matrix.ts";
import type { Matrix, Model, Reach } from "../types.ts";

/** Rows at the target whose values a plan may take. */
export const NEAR = 50;

/** For each feature the values that plans of one row may lead to. */
export type NearValues = (x: Float64Array) => readonly ArrayLike<number>[];

/** The table as it is, or with every cell moved to a legal value. */
export type TableKind = "real" | "legal";

/** The rows of a table that the model puts at the target. */
export type TargetRows = (kind: TableKind, work: Work) => Promise<Matrix>;

/** Each table is scored when its rows are first asked for, once. */
export function targetRows(
  model: Model,
  reach: Reach,
  tables: Readonly<Record<TableKind, () => Matrix>>,
): TargetRows {
  const known: Partial<Record<TableKind, Matrix>> = {};
  return async (kind, work) => {
    if (!known[kind]) {
      const table = tables[kind]();
      const { slack } = await slackOf(scorerKernel(model, work), table, reach);
      known[kind] = takeRows(
        table,
        [...slack.keys()].filter((j) => reach.reached(slack[j]!)),
      );
    }
    return known[kind];
  };
}

/** Values of the nearest of these rows. */
export function nearValues(rows: TargetRows, metric: Metric): (work: Work) => Promise<NearValues> {
  let known: NearValues | undefined;
  return async (work) => {
    known ??= amongNearest(await rows("legal", work), metric);
    return known;
  };
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
