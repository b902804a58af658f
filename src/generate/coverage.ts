import { rowOf } from "../num/matrix.ts";
import { type Bins, costOf } from "./bins.ts";
import type { Generated } from "./contract.ts";
import type { Run } from "./run.ts";

/** How far a summary reaches: plain JSON. */
interface Coverage {
  /** Rows that were not at the target. */
  readonly affected: number;
  /** Share of them that have a counterfactual. */
  readonly coverage: number;
  /** What theirs cost on average, the cheapest of each row; null without any. */
  readonly meanCost: number | null;
  /** Share of the affected rows that get there at no more than this cost. */
  readonly profile: readonly { readonly cost: number; readonly coverage: number }[];
}

const POINTS = 50;

/** The coverage–cost profile of what was found, rows that were at the target before left out. */
export function coverageOf(run: Run, bins: readonly Bins[], generated: Generated): Coverage {
  const { rows, pairs, report } = generated;
  const before = new Set(report.details["alreadyAtTarget"] as readonly number[]);
  const counts = (status: string, i: number): boolean =>
    !before.has(i) && ["ok", "infeasible", "budget"].includes(status);
  const affected = report.status.filter(counts).length;
  const least = new Map<number, number>();
  pairs!.forEach((i, t) => {
    if (before.has(i)) return;
    const cost = costOf(run.constraints, bins, rowOf(run.x, i), rowOf(rows, t));
    least.set(i, Math.min(cost, least.get(i) ?? Number.POSITIVE_INFINITY));
  });
  const costs = Float64Array.from(least.values()).sort();
  const points = Math.min(costs.length, POINTS);
  const profile = Array.from({ length: points }, (_, p) => {
    const reached = Math.ceil(((p + 1) * costs.length) / points);
    return { cost: costs[reached - 1]!, coverage: reached / affected };
  });
  return {
    affected,
    coverage: affected > 0 ? costs.length / affected : 0,
    meanCost: costs.length > 0 ? costs.reduce((sum, cost) => sum + cost, 0) / costs.length : null,
    profile,
  };
}
