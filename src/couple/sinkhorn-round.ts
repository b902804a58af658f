import type { Work } from "../budget.ts";
import type { SemiDual } from "./sinkhorn-newton.ts";
import type { Entries, EntropicProblem } from "./sinkhorn-problem.ts";

/**
 * The plan without its negligible cells (together less than `tolerance`/1000 of each row), rows scaled back
 * to a. Column sums move by less than `tolerance`/500.
 */
export async function trimmed(
  plan: SemiDual,
  { a }: EntropicProblem,
  tolerance: number,
  work: Work,
): Promise<Entries> {
  const { n, m } = plan;
  const { start, cols, mass } = emptyEntries(plan, plan.start[n]!);
  let end = 0;
  for (let i = 0; i < n; i++) {
    const least = (a[i]! * tolerance) / (1000 * m);
    let sum = 0;
    for (let e = plan.start[i]!; e < plan.start[i + 1]!; e++) {
      const p = plan.mass[e]!;
      if (p < least) continue;
      sum += p;
      cols[end] = plan.cols[e]!;
      mass[end++] = p;
    }
    for (let e = start[i]!; e < end; e++) mass[e]! *= a[i]! / sum;
    start[i + 1] = end;
    if (work.due()) await work.pause(plan.passes, plan.passes);
  }
  return { start, cols: cols.slice(0, end), mass: mass.slice(0, end) };
}

/**
 * A plan with marginals a and b near P (after Altschuler, Weed & Rigollet 2017, algorithm 2): columns that
 * are too heavy are scaled down; what rows and columns then lack is filled in along the north-west corner
 * path, which adds at most n + m cells where their rank-one term would fill all.
 */
export function rounded(plan: SemiDual, { a, b }: EntropicProblem): Entries {
  const { n, m, columnSums } = plan;
  const { start, cols, mass } = emptyEntries(plan, plan.start[n]! + n + m);
  const scale = b.map((bj, j) => (columnSums[j]! > bj ? bj / columnSums[j]! : 1));
  const lackingColumns = b.map((bj, j) => Math.max(0, bj - columnSums[j]!));
  let end = 0;
  const put = (j: number, p: number): void => {
    if (p <= 0) return;
    cols[end] = j;
    mass[end++] = p;
  };
  let corner = 0;
  for (let i = 0; i < n; i++) {
    let e = plan.start[i]!;
    const last = plan.start[i + 1]!;
    const scaled = (): number => plan.mass[e]! * scale[plan.cols[e]!]!;
    let lacking = a[i]!;
    for (; e < last; e++) lacking -= scaled();
    e = plan.start[i]!;
    while (lacking > 0 && corner < m) {
      for (; e < last && plan.cols[e]! < corner; e++) put(plan.cols[e]!, scaled());
      const added = Math.min(lacking, lackingColumns[corner]!);
      put(corner, added + (plan.cols[e] === corner && e < last ? plan.mass[e++]! * scale[corner]! : 0));
      lacking -= added;
      lackingColumns[corner]! -= added;
      if (lackingColumns[corner]! > 0) break;
      corner++;
    }
    for (; e < last; e++) put(plan.cols[e]!, scaled());
    start[i + 1] = end;
  }
  return { start, cols: cols.slice(0, end), mass: mass.slice(0, end) };
}

function emptyEntries(plan: SemiDual, size: number): Entries {
  return { start: new Int32Array(plan.n + 1), cols: new Int32Array(size), mass: new Float64Array(size) };
}
