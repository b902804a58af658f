import { chainsByWeight } from "./chain.ts";
import type { Problem, Selection } from "./contract.ts";
import { nested } from "./nested.ts";
import { rankOf, sequenceBy } from "./weights.ts";

/**
 * The cells of largest φ̂ first, over the whole matrix; ties by row, then by player. Only cells with q ≠ x are
 * edited.
 */
export async function top(problem: Problem): Promise<Selection> {
  const chains = await chainsByWeight(problem);
  return nested(problem, chains, sequenceBy(chains, rankOf(problem)));
}
