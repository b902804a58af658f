import type { Work } from "../budget.ts";
import { isLimit } from "../errors.ts";
import type { Placed } from "../exact/plan.ts";
import { copyOf, rowOf, takeRows } from "../num/matrix.ts";
import type { Matrix, Model, Reach } from "../types.ts";
import { scorerKernel } from "./scorer.ts";
import { slackOf } from "./slack.ts";

/** Rows with these plans, and the model's answer for those it puts at the target; where it does not, they stay as they are. */
export async function placed(
  { model, reach, minMargin }: { readonly model: Model; readonly reach: Reach; readonly minMargin?: number },
  known: Matrix,
  plans: ReadonlyMap<number, { readonly z: Float64Array }>,
  work: Work,
): Promise<Placed> {
  const z = copyOf(known);
  const scored: Placed["scored"] = new Map();
  const rows = [...plans.keys()];
  if (rows.length === 0) return { z, scored };
  for (const [i, plan] of plans) z.data.set(plan.z, i * z.cols);
  try {
    const { shown, slack } = await slackOf(scorerKernel(model, work), takeRows(z, rows), reach);
    rows.forEach((i, t) => {
      if (reach.reached(slack[t]!, minMargin)) scored.set(i, { after: shown[t]!, slack: slack[t]! });
    });
  } catch (error) {
    if (!isLimit(error)) throw error;
  }
  for (const i of rows) if (!scored.has(i)) z.data.set(rowOf(known, i), i * z.cols);
  return { z, scored };
}
