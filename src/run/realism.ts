import { compileExpression } from "../data/expression.ts";
import { fitMetric, type Metric } from "../data/metric.ts";
import { type NearRows, nearRows } from "../data/near-rows.ts";
import { decodeCell, encodeCell, hasLevels } from "../data/schema.ts";
import type { Edit, ExplainedRow, Explanation, Realism, Unusual } from "../explanation.ts";
import type { Matrix, Schema } from "../types.ts";

/** Rows a plan is compared with, and the share of their values, in the middle, that is usual. */
const NEAREST = 200;
const USUAL = 0.99;
/** Fewer rows than this do not tell what is usual. */
const FEWEST = 20;
/** Rows of a larger table that are looked at, evenly spread over it. */
const MOST_ROWS = 50_000;

/**
 * The explanation with a word on planned values that people otherwise like the row do not have: a number outside the
 * central 99 % of the 200 nearest rows of the table, a level none of them has. Near is by the features the plan leaves as
 * they are: what it changes is what is asked about.
 */
export function withRealism(
  explanation: Explanation,
  table: Matrix,
  metric = fitMetric(explanation.schema, table),
): Explanation {
  if (table.rows < FEWEST) return Object.freeze({ ...explanation, realism: [] });
  const { schema } = explanation;
  const { rows, near: nearest } = comparedWith(metric, table);
  const rules = (schema.rules ?? []).map((text) => compileExpression(text, schema));
  const counts = new Map<Realism["kind"], Counts>();
  const look = (kind: Realism["kind"], row: ExplainedRow, edits: readonly Edit[]): Unusual[] => {
    if (edits.length === 0) return [];
    const edited = new Set(edits.map(({ feature }) => feature));
    const use = schema.features.map(({ name }) => Number(!edited.has(name)));
    const x = Float64Array.from(schema.features, (feature, k) => encodeCell(feature, row.x[k], row.row));
    const near = nearest(use, x, NEAREST);
    const unusual = edits.flatMap((edit) => unusualIn(schema, rows, near, edit) ?? []);
    const z = x.slice();
    for (const { feature: name, to } of edits) {
      const k = schema.features.findIndex((feature) => feature.name === name);
      z[k] = encodeCell(schema.features[k]!, to, row.row);
    }
    const broken = rules.filter((rule) => rule.evaluate(x) > 0 && !(rule.evaluate(z) > 0));
    const own = counts.get(kind) ?? { plans: 0, values: 0, unusual: 0, rulesBroken: 0 };
    own.plans++;
    own.values += edits.length;
    own.unusual += unusual.length;
    own.rulesBroken += broken.length;
    counts.set(kind, own);
    return unusual;
  };
  const explained = explanation.rows.map((row): ExplainedRow => {
    const unusual = look("plan", row, row.edits);
    if (row.sturdy) look("sturdy", row, row.sturdy.edits);
    for (const { edits } of row.alternatives.slice(0, ALTERNATIVES)) look("alternative", row, edits);
    look("proposal", row, row.proposal);
    return unusual.length === 0 ? row : Object.freeze({ ...row, unusual });
  });
  const realism = [...counts].map(([kind, own]) => ({ kind, ...own }));
  return Object.freeze({ ...explanation, rows: Object.freeze(explained), realism });
}

/** Other plans of a row that are looked at. */
const ALTERNATIVES = 3;

type Counts = { -readonly [Name in keyof Omit<Realism, "kind">]: Realism[Name] };

/** Rows that plans are compared with, and how those near a row are found. */
interface Compared {
  readonly metric: Metric;
  readonly rows: Matrix;
  readonly near: NearRows;
}

const compared = new WeakMap<Matrix, Compared>();

/** Made once for a table and its metric: rows are explained part by part. */
function comparedWith(metric: Metric, table: Matrix): Compared {
  const known = compared.get(table);
  if (known?.metric === metric) return known;
  const rows = thinned(table);
  const made = { metric, rows, near: nearRows(metric, rows) };
  compared.set(table, made);
  return made;
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

function unusualIn(
  { features }: Schema,
  rows: Matrix,
  near: Int32Array,
  { feature: name, to }: ExplainedRow["edits"][number],
): Unusual | undefined {
  const k = features.findIndex((feature) => feature.name === name);
  const feature = features[k]!;
  const value = encodeCell(feature, to, 0);
  const said = { feature: name, to, among: near.length };
  const at = (i: number): number => rows.data[i * rows.cols + k]!;
  if (hasLevels(feature) || Number.isNaN(value))
    return near.some((i) => Object.is(at(i), value)) ? undefined : said;
  const codes = feature.missing ?? [];
  const values = new Float64Array(near.length);
  for (let t = 0; t < near.length; t++) values[t] = at(near[t]!);
  const known = values.filter((v) => !Number.isNaN(v) && !codes.includes(v)).sort();
  if (known.length === 0) return said;
  // Rows left out at either end: of fewer than 200, none.
  const apart = Math.floor(((1 - USUAL) / 2) * known.length + 1e-9);
  const [low, high] = [known[apart]!, known.at(-1 - apart)!];
  if (value >= low && value <= high) return undefined;
  return { ...said, low: decodeCell(feature, low), high: decodeCell(feature, high) };
}
