import { fitMetric, squaredDistance } from "../data/metric.ts";
import { decodeCell, encodeCell, hasLevels } from "../data/schema.ts";
import type { ExplainedRow, Explanation, Unusual } from "../explanation.ts";
import { rowOf } from "../num/matrix.ts";
import { quantileSorted, sorted } from "../num/stats.ts";
import type { Matrix, Schema } from "../types.ts";

/** Rows a plan is compared with, and the share of their values, in the middle, that is usual. */
const NEAREST = 200;
const USUAL = 0.99;
/** Rows of a larger table that are looked at, evenly spread over it. */
const MOST_ROWS = 50_000;

/**
 * The explanation with a word on planned values that people otherwise like the row do not have: a number outside the
 * central 99 % of the 200 nearest rows of the table, a level none of them has. Near is by the features the plan leaves as
 * they are: what it changes is what is asked about.
 */
export function withRealism(explanation: Explanation, table: Matrix): Explanation {
  const { schema } = explanation;
  const rows = thinned(table);
  const metric = fitMetric(schema, rows);
  const told = explanation.rows.map((row): ExplainedRow => {
    if (row.edits.length === 0) return row;
    const edited = new Set(row.edits.map(({ feature }) => feature));
    const use = schema.features.map(({ name }) => Number(!edited.has(name)));
    const x = Float64Array.from(schema.features, (feature, k) => encodeCell(feature, row.x[k], row.row));
    const near = nearest(rows, (other) => squaredDistance({ ...metric, use }, x, other));
    const unusual = row.edits.flatMap((edit) => unusualIn(schema, rows, near, edit) ?? []);
    return unusual.length === 0 ? row : Object.freeze({ ...row, unusual });
  });
  return Object.freeze({ ...explanation, rows: Object.freeze(told) });
}

function thinned({ data, rows, cols }: Matrix): Matrix {
  if (rows <= MOST_ROWS) return { data, rows, cols };
  const kept = new Float64Array(MOST_ROWS * cols);
  for (let t = 0; t < MOST_ROWS; t++) {
    const i = Math.floor((t * rows) / MOST_ROWS);
    kept.set(data.subarray(i * cols, (i + 1) * cols), t * cols);
  }
  return { data: kept, rows: MOST_ROWS, cols };
}

/** The nearest rows; of those equally far the first. */
function nearest(rows: Matrix, distance: (row: Float64Array) => number): Int32Array {
  const far = Float64Array.from({ length: rows.rows }, (_, i) => distance(rowOf(rows, i)));
  const order = Int32Array.from(far.keys()).sort((a, b) => far[a]! - far[b]! || a - b);
  return order.slice(0, NEAREST);
}

function unusualIn(
  { features }: Schema,
  rows: Matrix,
  near: Int32Array,
  { feature: name, to }: ExplainedRow["edits"][number],
): Unusual | undefined {
  const k = features.findIndex((feature) => feature.name === name);
  const feature = features[k]!;
  const values = Array.from(near, (i) => rows.data[i * rows.cols + k]!);
  const value = encodeCell(feature, to, 0);
  const said = { feature: name, to, among: near.length };
  if (hasLevels(feature) || Number.isNaN(value))
    return values.some((v) => Object.is(v, value)) ? undefined : said;
  const codes = feature.missing ?? [];
  const known = sorted(values.filter((v) => !Number.isNaN(v) && !codes.includes(v)));
  if (known.length === 0) return said;
  const [low, high] = [(1 - USUAL) / 2, (1 + USUAL) / 2].map((q) => quantileSorted(known, q)) as [
    number,
    number,
  ];
  if (value >= low && value <= high) return undefined;
  return { ...said, low: decodeCell(feature, low), high: decodeCell(feature, high) };
}
