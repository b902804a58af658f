import { hasLevels } from "../../data/schema.ts";
import { distinctOf, sortedColumn } from "../../num/column.ts";
import { fromRows, rowOf } from "../../num/matrix.ts";
import { median, quantile } from "../../num/stats.ts";
import { number, oneOf } from "../../train/options.ts";
import type { Answer, Question } from "../ask.ts";
import { legalise } from "../moves.ts";
import type { Run } from "../run.ts";
import type { Row } from "../search.ts";

/** Undoing small changes after the search, as long as the row stays at the target. */
export interface PosthocOptions {
  /** How far to go back: step by step, by bisection, or not at all. */
  readonly posthoc?: "linear" | "binary" | "none";
  /** A change is small when it is below this quantile of the distances to the feature's median. Default 0.1. */
  readonly posthocQuantile?: number;
}

export const POSTHOC_RULES = {
  posthoc: oneOf<"linear" | "binary" | "none">("linear", "binary", "none"),
  posthocQuantile: number(0.1, 0, 1),
};

/** Values tried between the present value and x's. */
const STEPS = 32;

/**
 * Per feature the change that counts as small: min(quantile of |u − median u| over the distinct values u,
 * median |v − median v| over all v); 0 for features with levels and those that may not change.
 */
export async function smallChanges(run: Run, options: Required<PosthocOptions>): Promise<Float64Array> {
  const { references, constraints, side, vary } = run;
  const small = new Float64Array(references.cols);
  for (let k = 0; options.posthoc !== "none" && k < small.length; k++) {
    if (!vary[k] || hasLevels(constraints.schema.features[k]!)) continue;
    const values = sortedColumn(references, k);
    if (values.length === 0) continue;
    const distinct = distinctOf(values);
    const deviation = median(gaps(values, median(values)));
    const near = quantile(gaps(distinct, median(distinct)), options.posthocQuantile);
    small[k] = Math.min(near, deviation > 0 ? deviation : 1);
    if (side.due()) await side.pause(k, small.length);
  }
  return small;
}

const gaps = (values: Float64Array, centre: number): Float64Array => values.map((v) => Math.abs(v - centre));

/** Post-hoc sparsity of the rows a search found: features with the largest threshold first. */
export function* sparsen(
  run: Run,
  row: Row,
  rows: readonly Float64Array[],
  small: Float64Array,
  mode: "linear" | "binary" | "none",
): Generator<Question, Float64Array[], Answer> {
  const done: Float64Array[] = rows.map((z) => z.slice());
  if (mode === "none") return done;
  const features = row.moves.map(({ k }) => k).filter((k) => small[k]! > 0);
  features.sort((a, b) => small[b]! - small[a]! || a - b);
  for (let t = 0; t < done.length; t++) {
    for (const k of features) {
      const gap = Math.abs(done[t]![k]! - row.x[k]!);
      if (!(gap > 0 && gap <= small[k]!)) continue;
      const path = pathBack(run, row.x, done[t]!, k);
      done[t] = yield* mode === "linear" ? stepBack(done[t]!, path) : bisectBack(done[t]!, path);
    }
  }
  return done;
}

/** Legal rows from z towards x's value of feature k; the last one has x's value. */
function pathBack(run: Run, x: Float64Array, z: Float64Array, k: number): Float64Array[] {
  const { step } = run.constraints.domain(k, x[k]!);
  const gap = x[k]! - z[k]!;
  const count = Math.max(1, Math.min(STEPS, step > 0 ? Math.round(Math.abs(gap) / step) : STEPS));
  const path: Float64Array[] = [];
  let last = z[k]!;
  for (let t = 1; t <= count; t++) {
    const value = t === count ? x[k]! : legalise(run.constraints, k, z[k]! + (gap * t) / count, x[k]!);
    if (value === last) continue;
    path.push(z.with(k, value));
    last = value;
  }
  return path;
}

/** Goes back while every step on the way is valid; all steps are asked at once. */
function* stepBack(
  z: Float64Array,
  path: readonly Float64Array[],
): Generator<Question, Float64Array, Answer> {
  const answer = yield { rows: fromRows(path) };
  let reached = 0;
  while (reached < path.length && answer.valid[reached] === 1) reached++;
  return reached === 0 ? z : rowOf(answer.rows, reached - 1).slice();
}

/** Asks for x's own value first, then bisects between valid and invalid. */
function* bisectBack(
  z: Float64Array,
  path: readonly Float64Array[],
): Generator<Question, Float64Array, Answer> {
  let good = z;
  let low = 0;
  let high = path.length + 1;
  for (let at = path.length; low + 1 < high; at = (low + high) >> 1) {
    const answer = yield { rows: fromRows([path[at - 1]!]) };
    if (answer.valid[0] === 1) {
      good = rowOf(answer.rows, 0).slice();
      low = at;
    } else high = at;
  }
  return good;
}
