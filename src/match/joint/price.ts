import type { Work } from "../../budget.ts";
import type { Matrix } from "../../types.ts";
import { assign } from "./assign.ts";
import type { Offer } from "./offers.ts";

/** What every row can get from the references it is offered; a row the model failed on is offered none and takes any. */
export interface Board {
  /** Effect of each row as it is. */
  readonly start: Float64Array;
  readonly offers: readonly (readonly Offer[])[];
  /** What is disliked about a row's reference, in [0, 1]: it decides among equals. */
  readonly ties: Matrix;
  /** How often a reference may be used. */
  readonly capacity: number;
}

/** The best coupling at some price of an edit. */
interface Priced {
  readonly partner: Int32Array;
  readonly edits: number;
  readonly effect: number;
  /** α·edits − β·effect is at most this much above the least. */
  readonly slop: number;
}

/** Weight of the ties among costs in edits. */
const TIES = 1e-6;

/** min over couplings and sets of α·Σ edits − β·Σ effects: each pair takes its own best set, then one assignment. */
export async function priced(board: Board, alpha: number, beta: number, work: Work): Promise<Priced> {
  if (work.due()) await work.pause(0, board.start.length);
  const { start, offers, ties, capacity } = board;
  const [n, m] = [ties.rows, ties.cols];
  const weight = TIES * (alpha > 0 ? alpha : TIES * beta);
  const taken = offers.map((row) => row.map((offer) => bestStep(offer, alpha, beta)));
  const costs = offers.map((row, i) =>
    row.map(({ sizes, effects }, t) => alpha * sizes[taken[i]![t]!]! - beta * effects[taken[i]![t]!]!),
  );
  const never = costBeyondAll(costs, n, weight);
  const cells = ties.data.map((d, at) => weight * d + (offers[Math.floor(at / m)]!.length > 0 ? never : 0));
  offers.forEach((row, i) => {
    row.forEach(({ reference }, t) => {
      cells[i * m + reference]! += costs[i]![t]! - never;
    });
  });
  const { partner, gap } = await assign({ data: cells, rows: n, cols: m }, capacity, work);
  let [edits, effect] = [0, 0];
  partner.forEach((j, i) => {
    const t = offers[i]!.findIndex((offer) => offer.reference === j);
    edits += t < 0 ? 0 : offers[i]![t]!.sizes[taken[i]![t]!]!;
    effect += t < 0 ? start[i]! : offers[i]![t]!.effects[taken[i]![t]!]!;
  });
  return { partner, edits, effect, slop: gap + weight * n };
}

/** The cost of a reference that is not offered: no saving of the other rows is worth it. */
function costBeyondAll(costs: readonly (readonly number[])[], n: number, weight: number): number {
  let [low, high] = [0, 0];
  for (const row of costs) {
    for (const cost of row) {
      if (cost < low) low = cost;
      if (cost > high) high = cost;
    }
  }
  return high + (n + 1) * (high - low + weight);
}

/** Among equals the fewest edits. */
function bestStep({ sizes, effects }: Offer, alpha: number, beta: number): number {
  let best = 0;
  const cost = (t: number): number => alpha * sizes[t]! - beta * effects[t]!;
  for (let t = 1; t < sizes.length; t++) if (cost(t) < cost(best)) best = t;
  return best;
}

interface Dual {
  /** No coupling of the board reaches the effect with fewer edits; Infinity: none reaches it at all. */
  readonly bound: number;
  /** The couplings met on the way. */
  readonly couplings: readonly Int32Array[];
}

const ROUNDS = 60;
/** Values of the dual closer than this are equal. */
const CLOSE = 1e-9;

/**
 * max over μ ≥ 0 of L(μ) = μ·T + min Σ_i (c_i − μ·G_{iσ(i)}(c_i)): the Lagrangian bound on the edits with which a
 * coupling reaches Σ effects ≥ T. L is concave and piecewise linear; every priced coupling (E edits, effect S) is a
 * line E + μ(T − S) above it, and the two lines that meet at the top are found by Kelley's cuts. Edits are
 * whole, so the bound is rounded up.
 */
export async function dual(board: Board, wanted: number, work: Work): Promise<Dual> {
  const most = await priced(board, 0, 1, work);
  const couplings = [most.partner];
  if (most.effect + most.slop < wanted) return { bound: Number.POSITIVE_INFINITY, couplings };
  let low = { edits: 0, effect: board.start.reduce((sum, e) => sum + e, 0) };
  if (low.effect >= wanted) return { bound: 0, couplings };
  let high: { edits: number; effect: number } = most;
  let bound = 0;
  for (let round = 0; round < ROUNDS && high.effect > low.effect; round++) {
    const mu = (high.edits - low.edits) / (high.effect - low.effect);
    if (!(mu > 0)) break;
    const met = await priced(board, 1, mu, work);
    couplings.push(met.partner);
    const value = met.edits + mu * (wanted - met.effect);
    bound = Math.max(bound, value - met.slop);
    if (value >= low.edits + mu * (wanted - low.effect) - CLOSE * (1 + mu)) break;
    if (met.effect >= wanted) high = met;
    else low = met;
  }
  return { bound: Math.ceil(bound - TIES), couplings };
}
