import { ColaError, checkCount } from "../errors.ts";
import { rowCost } from "../num/cost.ts";
import { Heap } from "../num/heap.ts";
import { rowOf } from "../num/matrix.ts";
import { columnMoments } from "../num/stats.ts";
import type { Cost, Matrix, Schema } from "../types.ts";
import { levelsOf } from "./schema.ts";

/**
 * The mixed metric: d²(a, b) = Σ_k δ_k, where δ is ((a−b)/sd)² for numeric, integer and ordinal features,
 * 0/1 for categorical and boolean ones, 1 between a value and a missing value and 0 between two missing.
 */
export interface Metric {
  readonly schema: Schema;
  /** Standard deviation of each feature over the training rows (1 for level features). */
  readonly scale: readonly number[];
  /** 1 where the feature counts. */
  readonly use: readonly number[];
}

/** Fits the scales on training rows (population sd, missing skipped; a constant column has scale 1). */
export function fitMetric(schema: Schema, rows: Matrix, use?: ArrayLike<number>): Metric {
  const scale = schema.features.map((feature, k) => {
    if (feature.kind === "categorical" || feature.kind === "boolean") return 1;
    return momentsOf(feature.name, rows, k, feature.missing).sd;
  });
  return { schema, scale, use: schema.features.map((_, k) => (use ? use[k]! : 1)) };
}

/** Mean and sd of a column; VALUE_INVALID where they overflow. */
export function momentsOf(
  name: string,
  rows: Matrix,
  k: number,
  codes?: readonly number[],
): ReturnType<typeof columnMoments> {
  const moments = columnMoments(rows, k, codes);
  if (Number.isFinite(moments.mean) && Number.isFinite(moments.sd)) return moments;
  throw new ColaError(
    "VALUE_INVALID",
    `table: the numbers of ${name} are too large for their spread to be computed; correct them, declare them missing, or give them in a larger unit.`,
    { feature: name },
  );
}

/** The same metric over the features marked in `use`, e.g. the editable ones. */
export function restrict(metric: Metric, use: ArrayLike<number>): Metric {
  return { ...metric, use: metric.use.map((u, k) => (u && use[k] ? 1 : 0)) };
}

/** Does this feature count 0 or 1? */
export function isLevel(metric: Metric, k: number): boolean {
  const { kind } = metric.schema.features[k]!;
  return kind === "categorical" || kind === "boolean";
}

/** d²(a, b) of two table rows. */
export function squaredDistance(metric: Metric, a: Float64Array, b: Float64Array): number {
  return distanceOf(metric)(a, b);
}

/** d²(a, b), or some number above `limit` as soon as the sum is above it; b begins `at` so many cells. */
type Distance = (a: Float64Array, b: Float64Array, limit?: number, at?: number) => number;

const distances = new WeakMap<Metric, Distance>();

/** d² of a metric, with its columns sorted out once. */
export function distanceOf(metric: Metric): Distance {
  let distance = distances.get(metric);
  if (!distance) {
    distance = overColumns(metric);
    distances.set(metric, distance);
  }
  return distance;
}

function overColumns(metric: Metric): Distance {
  const columns = Int32Array.from(metric.scale.keys()).filter((k) => metric.use[k]);
  const level = Uint8Array.from(columns, (k) => Number(isLevel(metric, k)));
  const scale = Float64Array.from(columns, (k) => metric.scale[k]!);
  return (a, b, limit = Number.POSITIVE_INFINITY, at = 0) => {
    let sum = 0;
    for (let t = 0; t < columns.length; t++) {
      const u = a[columns[t]!]!;
      const v = b[at + columns[t]!]!;
      if (u === v) continue;
      const gap = (u - v) / scale[t]!;
      if (Number.isNaN(gap)) sum += Number(Number.isNaN(u) !== Number.isNaN(v));
      else sum += level[t] === 1 ? 1 : gap ** 2;
      if (sum > limit) break;
    }
    return sum;
  };
}

