import { isLimit } from "../errors.ts";
import { askModel } from "../match/ask.ts";
import { isNear } from "../match/option.ts";
import type { SetTable } from "../match/table.ts";
import { chainsByWeight } from "./chain.ts";
import type { Problem } from "./contract.ts";
import { greedyAlong } from "./greedy.ts";

interface Found {
  readonly members: readonly number[];
  readonly slack: number;
}

/**
 * Tables that end before the whole pair, with longer sets besides: the row's cells of largest φ̂ (what `top` and
 * `greedy` would take, and what `greedy` leaves of them when it prunes), and the best set of the last size grown by
 * whatever member the model likes best (`sign`: whether high scores are wanted). `enough(t)`: no longer sets are
 * wanted for rows[t].
 */
export async function longerSets(
  problem: Problem,
  rows: readonly number[],
  tables: readonly SetTable[],
  sign: 1 | -1,
  enough: (t: number) => boolean,
): Promise<readonly SetTable[]> {
  const last = (t: number): number => Math.min(problem.perRow, problem.pairs[rows[t]!]!.gaps.length);
  const open = rows.map((_, t) => t).filter((t) => tables[t]!.exhausted < last(t) && !enough(t));
  if (open.length === 0) return tables;
  const found = new Map<number, Found[]>(open.map((t) => [t, []]));
  try {
    if (problem.weights) await byAttribution(problem, rows, tables, found);
    await byModel(problem, rows, tables, sign, found);
  } catch (error) {
    if (!isLimit(error)) throw error;
  }
  return tables.map((table, t) => joined(table, found.get(t) ?? []));
}

async function byAttribution(
  problem: Problem,
  rows: readonly number[],
  tables: readonly SetTable[],
  found: ReadonlyMap<number, Found[]>,
): Promise<void> {
  const chains = await chainsByWeight(problem);
  for (const [t, sets] of found) {
    const { members, slack } = chains[rows[t]!]!;
    for (let size = tables[t]!.exhausted + 1; size <= members.length; size++) {
      sets.push({ members: members.slice(0, size).sort((a, b) => a - b), slack: slack[size]! });
    }
  }
  const { edits } = await greedyAlong({ ...problem, prune: true }, chains);
  const kept = [...found.keys()].flatMap((t) => {
    const { pair } = problem.pairs[rows[t]!]!;
    const members = edits[rows[t]!]!.map((p) => pair.players.indexOf(p)).sort((a, b) => a - b);
    return members.length > tables[t]!.exhausted ? [{ t, pair, members }] : [];
  });
  const { slack } = await askModel(problem, kept);
  kept.forEach(({ t, members }, at) => {
    found.get(t)!.push({ members, slack: slack[at]! });
  });
}

/** One member more for every row at a time. */
async function byModel(
  problem: Problem,
  rows: readonly number[],
  tables: readonly SetTable[],
  sign: 1 | -1,
  found: ReadonlyMap<number, Found[]>,
): Promise<void> {
  const { pairs, rule, perRow } = problem;
  let grown = [...found.keys()].flatMap((t) => {
    const best = bestOf(tables[t]!, sign);
    return best ? [{ t, members: best }] : [];
  });
  while (grown.length > 0) {
    const steps = grown.flatMap(({ t, members }) => {
      const weighed = pairs[rows[t]!]!;
      if (members.length >= Math.min(perRow, weighed.gaps.length)) return [];
      return Array.from(weighed.gaps, (_, b) => b)
        .filter((b) => !members.includes(b))
        .map((b) => [...members, b].sort((x, y) => x - y))
        .filter((own) => isNear(rule, weighed, own))
        .map((own) => ({ t, pair: weighed.pair, members: own }));
    });
    const next = new Map<number, Found>();
    const { slack } = await askModel(problem, steps);
    steps.forEach(({ t, members }, s) => {
      const held = next.get(t)?.slack ?? Number.NaN;
      if (Number.isNaN(slack[s]) || sign * held >= sign * slack[s]!) return;
      next.set(t, { members, slack: slack[s]! });
    });
    for (const [t, set] of next) found.get(t)!.push(set);
    grown = Array.from(next, ([t, { members }]) => ({ t, members }));
  }
}

/** Of the sets of the last size the table exhausts, the one with the best slack. */
function bestOf({ sizes, slack, members, exhausted }: SetTable, sign: 1 | -1): readonly number[] | undefined {
  let best = -1;
  slack.forEach((s, at) => {
    if (sizes[at] !== exhausted || Number.isNaN(s)) return;
    if (best < 0 || sign * s > sign * slack[best]!) best = at;
  });
  return best < 0 ? undefined : members(best);
}

function joined(table: SetTable, more: readonly Found[]): SetTable {
  if (more.length === 0) return table;
  const count = table.slack.length;
  return {
    ...table,
    sizes: Uint16Array.from([...table.sizes, ...more.map(({ members }) => members.length)]),
    slack: Float64Array.from([...table.slack, ...more.map(({ slack }) => slack)]),
    members: (at) => (at < count ? table.members(at) : more[at - count]!.members),
  };
}
