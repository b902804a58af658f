import type { PlanSearch } from "../exact/plan.ts";
import type { ExactQuestion } from "../types.ts";

/** The search over all legal values of a model; undefined for one without bounds. It comes with the model. */
export function exactSearch(question: ExactQuestion): PlanSearch | undefined {
  const { model, reach } = question;
  const scored = model.calibration?.model ?? model;
  const inner = (scored.encoding ?? scored.completed)?.model ?? scored;
  const output = model.calibration ? inner.outputs.length - 1 : reach.primary;
  const brought = inner.structure?.(output)?.kernels ?? inner.bound?.(output);
  return brought?.exact?.(question);
}
