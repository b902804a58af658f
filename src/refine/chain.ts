import { isLimit } from "../errors.ts";
import { askModel } from "../match/ask.ts";
import { within } from "../match/option.ts";
import type { Chain, Problem } from "./contract.ts";
import { rankIn } from "./weights.ts";

/** Mixtures gathered before the model is asked. */
const CHUNK = 16_384;

/** The last step ≤ t whose row may be returned. */
export function lastScored(chain: Chain, t: number): number {
  let at = t;
  while (at > 0 && Number.isNaN(chain.slack[at])) at--;
  return at;
}

/**
 * Every row as a chain of edits by falling preference (`before(i, a, b)` < 0: member a of row i comes before
 * b), as long as it stays within `maxDistance` and the budget of a row; all steps scored in large batches.
 */
export async function chainsOf(
  problem: Problem,
  before: (row: number, a: number, b: number) => number,
): Promise<Chain[]> {
  const { pairs, start } = problem;
  const chains = pairs.map((_, row): Chain => {
    const members = Number.isNaN(start[row]) ? [] : membersOf(problem, row, before);
    const slack = new Float64Array(members.length + 1).fill(Number.NaN);
    slack[0] = start[row]!;
    return { row, members, slack, holds: new Uint8Array(members.length + 1) };
  });
  const { reach } = problem.mix;
  for (const chain of chains) chain.holds[0] = Number(reach.reached(chain.slack[0]!, problem.rule.minMargin));
  await scoreSteps(problem, chains);
  return chains;
}

/** Every row with its cells of largest φ̂ first. */
export function chainsByWeight(problem: Problem): Promise<Chain[]> {
  const rank = rankIn(problem);
  return chainsOf(problem, (row, a, b) => rank(row, a) - rank(row, b));
}

function membersOf(
  { pairs, rule, perRow }: Problem,
  row: number,
  before: (row: number, a: number, b: number) => number,
): number[] {
  const { gaps } = pairs[row]!;
  const members = Array.from(gaps, (_, b) => b).sort((a, b) => before(row, a, b) || a - b);
  let distance = 0;
  const near = members.filter((b) => {
    if (!within(distance + gaps[b]!, rule.maxDistance)) return false;
    distance += gaps[b]!;
    return true;
  });
  return near.slice(0, perRow);
}

async function scoreSteps(problem: Problem, chains: readonly Chain[]): Promise<void> {
  const steps = chains.flatMap((chain) => chain.members.map((_, t) => ({ chain, t: t + 1 })));
  for (let from = 0; from < steps.length; from += CHUNK) {
    const some = steps.slice(from, from + CHUNK);
    try {
      const answer = await askModel(
        problem,
        some.map(({ chain, t }) => ({
          pair: problem.pairs[chain.row]!.pair,
          members: chain.members.slice(0, t),
        })),
      );
      some.forEach(({ chain, t }, s) => {
        chain.slack[t] = answer.slack[s]!;
        chain.holds[t] = Number(answer.holds(s));
        const error = answer.failures.get(s);
        if (error) chain.error ??= error;
      });
    } catch (error) {
      if (!isLimit(error)) throw error;
      for (const { chain } of steps.slice(from)) chain.error ??= error;
      return;
    }
  }
}
