import type { Work } from "../budget.ts";
import type { CostRows } from "./problem.ts";
import { ShortLists } from "./short-list.ts";

const LIST_SIZE = 16;
const REDUCTION_PASSES = 2;
const REDUCTION_BIDS = 10;
const LOOKS_PER_PAUSE = 16;

/**
 * n rows compete for n columns. Column j has the dual v_j, which only falls; `col` and `row` are the partners
 * (−1: none), `paid[i]` the cost of row i's pair, `free` the rows without a pair.
 */
export class Market {
  readonly v: Float64Array;
  readonly col: Int32Array;
  readonly row: Int32Array;
  readonly paid: Float64Array;
  readonly lists: ShortLists;
  free: number[] = [];
  bids = 0;
  /** What `look` found: the best column of a row, its cost and reduced cost, and the second best's (or less). */
  best = -1;
  bestCost = 0;
  first = 0;
  second = 0;

  constructor(
    rows: CostRows,
    readonly n: number,
  ) {
    this.v = new Float64Array(n);
    this.col = new Int32Array(n).fill(-1);
    this.row = new Int32Array(n).fill(-1);
    this.paid = new Float64Array(n);
    this.lists = new ShortLists(rows, n, this.v, LIST_SIZE);
  }

  /** The best column of row i from its list; the row is read in full only if an unlisted one could be better. */
  look(i: number): void {
    const { v, lists } = this;
    const { cols, costs, size, limit } = lists;
    for (;;) {
      let w1 = Number.POSITIVE_INFINITY;
      let w2 = Number.POSITIVE_INFINITY;
      let best = -1;
      for (let t = i * size, end = t + size; t < end; t++) {
        const w = costs[t]! - v[cols[t]!]!;
        if (w >= w2) continue;
        if (w < w1) {
          w2 = w1;
          w1 = w;
          best = t;
        } else w2 = w;
      }
      if (w1 <= limit[i]!) {
        this.best = cols[best]!;
        this.bestCost = costs[best]!;
        this.first = w1;
        this.second = Math.min(w2, limit[i]!);
        return;
      }
      lists.scan(i);
    }
  }

  /** Gives column `best` to row i at the cost last looked up; the row that held it, or −1, is returned. */
  private take(i: number, fall: number): number {
    const j = this.best;
    const held = this.row[j]!;
    this.v[j]! -= fall;
    this.lists.reader.priced(j);
    if (held >= 0) this.col[held] = -1;
    this.row[j] = i;
    this.col[i] = j;
    this.paid[i] = this.bestCost;
    this.bids++;
    return held;
  }

  /** Starts a phase: frees the rows whose pair is worse than their best by more than eps. */
  drop(eps: number): void {
    const { n, v, col, row, paid, lists } = this;
    const { cols, costs, size, limit } = lists;
    this.free = [];
    for (let i = n - 1; i >= 0; i--) {
      const j = col[i]!;
      if (j >= 0) {
        let low = limit[i]!;
        for (let t = i * size, end = t + size; t < end; t++) low = Math.min(low, costs[t]! - v[cols[t]!]!);
        if (paid[i]! - v[j]! <= low + eps) continue;
        row[j] = -1;
        col[i] = -1;
      }
      this.free.push(i);
    }
  }

  /** Up to `count` bids; true when no row is free. */
  bid(eps: number, count: number): boolean {
    const { free } = this;
    for (let b = 0; b < count && free.length > 0; b++) {
      const i = free.pop()!;
      this.look(i);
      const held = this.take(i, this.second - this.first + eps);
      if (held >= 0) free.push(held);
    }
    return free.length === 0;
  }

  /** Forgets the pairs, keeps the prices, and pairs each row with its best column where that is free. */
  async restart(work: Work): Promise<void> {
    this.col.fill(-1);
    this.row.fill(-1);
    this.free = [];
    for (let i = this.n - 1; i >= 0; i--) {
      if (i % LOOKS_PER_PAUSE === 0 && work.due()) await work.pause(0, this.n);
      this.look(i);
      if (this.row[this.best]! < 0) this.take(i, 0);
      else this.free.push(i);
    }
  }

  /** Augmenting row reduction: bids without ε. A row that cannot outbid the holder is left free. */
  async reduce(work: Work): Promise<void> {
    let left = REDUCTION_BIDS * this.n;
    for (let pass = 0; pass < REDUCTION_PASSES; pass++) {
      const waiting = this.free.reverse();
      this.free = [];
      for (const start of waiting) {
        let i = start;
        while (i >= 0) {
          if (left % LOOKS_PER_PAUSE === 0 && work.due()) await work.pause(0, this.n);
          this.look(i);
          const fall = this.second - this.first;
          if (this.row[this.best]! >= 0 && (fall === 0 || left <= 0)) {
            this.free.push(i);
            break;
          }
          i = this.take(i, fall);
          left--;
        }
      }
    }
  }
}
