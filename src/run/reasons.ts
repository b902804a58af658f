import { insightOf } from "../attribute/structured.ts";
import { restrict } from "../data/metric.ts";
import { nearRows } from "../data/near-rows.ts";
import { protectedFeatures } from "../data/protected.ts";
import { hasLevels } from "../data/schema.ts";
import { contentOrder } from "../match/nearest.ts";
import { rowOf, takeRows } from "../num/matrix.ts";
import { sorted } from "../num/stats.ts";
import type { Feature, Matrix, Schema } from "../types.ts";
import type { AtTarget, ReasonRows, ReasonStudy } from "./contract.ts";

/**
 * Reasons against the real rows at the target nearest to x, each with the same weight. Constraints say what a person may
 * change, nothing about why the model decided: they move, choose and leave out none of these rows. Protected attributes do
 * not count in nearness: among rows that are alike in everything else, those at the target show whether one of them weighs.
 */
export const nearestReasons: ReasonRows = {
  open(study) {
    let known: Near | undefined;
    return async (run, model) => {
      const work = run.work.stage("attribute");
      known ??= amongRows(study, await study.targetRows("real", work));
      if (known.rows.rows === 0) return undefined;
      const inside = insightOf(model.encoding?.model ?? model, run.shown.output) !== undefined;
      return comparedWith(study.schema, known, run.x, inside ? NEAREST : NEAREST_OF_SCORES);
    };
  },
  protectedColumns(schema) {
    const hidden = protectedFeatures(schema);
    return schema.features.flatMap((feature, k) => (hidden.includes(feature) ? [k] : []));
  },
};

/** Rows at the target that one row is compared with: of models known only by their scores each costs up to 2^d of these. */
const [NEAREST, NEAREST_OF_SCORES] = [16, 4];

/** Rows at the target, and those nearest to one. */
interface Near {
  readonly rows: Matrix;
  of(x: Float64Array, count: number): Int32Array;
}

/** In the order of their content, so that ties do not depend on the order of the table. */
function amongRows({ schema, metric }: ReasonStudy, found: Matrix): Near {
  const rows = takeRows(found, contentOrder(found));
  const hidden = nearestReasons.protectedColumns(schema);
  const { use } = restrict(
    metric,
    schema.features.map((_, k) => Number(!hidden.includes(k))),
  );
  const nearest = nearRows(metric, rows);
  return { rows, of: (x, count) => nearest(use, x, Math.min(count, rows.rows)).sort() };
}

function comparedWith({ features }: Schema, { rows, of }: Near, x: Matrix, count: number): AtTarget {
  const near = Array.from({ length: x.rows }, (_, i) => of(rowOf(x, i), count));
  const used = [...new Set(near.flatMap((index) => Array.from(index)))].sort((a, b) => a - b);
  const place = new Map(used.map((row, j) => [row, j]));
  const entries = near.flatMap((index, i) => Array.from(index, (row) => [i, place.get(row)!] as const));
  const typicalIn = (index: Int32Array, feature: Feature, k: number): number =>
    typicalOf(
      feature,
      Array.from(index, (row) => rows.data[row * rows.cols + k]!),
    );
  return {
    references: takeRows(rows, used),
    spread: {
      ...{ name: "nearest", n: x.rows, m: used.length },
      rows: Int32Array.from(entries, ([i]) => i),
      cols: Int32Array.from(entries, ([, j]) => j),
      // Masses are not divided by the number of rows, so that each row's weights are the same bits in any company.
      mass: new Float64Array(entries.length).fill(1),
      ...{ cost: Number.NaN, gap: 0, converged: true, iterations: 0 },
    },
    typical: near.map((index) => Float64Array.from(features, (feature, k) => typicalIn(index, feature, k))),
  };
}

/** The lower median of numbers, the most frequent level; missing where most are. */
function typicalOf(feature: Feature, values: readonly number[]): number {
  const gaps = feature.missing ?? [];
  const known = sorted(values.filter((v) => !Number.isNaN(v) && !gaps.includes(v)));
  if (2 * known.length <= values.length) return Number.NaN;
  if (!hasLevels(feature) || feature.kind === "ordinal") return known[(known.length - 1) >> 1]!;
  const counts = new Map<number, number>();
  for (const v of known) counts.set(v, (counts.get(v) ?? 0) + 1);
  return [...counts].reduce((most, one) => (one[1] > most[1] ? one : most))[0];
}
