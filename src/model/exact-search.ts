import type { ExactQuestion, ExactSearch } from "../exact/contract.ts";

/** The search over all legal values of a model; undefined for one without bounds. It comes with the model. */
export function exactSearch(question: ExactQuestion): ExactSearch | undefined {
  const { model, reach } = question;
  const structure = (model.encoding?.model ?? model).structure?.(reach.primary);
  return structure?.kernels?.exact?.(question);
}
