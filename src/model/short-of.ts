import { startWork } from "../budget.ts";
import type { Matrix, ModelLike, Target, WorkOptions } from "../types.ts";
import { asModel } from "./contract.ts";
import { scorer } from "./scorer.ts";
import { reachOf } from "./target.ts";

/** Indices of the first `count` rows that the model does not put at the target. */
export async function rowsShortOf(
  model: ModelLike,
  rows: Matrix,
  target: Target,
  count: number,
  work: WorkOptions = {},
): Promise<number[]> {
  const reach = reachOf(asModel(model), target);
  const ask = scorer(model, startWork("score", work));
  const scores: Float64Array[] = [];
  for (const output of reach.outputs) scores.push(await ask.score(rows, output));
  return Array.from({ length: rows.rows }, (_, i) => i)
    .filter((i) => !reach.reached(reach.slack(scores, i)))
    .slice(0, count);
}
