import { statusOf } from "../match/plans.ts";
import { lastScored } from "./chain.ts";
import type { Chain, CurvePoint, Note, Problem, Selection } from "./contract.ts";
import { allowedDivergence, curveOf } from "./curve.ts";
import { prune } from "./prune.ts";

/**
 * Edits cells in one fixed order (each entry of `sequence` takes the next cell of a row), so that the plans for
 * C = 0, 1, 2, … are nested, and stops by the budget or the goal.
 */
export async function nested(
  problem: Problem,
  chains: readonly Chain[],
  sequence: readonly number[],
): Promise<Selection> {
  const ends = chains.map((chain) => endOf(problem, chain));
  const taken = new Int32Array(chains.length);
  const walk = sequence.filter((row) => taken[row]!++ < ends[row]!);
  const curve = await curveOf(problem, chains, walk);
  const cut = Math.min(problem.total, walk.length, stopOf(problem, curve));
  const at = new Int32Array(chains.length);
  for (let c = 0; c < cut; c++) at[walk[c]!]!++;
  const selected = chains.map((chain, i) => chain.members.slice(0, lastScored(chain, at[i]!)));
  const kept = problem.prune ? await prune(problem, selected) : selected;
  const notes = chains.map((chain, i) => noteOf(problem, chain, at[i]!, ends[i]!));
  return { ...inOrder(problem, walk.slice(0, cut), selected, kept), curve, notes };
}

/** Where a row's chain ends: with stop `goal`, at its first valid step (nowhere if there is none). */
function endOf({ stop, group }: Problem, chain: Chain): number {
  if (group || stop === "budget") return chain.members.length;
  return Math.max(0, chain.holds.indexOf(1));
}

/** The number of edits at which a group goal stops: where it is reached, else where the group comes nearest. */
function stopOf({ group, stop, total }: Problem, points: readonly CurvePoint[]): number {
  if (!group || stop === "budget") return Number.POSITIVE_INFINITY;
  const enough = allowedDivergence(group, points[0]!.D);
  const open = points.filter(({ C }) => C <= total);
  return (open.find(({ D }) => D <= enough) ?? open.reduce((a, b) => (b.D < a.D ? b : a))).C;
}

function noteOf({ group, perRow, pairs }: Problem, chain: Chain, at: number, end: number): Note {
  if (chain.error) return { status: statusOf(chain.error), reason: chain.error.message };
  if (group) return {};
  const first = chain.holds.indexOf(1);
  if (first >= 0 && first < at) {
    const reason = `the budget was spent past the target, which ${first} edits reach; give stop "goal".`;
    return { status: "budget", reason };
  }
  const spent = at < end || pairs[chain.row]!.gaps.length > perRow;
  return spent
    ? { status: "budget", reason: "the budget ran out before the row reached the target." }
    : {
        status: "infeasible",
        reason: "no step of the row's edits, in the order of the policy, reaches the target.",
      };
}

/** Players of each row and cells in the order they were chosen; pruned cells are left out. */
function inOrder(
  problem: Problem,
  walk: readonly number[],
  selected: readonly (readonly number[])[],
  kept: readonly (readonly number[])[],
): Pick<Selection, "edits" | "order"> {
  const { pairs, players } = problem;
  const next = new Int32Array(pairs.length);
  const order: number[] = [];
  for (const row of walk) {
    const member = selected[row]![next[row]!++];
    if (member === undefined || !kept[row]!.includes(member)) continue;
    order.push(row * players + pairs[row]!.pair.players[member]!);
  }
  const edits = kept.map((members, row) =>
    selected[row]!.filter((b) => members.includes(b)).map((b) => pairs[row]!.pair.players[b]!),
  );
  return { edits, order: Int32Array.from(order) };
}
