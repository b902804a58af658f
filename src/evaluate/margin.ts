import { startWork } from "../budget.ts";
import { scorer } from "../model/scorer.ts";
import { slackOf } from "../model/slack.ts";
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
  const ask = scorer(model, startWork("margin", options));
  return (await slackOf(ask, rows, reachOf(ask.model, target), true)).slack;
}
