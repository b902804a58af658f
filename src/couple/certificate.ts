import type { Work } from "../budget.ts";
import type { Flow } from "./network-simplex.ts";
import { lower, lowest } from "./prices.ts";
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
  const { n, m, data, scale, alpha, beta } = problem;
  const seen = flow.v.length;
  const u = new Float64Array(n);
  const v = new Float64Array(m).fill(Number.POSITIVE_INFINITY);
  v.set(flow.v);
  const unseen = v.subarray(seen);
  let gap = 0;
  let e = 0;
  for (let i = 0; i < n; i++) {
    if (work.due()) await work.pause(n, n);
    const at = problem.at(i);
    const low = lowest(data, at, i < solved ? flow.v : v);
    u[i] = low;
    if (i < solved) lower(unseen, data, at + seen, low);
    for (; e < flow.rows.length && flow.rows[e] === i; e++) {
      const j = flow.cols[e]!;
      gap += (flow.units[e]! / total) * (data[at + j]! - v[j]! - low);
    }
  }
  return {
    u: u.map((w, i) => scale * w + alpha[i]!),
    v: v.map((w, j) => scale * w + beta[j]!),
    gap: scale * gap,
  };
}
