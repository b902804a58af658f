import type { Work } from "../budget.ts";
import type { Flow } from "./network-simplex.ts";
import { lowest } from "./prices.ts";
import type { Problem } from "./problem.ts";

/** u_i + v_j ≤ c_ij for all i, j, and what the plan costs above Σ a_i u_i + Σ b_j v_j. */
export interface Certificate {
  readonly u: Float64Array;
  readonly v: Float64Array;
  readonly gap: number;
}

/**
 * Makes column duals into a proof by one pass over all costs: u_i = min_j c'_ij − v_j, v_j = min_i c'_ij − u_i for the
 * columns no solver saw (weight zero, after the first `flow.v.length`), and gap = Σ p_ij (c'_ij − u_i − v_j), which
 * equals primal minus dual value without their cancellation. Duals come back in the units of the given costs.
 * Rows after the first `solved` are those of weight zero.
 */
export async function certificate(
  problem: Problem,
  flow: Flow,
  solved: number,
  total: number,
  work: Work,
): Promise<Certificate> {
  const { n, m, scale, alpha, beta } = problem;
  const seen = flow.v.length;
  const u = new Float64Array(n);
  const v = new Float64Array(m).fill(Number.POSITIVE_INFINITY);
  v.set(flow.v);
  let reader = problem.under(flow.v);
  let gap = 0;
  let e = 0;
  for (let i = 0; i < n; i++) {
    if (work.due()) await work.pause(n, n);
    if (i === solved) reader = problem.under(v);
    const low = lowest(reader, i, v);
    u[i] = low;
    for (let j = i < solved ? seen : m; j < m; j++) v[j] = Math.min(v[j]!, problem.cell(i, j) - low);
    for (; e < flow.rows.length && flow.rows[e] === i; e++) {
      const j = flow.cols[e]!;
      gap += (flow.units[e]! / total) * (problem.cell(i, j) - v[j]! - low);
    }
  }
  return {
    u: u.map((w, i) => scale * w + alpha[i]!),
    v: v.map((w, j) => scale * w + beta[j]!),
    gap: scale * gap,
  };
}
