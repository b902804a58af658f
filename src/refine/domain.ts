import { openModelKernel } from "../model/contract.ts";
import type { Problem } from "./contract.ts";

/**
 * The least number of edits with which *any* legal values bring a row to its target (model/linear-least.ts): a lower
 * bound that needs no references; Infinity when no edits suffice. Undefined where the model is not linear in one
 * margin or no domain is given.
 */
export function modelBound(problem: Problem): ((row: number) => number) | undefined {
  const { x, mix, players, options, rule } = problem;
  const { domain, allowed } = options;
  const [structure, ...more] = mix.inside?.structures ?? [];
  const { conditions } = mix.reach;
  if (!domain || !conditions || structure?.kind !== "linear" || more.length > 0) return undefined;
  const { leastEdits } = structure.kernels;
  if (!leastEdits) return undefined;
  const { cols, data } = x.rows;
  const { encode, players: encoded } = openModelKernel(mix.model, cols);
  return (row) => {
    return leastEdits(structure, conditions, rule.minMargin, problem.pairs[row]!.pair.from, {
      row: data.subarray(row * cols, (row + 1) * cols),
      players: mix.groups.map((columns, p) => (allowed && !allowed[row * players + p] ? [] : columns)),
      domain,
      allows: options.allows,
      encode,
      encoded,
    });
  };
}
