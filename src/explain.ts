import type { Explanation } from "./explanation.ts";
import { type ExplainInput, open } from "./run/open.ts";

/** x, f and the counterfactuals r of any generator become the few edits that carry the effect: Algorithm 1, once. */
export async function explain(input: ExplainInput): Promise<Explanation> {
  return open(input, input).ask(input, input);
}
