import type { Work } from "../budget.ts";
import { type Metric, restrict } from "../data/metric.ts";
import { nearRows } from "../data/near-rows.ts";
import { protectedFeatures } from "../data/protected.ts";
import { hasLevels } from "../data/schema.ts";
import { contentOrder } from "../match/nearest.ts";
import type { Reach } from "../model/target.ts";
import { takeRows } from "../num/matrix.ts";
import { sorted } from "../num/stats.ts";
import type { Feature, Matrix, Model, Schema } from "../types.ts";
import { rowsAtTarget } from "./near.ts";

/** What rows at the target are looked for in. */
export interface ReasonStudy {
  readonly model: Model;
  readonly reach: Reach;
  readonly schema: Schema;
  /** Real rows, as they are: no constraint has moved them. */
  readonly table: Matrix;
  /** Over all features. */
  readonly metric: Metric;
}

/** The rows at the target that are most like a row, and what is typical of them. */
export interface AtTarget {
  readonly rows: Matrix;
  /** The `count` nearest, each with the same weight. */
  near(x: Float64Array, count: number): { readonly index: Int32Array; readonly typical: Float64Array };
}

/** What reasons are measured against instead of the coupled references: brought by whoever wants it (`nearestReasons`). */
export interface ReasonRows {
  open(study: ReasonStudy): (work: Work) => Promise<AtTarget>;
}

/**
 * Reasons against the real rows at the target nearest to x. Constraints say what a person may
 * change, nothing about why the model decided: they move, choose and leave out none of these rows. Protected attributes do
 * not count in nearness: among rows that are alike in everything else, those at the target show whether one of them weighs.
 */
export const nearestReasons: ReasonRows = {
  open(study) {
    let known: AtTarget | undefined;
    return async (work) => {
      known ??= amongRows(study, await rowsAtTarget(study.model, study.reach, study.table, work));
      return known;
    };
  },
};

/** In the order of their content, so that ties do not depend on the order of the table. */
function amongRows({ schema, metric }: ReasonStudy, found: Matrix): AtTarget {
  const rows = takeRows(found, contentOrder(found));
  const hidden = protectedFeatures(schema);
  const open = schema.features.map((feature) => Number(!hidden.includes(feature)));
  const { use } = restrict(metric, open);
  const nearest = nearRows(metric, rows);
  return {
    rows,
    near(x, count) {
      const index = nearest(use, x, Math.min(count, rows.rows)).sort();
      const typical = schema.features.map((feature, k) =>
        typicalOf(
          feature,
          Array.from(index, (i) => rows.data[i * rows.cols + k]!),
        ),
      );
      return { index, typical: Float64Array.from(typical) };
    },
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
