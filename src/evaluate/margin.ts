import { startWork } from "../budget.ts";
import { asModel } from "../model/contract.ts";
import { scorer } from "../model/scorer.ts";
import { reachOf } from "../model/target.ts";
import { checkMatrix } from "../num/matrix.ts";
import type { Matrix, ModelLike, Target, WorkOptions } from "../types.ts";

/** How far past the target's edge the model puts each row; negative when short of it. */
export async function margin(
  model: ModelLike,
  rows: Matrix,
  target: Target,
  options: WorkOptions = {},
): Promise<Float64Array> {
  checkMatrix("margin", "rows", rows);
  const reach = reachOf(asModel(model), target);
  const { score } = scorer(model, startWork("margin", options));
  const scores: Float64Array[] = [];
  for (const output of reach.outputs) scores.push(await score(rows, output));
  return Float64Array.from({ length: rows.rows }, (_, i) => reach.slack(scores, i));
}
