import type { Work } from "../budget.ts";
import { assignment } from "./assignment.ts";
import { type Certificate, certificate } from "./certificate.ts";
import { byCell } from "./expand.ts";
import { type Flow, networkSimplex } from "./network-simplex.ts";
import type { Problem } from "./problem.ts";

/** A flow, its proof, and c_ij as it was given. */
export interface Solved {
  readonly flow: Flow;
  readonly proof: Certificate;
  cost(i: number, j: number): number;
}

/** Share of repeated costs from which short lists are useless (a sample of `TIE_SAMPLE` costs decides). */
const MANY_TIES = 0.2;
const TIE_SAMPLE = 1024;
const TIE_STRIDE = 7919;
/** Costs this close, relatively, are repeats. */
const TIE_WIDTH = 1e-5;
/** Bytes a row or column takes in either solver. */
const LIST_BYTES = 320;

/**
 * Solves between the rows and columns that have units (these come first), and proves it over all. Which solver:
 * - points on a line never come here: sorted with sorted is optimal for a convex cost (`oneDimension`, transport.ts);
 * - as many rows as columns, all of the same units: an assignment by auction over short lists of near columns, finished
 *   by shortest augmenting paths (`assignment`). A vertex of the transport polytope is then a permutation;
 * - unless more than a fifth of a sample of costs repeat others: an auction among tied bidders raises prices by ε at a
 *   time, so ties go to the network simplex, as does everything else (n ≠ m, weights, merged duplicates).
 * Whichever it was, `certificate` checks u_i + v_j ≤ c_ij over all pairs afterwards: the gap is proven, not believed.
 */
export async function solve(
  problem: Problem,
  supply: Float64Array,
  demand: Float64Array,
  total: number,
  work: Work,
): Promise<Solved> {
  const rows = supply.filter((s) => s > 0);
  const cols = demand.filter((d) => d > 0);
  work.reserve(LIST_BYTES * (supply.length + demand.length), "the short lists");
  const flow =
    (await assigned(problem, rows, cols, work)) ?? (await networkSimplex(problem, rows, cols, work));
  return {
    flow,
    proof: await certificate(problem, flow, rows.length, total, work),
    cost: problem.cost,
  };
}

/** The plan as an assignment, where it is one and ties do not forbid the solver. */
async function assigned(
  problem: Problem,
  supply: Float64Array,
  demand: Float64Array,
  work: Work,
): Promise<Flow | undefined> {
  const n = supply.length;
  const isAssignment = n > 1 && demand.length === n && allEqual(supply) && allEqual(demand);
  if (!isAssignment || tied(problem, n)) return undefined;
  const found = await assignment(problem, n, work);
  if (found === undefined) return undefined;
  return {
    rows: Int32Array.from(supply.keys()),
    cols: found.col,
    units: supply,
    v: found.v,
    iterations: found.iterations,
  };
}

/** Whether many of the costs between the first n rows and columns repeat. */
function tied(problem: Problem, n: number): boolean {
  const size = Math.min(TIE_SAMPLE, n * n);
  const sample = Float64Array.from({ length: size }, (_, t) =>
    problem.cost(Math.floor((t * n) / size), (t * TIE_STRIDE) % n),
  ).sort();
  let repeats = 0;
  for (let t = 1; t < size; t++)
    if (sample[t]! - sample[t - 1]! <= TIE_WIDTH * Math.abs(sample[t]!)) repeats++;
  return repeats > MANY_TIES * size;
}

/** The same between columns and rows. */
export function transposed({ flow, proof, cost }: Solved): Solved {
  const order = byCell(flow.cols, flow.rows);
  return {
    flow: {
      rows: order.map((e) => flow.cols[e]!),
      cols: order.map((e) => flow.rows[e]!),
      units: Float64Array.from(order, (e) => flow.units[e]!),
      v: proof.u,
      iterations: flow.iterations,
    },
    proof: { u: proof.v, v: proof.u, gap: proof.gap },
    cost: (i, j) => cost(j, i),
  };
}

export function allEqual(values: Float64Array): boolean {
  return values.every((v) => v === values[0]);
}
