import { Heap } from "../num/heap.ts";
import { mean, sorted } from "../num/stats.ts";
import { chainsByWeight } from "./chain.ts";
import type { Chain, GroupTarget, Problem, Selection } from "./contract.ts";
import { nested } from "./nested.ts";

/**
 * Within a row the cells of largest φ̂ first; across rows what the model says. For the goal `each` the rows that
 * need fewest edits come first. For `group` always the row whose next edits lower its share of D most per
 * edit: the distance of its score from the quantile of y* it is paired with, or for MeanD the score itself.
 */
export async function greedy(problem: Problem): Promise<Selection> {
  return greedyAlong(problem, await chainsByWeight(problem));
}

/** What `greedy` takes of these chains. */
export function greedyAlong(problem: Problem, chains: readonly Chain[]): Promise<Selection> {
  const ordered = Array.from(problem.canonical, (row) => chains[row]!);
  const sequence = problem.group ? steepest(problem.group, ordered) : shortestFirst(ordered);
  return nested(problem, chains, sequence);
}

function shortestFirst(chains: readonly Chain[]): number[] {
  const need = (chain: Chain): number => {
    const first = chain.holds.indexOf(1);
    return first < 0 ? Number.POSITIVE_INFINITY : first;
  };
  const order = chains.toSorted((a, b) => (need(a) === need(b) ? 0 : need(a) - need(b)));
  return order.flatMap((chain) => chain.members.map(() => chain.row));
}

function steepest(group: GroupTarget, chains: readonly Chain[]): number[] {
  const shares = shareOfDivergence(group, chains);
  const at = new Int32Array(chains.length);
  const heap = new Heap(chains.length + 1);
  const push = (t: number): void => {
    const jump = bestJump(shares[t]!, at[t]!);
    if (jump) heap.push(-jump.rate, t);
  };
  for (let t = 0; t < chains.length; t++) push(t);
  const sequence: number[] = [];
  for (let t = heap.pop(); t >= 0; t = heap.pop()) {
    const { to } = bestJump(shares[t]!, at[t]!)!;
    for (; at[t]! < to; at[t]!++) sequence.push(chains[t]!.row);
    push(t);
  }
  return sequence;
}

/** The next stretch of a chain that lowers its share most per edit. */
function bestJump(share: Float64Array, from: number): { to: number; rate: number } | undefined {
  let best: { to: number; rate: number } | undefined;
  for (let to = from + 1; to < share.length; to++) {
    const rate = (share[from]! - share[to]!) / (to - from);
    if (!best || rate > best.rate) best = { to, rate };
  }
  return best;
}

/**
 * What each step of a chain contributes to D, with v_t(s) the value of row t after s of its edits. On a line the optimal
 * transport of Wp pairs sorted with sorted values, so row t of rank k among n is paired with the ((k + ½)/n)-quantile
 * y*_t of the desired ones: Σ_t |v_t(0) − y*_t| = n · W1 at the start. The pairing is kept while edits are spent, and the
 * share |v_t(s) − y*_t| is then an upper bound of the row's part in W1 (a better pairing may exist by then). For MeanD,
 * D = |Σ_t v_t(s_t)/n − mean y*|, so row t contributes v_t(s) itself, with the sign that brings the mean closer. Rows the
 * model fails on keep the last value it gave.
 */
function shareOfDivergence(group: GroupTarget, chains: readonly Chain[]): Float64Array[] {
  const first = chains.map((chain) => group.value(chain.slack[0]!));
  const scored = first.flatMap((v, t) => (Number.isNaN(v) ? [] : [t]));
  const order = scored.sort((a, b) => first[a]! - first[b]! || a - b);
  const desired = sorted(group.desired);
  const targets = new Float64Array(chains.length);
  order.forEach((t, rank) => {
    targets[t] = desired[Math.floor(((rank + 0.5) / order.length) * desired.length)]!;
  });
  const sign = mean(group.desired) >= mean(order.map((t) => first[t]!)) ? 1 : -1;
  return chains.map((chain, t) => {
    let last = first[t]!;
    return chain.slack.map((slack) => {
      if (!Number.isNaN(slack)) last = group.value(slack);
      return group.divergence === "mean" ? -sign * last : Math.abs(last - targets[t]!);
    });
  });
}