/** The `count` rows nearest to x, in no order; of those equally far the first. */
export function nearestUnder(metric: Metric, rows: Matrix, x: Float64Array, count: number): Int32Array {
  const distance = distanceOf(metric);
  return nearestBy((i, worst) => distance(x, rows.data, worst, i * rows.cols), rows.rows, count);
}

/** The `count` with the least `far` of so many, in no order; of those equally far the first. */
export function nearestBy(
  far: (i: number, worst: number) => number,
  rows: number,
  count: number,
): Int32Array {
  // The best so far, the worst of them on top: keys are −distance, items −1 − row.
  const best = new Heap(count + 1);
  let worst = Number.POSITIVE_INFINITY;
  for (let i = 0; i < rows; i++) {
    const distance = far(i, worst);
    if (best.size === count && !(distance < worst)) continue;
    best.push(-distance, -1 - i);
    if (best.size > count) best.pop();
    if (best.size === count) worst = -best.key;
  }
  return Int32Array.from({ length: best.size }, () => -1 - best.pop());
}

/**
 * Points whose squared Euclidean distance is the metric, or undefined where a numeric feature has missing
 * values (no Euclidean point lies at distance 1 from a whole line). A level is a corner of a simplex with
 * edge 1; missing is one more corner.
 */
export function embed(metric: Metric, tables: readonly Matrix[]): Matrix[] | undefined {
  const features = metric.schema.features;
  const numeric = (k: number): boolean => !isLevel(metric, k);
  for (const table of tables) {
    for (let c = 0; c < table.data.length; c++) {
      if (Number.isNaN(table.data[c]) && metric.use[c % table.cols] && numeric(c % table.cols))
        return undefined;
    }
  }
  const widths = features.map((f, k) => (!metric.use[k] ? 0 : numeric(k) ? 1 : levelsOf(f).length + 1));
  const starts = widths.map((_, k) => widths.slice(0, k).reduce((a, b) => a + b, 0));
  const d = Math.max(
    1,
    widths.reduce((a, b) => a + b, 0),
  );
  return tables.map((table) => {
    const data = new Float64Array(table.rows * d);
    for (let i = 0; i < table.rows; i++) {
      for (let k = 0; k < features.length; k++) {
        if (!metric.use[k]) continue;
        const v = table.data[i * table.cols + k]!;
        const at = i * d + starts[k]!;
        if (numeric(k)) data[at] = v / metric.scale[k]!;
        else data[at + (Number.isNaN(v) ? widths[k]! - 1 : v)] = Math.SQRT1_2;
      }
    }
    return { data, rows: table.rows, cols: d };
  });
}

/**
 * Points for couplings that need coordinates where the metric has none: gaps sit at the scaled value 0 with a
 * coordinate of their own. Distances are those of the metric except between a gap and a number.
 */
export function scaledRows(metric: Metric, rows: Matrix): Matrix {
  const d = rows.cols;
  const filled = { data: rows.data.map((v) => (Number.isNaN(v) ? 0 : v)), rows: rows.rows, cols: d };
  const [points] = embed(metric, [filled])!;
  const data = new Float64Array(rows.rows * (points!.cols + d));
  for (let i = 0; i < rows.rows; i++) {
    data.set(rowOf(points!, i), i * (points!.cols + d));
    for (let k = 0; k < d; k++) {
      if (metric.use[k] && Number.isNaN(rows.data[i * d + k]))
        data[i * (points!.cols + d) + points!.cols + k] = 1;
    }
  }
  return { data, rows: rows.rows, cols: points!.cols + d };
}

/** The metric as a cost between table rows; with `points` wherever it is Euclidean. */
export function metricCost(metric: Metric, x: Matrix, r: Matrix): Cost {
  for (const { cols } of [x, r]) checkCount("metric", "a row", cols, metric.scale.length, "features");
  const distance = distanceOf(metric);
  const row = (i: number, out: Float64Array): void => {
    const a = rowOf(x, i);
    for (let j = 0; j < r.rows; j++) out[j] = distance(a, rowOf(r, j));
  };
  return rowCost(x.rows, r.rows, row, () => {
    const points = embed(metric, [x, r]);
    return points && { x: points[0]!, r: points[1]! };
  });
}
