import { type Metric, scaledRows } from "../../data/metric.ts";
import { levelsOf } from "../../data/schema.ts";
import type { Random } from "../../num/random.ts";
import type { Matrix } from "../../types.ts";

/** The space input distances are measured in: the mixed metric's points, and directions to look along. */
export interface Slices {
  place(rows: Matrix): Matrix;
  /** Columns of each feature among the points. */
  readonly players: readonly (readonly number[])[];
  /** Unit directions θ_k, one per row. */
  readonly directions: Matrix;
}

/**
 * Points of the mixed metric and `count` directions uniform on the sphere of the columns in which the given
 * rows differ at all.
 */
export function slicesOf(metric: Metric, rows: Matrix, count: number, random: Random): Slices {
  const { features } = metric.schema;
  const width = (k: number): number => {
    const { kind } = features[k]!;
    if (!metric.use[k]) return 0;
    return kind === "categorical" || kind === "boolean" ? levelsOf(features[k]!).length + 1 : 1;
  };
  let at = 0;
  const own = features.map((_, k) => Array.from({ length: width(k) }, () => at++));
  const gaps = at === 0 ? 1 : at;
  const players = own.map((columns, k) => [...columns, gaps + k]);
  const cols = gaps + features.length;
  const used = varying(scaledRows(metric, rows));
  const data = new Float64Array(count * cols);
  for (let t = 0; t < count; t++) {
    const direction = data.subarray(t * cols, (t + 1) * cols);
    for (const c of used) direction[c] = random.normal();
    const norm = Math.sqrt(direction.reduce((sum, v) => sum + v * v, 0));
    for (const c of used) direction[c]! /= norm || 1;
  }
  return { place: (rows) => scaledRows(metric, rows), players, directions: { data, rows: count, cols } };
}

function varying({ data, cols }: Matrix): number[] {
  return Array.from({ length: cols }, (_, c) => c).filter((c) => {
    for (let at = c + cols; at < data.length; at += cols) if (data[at] !== data[c]) return true;
    return false;
  });
}

/** θ_t · point of every point. */
export function project(points: Matrix, directions: Matrix, t: number): Float64Array {
  const out = new Float64Array(points.rows);
  const { cols } = points;
  for (let i = 0; i < points.rows; i++) {
    let sum = 0;
    for (let c = 0; c < cols; c++) sum += points.data[i * cols + c]! * directions.data[t * cols + c]!;
    out[i] = sum;
  }
  return out;
}
