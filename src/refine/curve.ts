import { effectOf, GOAL_TOLERANCE, runningDivergence } from "../num/divergence.ts";
import { lastScored } from "./chain.ts";
import type { Chain, CurvePoint, GroupTarget, Problem } from "./contract.ts";

/** D ≤ (1 − level)·D₀, with the tolerance of the goal. */
export function allowedDivergence({ level }: GroupTarget, start: number): number {
  return (1 - level) * start + GOAL_TOLERANCE;
}

/** D after each edit of a walk (rows in the order they take their next cell), C = 0 … the length of the walk. */
export async function curveOf(
  problem: Problem,
  chains: readonly Chain[],
  walk: readonly number[],
): Promise<readonly CurvePoint[]> {
  const { group, work } = problem;
  const running = group ? groupDivergence(group, chains) : missedShare(chains);
  const at = new Int32Array(chains.length);
  const shown = new Int32Array(chains.length);
  const start = running.value();
  const points: CurvePoint[] = [{ C: 0, D: start, effect: effectOf(start, start) }];
  let D = start;
  for (let c = 0; c < walk.length; c++) {
    if (work.due()) await work.pause(c, walk.length);
    const row = walk[c]!;
    const next = lastScored(chains[row]!, ++at[row]!);
    if (next !== shown[row]) {
      running.move(row, shown[row]!, next);
      shown[row] = next;
      D = running.value();
    }
    points.push({ C: c + 1, D, effect: effectOf(start, D) });
  }
  return points;
}

interface Running {
  /** Row goes from one step of its chain to another. */
  move(row: number, from: number, to: number): void;
  value(): number;
}

function groupDivergence(group: GroupTarget, chains: readonly Chain[]): Running {
  const score = (row: number, t: number): number => group.value(chains[row]!.slack[t]!);
  const scored = chains.filter((chain) => !Number.isNaN(chain.slack[0]));
  const running = runningDivergence(
    group.divergence,
    scored.map((chain) => score(chain.row, 0)),
    group.desired,
  );
  return { move: (row, from, to) => running.move(score(row, from), score(row, to)), value: running.value };
}

/** The share of rows short of the target. */
function missedShare(chains: readonly Chain[]): Running {
  let missed = chains.reduce((count, chain) => count + 1 - chain.holds[0]!, 0);
  return {
    move(row, from, to) {
      missed += chains[row]!.holds[from]! - chains[row]!.holds[to]!;
    },
    value: () => missed / chains.length,
  };
}
