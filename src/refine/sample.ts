import { rowKeys, stream } from "../num/random.ts";
import { chainsOf } from "./chain.ts";
import type { Problem, Selection } from "./contract.ts";
import { nested } from "./nested.ts";
import { sideBySide } from "./problem.ts";
import { sequenceBy, weightsOf } from "./weights.ts";

/**
 * Line 7 of Algorithm 1: cells without replacement with probabilities φ̂ (successive sampling). A cell gets the
 * key E/φ̂, E exponential, and cells are taken by rising key, which is the same law in one pass and nested in
 * C. Cells with φ̂ = 0 follow all others in the order of their E; with φ̂ = 0 everywhere this is uniform. E comes
 * from a stream of the row's content and the player, so permuting rows permutes the draw.
 */
export async function sample(problem: Problem): Promise<Selection> {
  const weight = weightsOf(problem);
  const draws = drawsOf(problem);
  const key = (row: number, member: number): number => {
    const [w, e] = [weight(row, member), draws[row]![member]!];
    // 2^1000 · E is beyond every E/φ̂ of a positive weight and keeps the order of E.
    return w > 0 ? Math.min(e / w, 2 ** 999) : 2 ** 1000 * (1 + e);
  };
  const chains = await chainsOf(problem, (row, a, b) => key(row, a) - key(row, b));
  return nested(problem, chains, sequenceBy(chains, key));
}

function drawsOf({ x, q, pairs, options }: Problem): Float64Array[] {
  const { seed = 0, ids } = options;
  const keys = ids ?? rowKeys(sideBySide(x.rows, q.rows));
  return pairs.map(({ pair }, row) => {
    const own = stream(seed, "refine", "sample", keys[row]!);
    return Float64Array.from(pair.players, (player) => own.split(player).exponential());
  });
}
