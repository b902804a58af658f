import { isLimit } from "../errors.ts";
import { askModel } from "../match/ask.ts";
import { divergences, runningDivergence } from "../num/divergence.ts";
import type { Problem } from "./contract.ts";
import { allowedDivergence } from "./curve.ts";

/**
 * Drops edits the goal does not need, last chosen first: in each round every row offers its next edit, all are
 * scored in one batch, and an edit is dropped if its row (for `group`: D) is still at the goal without it. Rows
 * and groups that are not at the goal keep their edits.
 */
export async function prune(
  problem: Problem,
  selected: readonly (readonly number[])[],
): Promise<readonly (readonly number[])[]> {
  const kept = selected.map((members) => [...members]);
  try {
    const judge = await judgeOf(problem, kept);
    const longest = selected.reduce((most, members) => Math.max(most, members.length), 0);
    for (let back = 1; back <= longest; back++) await dropRound(problem, selected, back, kept, judge);
  } catch (error) {
    // What a limit leaves unpruned is still a plan.
    if (!isLimit(error)) throw error;
  }
  return kept;
}

/** Every row offers the edit it chose `back` steps from the end. */
async function dropRound(
  problem: Problem,
  selected: readonly (readonly number[])[],
  back: number,
  kept: number[][],
  judge: Judge,
): Promise<void> {
  const rows = Array.from(problem.canonical).filter((i) => selected[i]!.length >= back && judge.open(i));
  if (rows.length === 0) return;
  const trial = rows.map((i) => kept[i]!.filter((b) => b !== selected[i]!.at(-back)));
  const answer = await askModel(
    problem,
    rows.map((i, t) => ({ pair: problem.pairs[i]!.pair, members: trial[t]! })),
  );
  rows.forEach((i, t) => {
    const slack = answer.slack[t]!;
    if (!Number.isNaN(slack) && judge.drops(i, slack, answer.holds(t))) kept[i] = trial[t]!;
  });
}

interface Judge {
  /** Is this row worth trying? */
  open(row: number): boolean;
  /** May the row become one with this slack? If so, it does. */
  drops(row: number, slack: number, holds: boolean): boolean;
}

async function judgeOf(problem: Problem, kept: readonly (readonly number[])[]): Promise<Judge> {
  const answer = await askModel(
    problem,
    kept.map((members, i) => ({ pair: problem.pairs[i]!.pair, members })),
  );
  const { group } = problem;
  if (!group) return { open: (row) => answer.holds(row), drops: (_row, _slack, holds) => holds };
  const values = (slack: Float64Array): number[] =>
    Array.from(slack, group.value).filter((v) => !Number.isNaN(v));
  const start = divergences[group.divergence](values(problem.start), group.desired);
  const running = runningDivergence(group.divergence, values(answer.slack), group.desired);
  const enough = allowedDivergence(group, start);
  const reached = running.value() <= enough;
  const now = answer.slack.map(group.value);
  return {
    open: (row) => reached && !Number.isNaN(now[row]),
    drops(row, slack) {
      const [from, to] = [now[row]!, group.value(slack)];
      running.move(from, to);
      const fits = running.value() <= enough;
      if (fits) now[row] = to;
      else running.move(to, from);
      return fits;
    },
  };
}
