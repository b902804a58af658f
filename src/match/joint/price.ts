import type { Work } from "../../budget.ts";
import type { Matrix } from "../../types.ts";
import { assign } from "./assign.ts";
import type { Offer } from "./offers.ts";

/** What every row can get from every reference it is offered; any other reference leaves it as it is. */
export interface Board {
  /** Effect of each row as it is. */
  readonly start: Float64Array;
  readonly offers: readonly (readonly Offer[])[];
  /** Distances of rows and references in [0, 1]: among equals the nearest is taken. */
  readonly near: Matrix;
  /** How often a reference may be used. */
  readonly capacity: number;
}

/** The best coupling at some price of an edit. */
export interface Priced {
  readonly partner: Int32Array;
  readonly edits: number;
  readonly effect: number;
  /** α·edits − β·effect is at most this much above the least. */
  readonly slop: number;
}

/** Weight of the distance among costs in edits. */
const NEAR = 1e-6;

/** min over couplings and sets of α·Σ edits − β·Σ effects: each pair takes its own best set, then one assignment. */
export async function priced(board: Board, alpha: number, beta: number, work: Work): Promise<Priced> {
  if (work.due()) await work.pause(0, board.start.length);
  const { start, offers, near, capacity } = board;
  const [n, m] = [near.rows, near.cols];
  const weight = NEAR * (alpha > 0 ? alpha : NEAR * beta);
  const costs = { data: near.data.map((d) => weight * d), rows: n, cols: m };
  const taken = offers.map((row) => row.map((offer) => bestStep(offer, alpha, beta)));
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < m; j++) costs.data[i * m + j]! -= beta * start[i]!;
    offers[i]!.forEach(({ reference, sizes, effects }, t) => {
      const step = taken[i]![t]!;
      costs.data[i * m + reference]! += alpha * sizes[step]! - beta * (effects[step]! - start[i]!);
    });
  }
  const { partner, gap } = await assign(costs, capacity, work);
  let [edits, effect] = [0, 0];
  partner.forEach((j, i) => {
    const t = offers[i]!.findIndex((offer) => offer.reference === j);
    edits += t < 0 ? 0 : offers[i]![t]!.sizes[taken[i]![t]!]!;
    effect += t < 0 ? start[i]! : offers[i]![t]!.effects[taken[i]![t]!]!;
  });
  return { partner, edits, effect, slop: gap + weight * n };
}

/** Among equals the fewest edits. */
function bestStep({ sizes, effects }: Offer, alpha: number, beta: number): number {
  let best = 0;
  const cost = (t: number): number => alpha * sizes[t]! - beta * effects[t]!;
  for (let t = 1; t < sizes.length; t++) if (cost(t) < cost(best)) best = t;
  return best;
}

export interface Dual {
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
  return { bound: Math.ceil(bound - NEAR), couplings };
}
