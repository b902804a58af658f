import type { Work } from "../budget.ts";
import { firstTree } from "./first-tree.ts";
import { lowestPrices } from "./prices.ts";
import type { CostRows } from "./problem.ts";
import type { Reader } from "./reader.ts";
import { ShortLists } from "./short-list.ts";
import type { SpanningTree } from "./spanning-tree.ts";

/** A sparse flow sorted by row, then column, and the column duals that prove it optimal. */
export interface Flow {
  readonly rows: Int32Array;
  readonly cols: Int32Array;
  readonly units: Float64Array;
  readonly v: Float64Array;
  readonly iterations: number;
}

/** Columns on the list of a row. */
const LISTED = 16;
/** Arcs priced before the best of them enters, as a share of √(nm). */
const BLOCK = 0.25;
/** Rows read anew, as a share of n, when no listed arc is left that could enter. */
const REFRESH = 0.25;
const PIVOTS_PER_LOOK = 16;
/** Rows for each column from which on there are many: lists are as long, and prices come from one row in so many. */
const [MANY, FEW_LISTED, STEP] = [64, 8, 8];

/**
 * min Σ f_ij c_ij with Σ_j f_ij = supply_i and Σ_i f_ij = demand_j (whole, positive, of equal sums), over the
 * first rows and columns of `rows`: the primal network simplex on a spanning tree. Only arcs on the short lists
 * of the rows are priced; lists are renewed when they run dry, and n rows read in a row without a negative
 * reduced cost end the search. An arc enters only if its reduced cost is negative beyond rounding.
 */
export async function networkSimplex(
  rows: CostRows,
  supply: Float64Array,
  demand: Float64Array,
  work: Work,
): Promise<Flow> {
  const n = supply.length;
  const v = await firstPrices(rows, supply, demand, work);
  const lists = new ShortLists(rows, n, v, areMany(n, v.length) ? FEW_LISTED : LISTED);
  const tree = await firstTree(rows, supply, demand, lists, v, work);
  const pricing = new Pricing(tree, lists, v);
  let pivots = 0;
  for (let steps = 1; ; steps++) {
    if (steps % PIVOTS_PER_LOOK === 0 && work.due()) await work.pause(pricing.mostClean, n);
    const arc = pricing.next();
    if (arc >= 0) {
      tree.pivot(Math.floor(arc / lists.size), n + lists.cols[arc]!, lists.costs[arc]!);
      pivots++;
    } else if (await pricing.renew(work)) return flowOf(tree, pivots);
  }
}

const areMany = (rows: number, cols: number): boolean => rows >= MANY * cols;

/**
 * Column prices to start from: v_j = min_i c_ij or, where rows are many more than columns, the duals of the same problem
 * between every eighth row and the columns, which are close to those of all.
 */
async function firstPrices(
  rows: CostRows,
  supply: Float64Array,
  demand: Float64Array,
  work: Work,
): Promise<Float64Array> {
  const some = supply.filter((_, i) => i % STEP === 0);
  const [sum, total] = [some, demand].map((units) => units.reduce((all, s) => all + s, 0)) as [
    number,
    number,
  ];
  if (!areMany(supply.length, demand.length) || sum * total > Number.MAX_SAFE_INTEGER) {
    const v = new Float64Array(demand.length);
    await lowestPrices(rows, supply.length, v, work);
    return v;
  }
  const fewer: CostRows = {
    n: some.length,
    m: rows.m,
    cell: (i, j) => rows.cell(STEP * i, j),
    under: (v) => thinned(rows.under(v)),
  };
  const { v } = await networkSimplex(
    fewer,
    some.map((units) => units * total),
    demand.map((units) => units * sum),
    work,
  );
  return v;
}

/** Every eighth row of what a reader reads. */
function thinned(reader: Reader): Reader {
  const { cols, costs } = reader;
  return {
    cols,
    costs,
    near: (i, limit, count) => reader.near(STEP * i, limit, count),
    priced: (j) => reader.priced(j),
  };
}

