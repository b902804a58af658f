import type { Work } from "../budget.ts";
import type { Metric } from "../data/metric.ts";
import { slackOf } from "../model/slack.ts";
import { sortedColumn } from "../num/column.ts";
import { rowsBetween, takeRows } from "../num/matrix.ts";
import { type Neighbours, neighbours } from "../num/neighbours.ts";
import type { Kind, Matrix, Schema } from "../types.ts";
import type { Run } from "./run.ts";

/** Table rows as points whose L1 distance is meant; categorical and boolean columns count equal or not. */
interface Space {
  readonly mismatch: Uint8Array;
  place(rows: Matrix): Matrix;
}

/** Rows placed between two chances to pause. */
const SLICE = 4096;

const counts = (kind: Kind): number => Number(kind === "categorical" || kind === "boolean");

function spaceOf(schema: Schema, columns: readonly ((v: number) => number)[]): Space {
  const mismatch = Uint8Array.from(schema.features, ({ kind }) => counts(kind));
  const place = (rows: Matrix): Matrix => {
    const data = rows.data.slice();
    columns.forEach((column, k) => {
      if (mismatch[k]) return;
      for (let c = k; c < data.length; c += rows.cols) {
        if (!Number.isNaN(data[c]!)) data[c] = column(data[c]!);
      }
    });
    return { data, rows: rows.rows, cols: rows.cols };
  };
  return { mismatch, place };
}

/**
 * Every ordered column by its empirical mid-rank ½(#{< v} + #{≤ v})/N over the reference rows, linear between
 * their distinct values and constant outside.
 */
export async function rankSpace(schema: Schema, references: Matrix, work: Work): Promise<Space> {
  const columns: ((v: number) => number)[] = [];
  for (let k = 0; k < schema.features.length; k++) {
    columns.push(counts(schema.features[k]!.kind) ? (v) => v : midRank(sortedColumn(references, k)));
    if (work.due()) await work.pause(k, schema.features.length);
  }
  return spaceOf(schema, columns);
}

function midRank(values: Float64Array): (v: number) => number {
  const distinct: number[] = [];
  const ranks: number[] = [];
  for (let from = 0; from < values.length; ) {
    let to = from;
    while (to < values.length && values[to] === values[from]) to++;
    distinct.push(values[from]!);
    ranks.push((from + to) / 2 / values.length);
    from = to;
  }
  return (v) => {
    let low = 0;
    let high = distinct.length - 1;
    if (high < 0) return 0;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (distinct[middle]! < v) low = middle + 1;
      else high = middle;
    }
    if (low === 0 || distinct[low]! <= v) return ranks[low]!;
    const share = (v - distinct[low - 1]!) / (distinct[low]! - distinct[low - 1]!);
    return ranks[low - 1]! + share * (ranks[low]! - ranks[low - 1]!);
  };
}

/** Ordered columns divided by the metric's scale. */
export function metricSpace(metric: Metric): Space {
  return spaceOf(
    metric.schema,
    metric.scale.map((scale) => (v) => v / scale),
  );
}

/** Ordered columns divided by their range over the reference rows (HEOM: Wilson and Martinez 1997). */
export function rangeSpace(schema: Schema, references: Matrix): Space {
  const ranges = schema.features.map((_, k) => {
    const values = sortedColumn(references, k);
    return values.length === 0 ? 1 : values.at(-1)! - values[0]! || 1;
  });
  return spaceOf(
    schema,
    ranges.map((range) => (v) => v / range),
  );
}

/** `place` in slices of rows, with pauses between. */
async function placeAll(space: Space, rows: Matrix, work: Work): Promise<Matrix> {
  const data = new Float64Array(rows.data.length);
  for (let from = 0; from < rows.rows; from += SLICE) {
    const part = rowsBetween(rows, from, Math.min(rows.rows, from + SLICE));
    data.set(space.place(part).data, from * rows.cols);
    if (work.due()) await work.pause(from, rows.rows);
  }
  return { data, rows: rows.rows, cols: rows.cols };
}

/** The reference rows at the target, indexed in a space. */
export interface Unlike {
  readonly rows: Matrix;
  readonly index: Neighbours;
  /** A table row as a point of the space. */
  place(row: Float64Array): Float64Array;
}

/** Scores the references and indexes those at the target; rows the model fails on are left out. */
export async function unlike(run: Run, space: Space): Promise<Unlike> {
  const complete = run.constraints.complete(run.references);
  const { slack } = await slackOf(run.scorer, complete, run.reach);
  const at = Int32Array.from(slack, (_, j) => j).filter((j) => run.reach.reached(slack[j]!));
  const rows = takeRows(complete, at);
  const index = await neighbours(await placeAll(space, rows, run.side), run.side, space.mismatch);
  return { rows, index, place: (row) => space.place({ data: row, rows: 1, cols: row.length }).data };
}
