import { startWork } from "../budget.ts";
import type { Matrix, ModelLike, Target, WorkOptions } from "../types.ts";
import { scorer } from "./scorer.ts";
import { slackOf } from "./slack.ts";
import { reachOf } from "./target.ts";

/** Indices of the first `count` rows that the model does not put at the target. */
export async function rowsShortOf(
  model: ModelLike,
  rows: Matrix,
  target: Target,
  count: number,
  work: WorkOptions = {},
): Promise<number[]> {
  const ask = scorer(model, startWork("score", work));
  const reach = reachOf(ask.model, target);
  const { slack } = await slackOf(ask, rows, reach, true);
  return Array.from(slack.keys())
    .filter((i) => !reach.reached(slack[i]!))
    .slice(0, count);
}
