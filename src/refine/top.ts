import { chainsOf } from "./chain.ts";
import type { Problem, Selection } from "./contract.ts";
import { nested } from "./nested.ts";
import { sequenceBy, weightsOf } from "./weights.ts";

/** Weights that agree to twelve decimals are tied. */
const TIE = 1e12;

/**
 * The cells of largest φ̂ first, over the whole matrix; ties by row, then by player. Only cells with q ≠ x are
 * edited.
 */
export async function top(problem: Problem): Promise<Selection> {
  const weight = weightsOf(problem);
  const key = (row: number, member: number): number => -Math.round(weight(row, member) * TIE);
  const chains = await chainsOf(problem, (row, a, b) => key(row, a) - key(row, b));
  return nested(problem, chains, sequenceBy(chains, key));
}