/** Finds arcs whose reduced cost c_ij − u_i − v_j is negative. */
class Pricing {
  /** Most rows in a row read without finding such an arc. */
  mostClean = 0;
  private clean = 0;
  private cursor = 0;
  private reader = 0;
  private readonly block: number;

  constructor(
    private readonly tree: SpanningTree,
    private readonly lists: ShortLists,
    /** Column potentials as the lists see them. */
    private readonly v: Float64Array,
  ) {
    this.block = Math.max(1, Math.round((BLOCK * Math.sqrt(tree.n * tree.m)) / lists.size));
  }

  /** The most negative listed arc of the next block that has one, as an index into the lists; −1 if none has. */
  next(): number {
    const { block } = this;
    const { n, potential, parent, cost } = this.tree;
    const { cols, costs, size } = this.lists;
    let best = 0;
    let arc = -1;
    let i = this.cursor;
    for (let looked = 1; looked <= n; looked++) {
      const u = cost[i]! - potential[parent[i]!]!;
      for (let t = i * size, end = t + size; t < end; t++) {
        const reduced = costs[t]! - u - potential[n + cols[t]!]!;
        if (reduced < best && this.beyondRounding(reduced, u, i, t)) {
          best = reduced;
          arc = t;
        }
      }
      if (++i === n) i = 0;
      if (arc >= 0 && looked % block === 0) break;
    }
    this.cursor = i;
    if (arc >= 0) this.clean = 0;
    return arc;
  }

  /** Reads a share of the rows anew. True when all have been read since an arc last entered or could have. */
  async renew(work: Work): Promise<boolean> {
    const { tree, lists, v } = this;
    const { n } = tree;
    v.set(tree.potential.subarray(n));
    lists.reader.priced();
    for (let left = Math.ceil(REFRESH * n); left > 0; left--) {
      if (work.due()) await work.pause(this.mostClean, n);
      const i = this.reader;
      lists.scan(i);
      this.reader = i + 1 === n ? 0 : i + 1;
      this.clean = this.negative(i) ? 0 : this.clean + 1;
      this.mostClean = Math.max(this.mostClean, this.clean);
      if (this.clean >= n) return true;
    }
    return false;
  }

  /** Whether the list of row i, just renewed, holds an arc that may enter. */
  private negative(i: number): boolean {
    const { n, potential, parent, cost } = this.tree;
    const { cols, costs, size } = this.lists;
    const u = cost[i]! - potential[parent[i]!]!;
    for (let t = i * size, end = t + size; t < end; t++) {
      const reduced = costs[t]! - u - potential[n + cols[t]!]!;
      if (reduced < 0 && this.beyondRounding(reduced, u, i, t)) return true;
    }
    return false;
  }

  private beyondRounding(reduced: number, u: number, i: number, t: number): boolean {
    const { n, slack, parent } = this.tree;
    const own = 2 ** -52 * (Math.abs(this.lists.costs[t]!) + 2 * Math.abs(u));
    return -reduced > slack[parent[i]!]! + slack[n + this.lists.cols[t]!]! + own;
  }
}

function flowOf(tree: SpanningTree, iterations: number): Flow {
  const { n, m, parent, flow } = tree;
  const used = Array.from({ length: n + m }, (_, k) => k).filter((k) => parent[k]! >= 0 && flow[k]! > 0);
  const rowOf = (k: number): number => (k < n ? k : parent[k]!);
  const colOf = (k: number): number => (k < n ? parent[k]! : k) - n;
  used.sort((a, b) => rowOf(a) - rowOf(b) || colOf(a) - colOf(b));
  return {
    rows: Int32Array.from(used, rowOf),
    cols: Int32Array.from(used, colOf),
    units: Float64Array.from(used, (k) => flow[k]!),
    v: tree.potential.slice(n),
    iterations,
  };
}
