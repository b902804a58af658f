import type { Work } from "../budget.ts";
import { Augmenter } from "./augment.ts";
import { Market } from "./market.ts";
import { lowestPrices } from "./prices.ts";
import type { CostRows } from "./problem.ts";

/** One column per row, each column once, and the column duals that prove it optimal. */
interface Assignment {
  readonly col: Int32Array;
  readonly v: Float64Array;
  /** Bids and augmenting paths. */
  readonly iterations: number;
}

/** ε runs from a tenth of the mean cost above the column minima to 1/30 000 of it, a fifth at a time, … */
const FIRST_EPS = 10;
const LAST_EPS = 3e4;
const EPS_STEP = 5;
/** … but not below this share of the largest price, where rounding would swallow it. */
const LEAST_EPS = 2 ** -40;
/** Full scans per row beyond which ties have made short lists useless. */
const MAX_SCANS = 40;
/** Largest rounding of a price, as a share of the mean cost paid. */
const MAX_BLUR = 1e-12;
/** Rows the mean cost is taken over. */
const MEAN_ROWS = 64;
const BIDS_PER_LOOK = 16;

/**
 * min Σ_i c_{i,σ(i)} over permutations σ of the first n rows and columns (n ≥ 2): an ε-scaled auction (Bertsekas
 * 1988) finds prices v, then the assignment is made anew by row reduction and shortest augmenting paths (Jonker
 * & Volgenant 1987), which end with u_i + v_j ≤ c_ij and equality on the pairs. All three read short lists of
 * candidates. Undefined where ties make the lists useless, or where the prices are so much larger than the costs
 * paid that rounding blurs the choice; the network simplex minds neither.
 */
export async function assignment(rows: CostRows, n: number, work: Work): Promise<Assignment | undefined> {
  const market = new Market(rows, n);
  await lowestPrices(rows, n, market.v, work);
  market.lists.reader.priced();
  const mean = meanCost(rows, market.v);
  const last = Math.max(mean / LAST_EPS, LEAST_EPS * largest(market.v));
  for (let eps = mean / FIRST_EPS; eps >= last && eps > 0; eps /= EPS_STEP) {
    market.drop(eps);
    while (!market.bid(eps, BIDS_PER_LOOK)) {
      if (market.lists.scans > MAX_SCANS * n) return undefined;
      if (work.due()) await work.pause(0, n);
    }
  }
  await market.restart(work);
  await market.reduce(work);
  const paths = new Augmenter(rows, market);
  while (market.free.length > 0) {
    await paths.augment(market.free.pop()!, work);
    if (market.lists.scans > MAX_SCANS * n) return undefined;
  }
  if (blurred(market)) return undefined;
  return { col: market.col, v: market.v, iterations: market.bids + paths.count };
}

/** Whether the rounding of the largest price is more than a share of the mean cost paid. */
function blurred({ v, paid, n }: Market): boolean {
  const mean = paid.reduce((sum, c) => sum + Math.abs(c), 0) / n;
  return mean > 0 && Number.EPSILON * largest(v) > MAX_BLUR * mean;
}

/** The mean of c_ij − v_j over some rows spread evenly. */
function meanCost(rows: CostRows, v: Float64Array): number {
  const step = Math.ceil(v.length / MEAN_ROWS);
  let sum = 0;
  let count = 0;
  for (let i = 0; i < v.length; i += step) {
    for (let j = 0; j < v.length; j++) sum += rows.cell(i, j) - v[j]!;
    count += v.length;
  }
  return sum / count;
}

function largest(values: Float64Array): number {
  return values.reduce((most, w) => Math.max(most, Math.abs(w)), 0);
}
