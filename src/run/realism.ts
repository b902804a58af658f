import { compileExpression } from "../data/expression.ts";
import { fitMetric, type Metric } from "../data/metric.ts";
import { type NearRows, nearRows } from "../data/near-rows.ts";
import { decodeCell, encodeCell, hasLevels } from "../data/schema.ts";
import type { Edit, ExplainedRow, Explanation, Realism, Unusual } from "../explanation.ts";
import { once } from "../num/once.ts";
import { cellOf, type Packed, packed } from "../num/packed.ts";
import type { Feature, Matrix, Schema } from "../types.ts";

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
  const place = new Map(schema.features.map(({ name }, k) => [name, k]));
  const found = new Map<string, Int32Array>();
  const look = (kind: Realism["kind"], cells: () => Float64Array, edits: readonly Edit[]): Unusual[] => {
    if (edits.length === 0) return [];
    const x = cells();
    const use = schema.features.map(() => 1);
    const z = x.slice();
    for (const { feature, to } of edits) {
      const k = place.get(feature)!;
      use[k] = 0;
      z[k] = encodeCell(schema.features[k]!, to, 0);
    }
    const asked = `${use.join("")} ${x.join(" ")}`;
    const near = found.get(asked) ?? nearest(use, x, NEAREST);
    found.set(asked, near);
    const unusual = edits.flatMap(({ feature, to }) => {
      const k = place.get(feature)!;
      const range = unusualAmong(schema.features[k]!, z[k]!, near, (i) => cellOf(rows, i, k));
      return range ? { feature, to, among: near.length, ...range } : [];
    });
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
    const x = once(() => encoded(schema, row));
    const unusual = look("plan", x, row.edits);
    if (row.sturdy) look("sturdy", x, row.sturdy.edits);
    for (const { edits } of row.alternatives.slice(0, ALTERNATIVES)) look("alternative", x, edits);
    look("proposal", x, row.proposal);
    return unusual.length === 0 ? row : Object.freeze({ ...row, unusual });
  });
  const realism = [...counts].map(([kind, own]) => ({ kind, ...own }));
  return Object.freeze({ ...explanation, rows: Object.freeze(explained), realism });
}

const encoded = ({ features }: Schema, { x, row }: ExplainedRow): Float64Array =>
  Float64Array.from(features, (feature, k) => encodeCell(feature, x[k], row));

/** Other plans of a row that are looked at. */
const ALTERNATIVES = 3;

type Counts = { -readonly [Name in keyof Omit<Realism, "kind">]: Realism[Name] };

/** Rows that plans are compared with, and how those near a row are found. */
interface Compared {
  readonly metric: Metric;
  readonly rows: Packed;
  readonly near: NearRows;
}

const compared = new WeakMap<Matrix, Compared>();

/** Made once for a table and its metric: rows are explained part by part. */
function comparedWith(metric: Metric, table: Matrix): Compared {
  const known = compared.get(table);
  if (known?.metric === metric) return known;
  const some = thinned(table);
  const rows = packed(some);
  const made = { metric, rows, near: nearRows(metric, some, rows) };
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

/** Undefined where the value is usual among the rows nearby; else the numbers between which it would be. */
function unusualAmong(
  feature: Feature,
  value: number,
  near: Int32Array,
  cell: (i: number) => number,
): Pick<Unusual, "low" | "high"> | undefined {
  if (hasLevels(feature) || Number.isNaN(value))
    return near.some((i) => Object.is(cell(i), value)) ? undefined : {};
  const codes = feature.missing ?? [];
  const known = new Float64Array(near.length);
  let [count, below, above] = [0, 0, 0];
  for (const i of near) {
    const v = cell(i);
    if (Number.isNaN(v) || codes.includes(v)) continue;
    known[count++] = v;
    if (v <= value) below++;
    if (v >= value) above++;
  }
  if (count === 0) return {};
  // Rows left out at either end: of fewer than 200, none.
  const apart = Math.floor(((1 - USUAL) / 2) * count + 1e-9);
  if (below > apart && above > apart) return undefined;
  const order = known.subarray(0, count).sort();
  return { low: decodeCell(feature, order[apart]!), high: decodeCell(feature, order.at(-1 - apart)!) };
}
