import type { Work } from "../budget.ts";
import { Heap } from "../num/heap.ts";
import type { Market } from "./market.ts";
import type { CostRows } from "./problem.ts";

const POPS_PER_LOOK = 64;

/**
 * Shortest augmenting paths over reduced costs (Dijkstra). Reaching a row relaxes its short list only and puts
 * the row itself into the heap at the list's limit: when that comes up first, the row is read in full.
 */
export class Augmenter {
  /** Paths found. */
  count = 0;
  private readonly distance: Float64Array;
  private readonly from: Int32Array;
  /** 2·count + 1 where reached, 2·count + 2 where settled by the current path. */
  private readonly mark: Int32Array;
  /** distance of row i minus u_i. */
  private readonly base: Float64Array;
  private readonly heap = new Heap(1024);
  private bound = 0;

  constructor(
    private readonly rows: CostRows,
    private readonly market: Market,
  ) {
    this.distance = new Float64Array(market.n);
    this.from = new Int32Array(market.n);
    this.mark = new Int32Array(market.n);
    this.base = new Float64Array(market.n);
  }

  /** Pairs the free row `start`, re-pairing the rows along the shortest path to a free column. */
  async augment(start: number, work: Work): Promise<void> {
    const { market, heap, mark, distance } = this;
    const { n, v, row, paid } = market;
    const settled = 2 * this.count + 2;
    const tree: number[] = [];
    heap.clear();
    this.bound = Number.POSITIVE_INFINITY;
    market.look(start);
    this.reach(start, -market.first);
    for (let pops = 1; ; pops++) {
      const item = heap.pop();
      const look = item >= n || pops % POPS_PER_LOOK === 0;
      if (look && work.due()) await work.pause(n - market.free.length - 1, n);
      if (item >= n) {
        this.read(item - n);
        continue;
      }
      if (mark[item] === settled) continue;
      mark[item] = settled;
      const i = row[item]!;
      if (i < 0) {
        this.flip(start, item, tree);
        return;
      }
      tree.push(item);
      this.reach(i, distance[item]! - (paid[i]! - v[item]!));
    }
  }

  /** Relaxes the list of row i, and leaves a note to read it in full. */
  private reach(i: number, base: number): void {
    const { v, lists } = this.market;
    const { cols, costs, size, limit } = lists;
    this.base[i] = base;
    for (let t = i * size, end = t + size; t < end; t++)
      this.relax(i, cols[t]!, base + costs[t]! - v[cols[t]!]!);
    if (base + limit[i]! < this.bound) this.heap.push(base + limit[i]!, this.market.n + i);
  }

  private read(i: number): void {
    const { v, lists } = this.market;
    const { cols, costs } = lists.reader;
    const base = this.base[i]!;
    lists.scans++;
    const found = lists.reader.near(i, this.bound - base);
    for (let t = 0; t < found; t++) this.relax(i, cols[t]!, base + costs[t]! - v[cols[t]!]!);
  }

  private relax(i: number, j: number, reached: number): void {
    const { mark, distance } = this;
    const seen = 2 * this.count + 1;
    if (reached >= this.bound || mark[j]! > seen || (mark[j] === seen && reached >= distance[j]!)) return;
    mark[j] = seen;
    distance[j] = reached;
    this.from[j] = i;
    if (this.market.row[j]! < 0) this.bound = reached;
    this.heap.push(reached, j);
  }

  /** Lowers the duals of the settled columns and shifts the pairs along the path that ends in column `end`. */
  private flip(start: number, end: number, tree: readonly number[]): void {
    const { market, distance, from, rows } = this;
    const { v, col, row, paid, lists } = market;
    for (const j of tree) v[j]! += distance[j]! - distance[end]!;
    lists.reader.priced();
    let j = end;
    for (let i = -1; i !== start; ) {
      i = from[j]!;
      const next = col[i]!;
      row[j] = i;
      col[i] = j;
      paid[i] = rows.cell(i, j);
      j = next;
    }
    this.count++;
  }
}
