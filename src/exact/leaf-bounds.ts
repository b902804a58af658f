import { cellOf } from "./axis.ts";
import type { Between } from "./between.ts";
import type { Leaves } from "./contract.ts";
import { type Meter, spend } from "./meter.ts";
import type { Orthant } from "./place.ts";
import type { SumBounds, ValueBox } from "./values.ts";

/** Sums over leaves in boxes of values: those of places, and derived columns that follow the values. */
export class LeafBounds implements SumBounds {
  fits = false;
  split = -1;
  place = 0;
  readonly least = Number.NEGATIVE_INFINITY;
  readonly #leaves: Leaves;
  readonly #floor: Float64Array;
  #meter!: Meter;
  #orthant!: Orthant;
  #between!: Between;
  /** Derived columns that leaves of the orthant test, the entry of each leaf for each of them (−1: none), their cells. */
  #columns: readonly number[] = [];
  #entries: Int32Array = new Int32Array(0);
  #low: number[] = [];
  #high: number[] = [];
  #gap: boolean[] = [];
  /** Leaves of the boxes entered, by depth. */
  #lists: Int32Array[] = [];
  #counts: number[] = [];

  constructor(leaves: Leaves, floor: Float64Array) {
    this.#leaves = leaves;
    this.#floor = floor;
  }

  /** @param ids the leaf of `leaves` that each leaf of the orthant is */
  open(orthant: Orthant, ids: Int32Array, between: Between, meter: Meter): this {
    this.#meter = meter;
    const { start, feature } = this.#leaves;
    this.#orthant = orthant;
    this.#between = between;
    this.#columns = between.columns;
    const size = this.#columns.length;
    this.#entries = new Int32Array(orthant.count * size).fill(-1);
    for (let j = 0; j < orthant.count && size > 0; j++) {
      for (let e = start[ids[j]!]!; e < start[ids[j]! + 1]!; e++) {
        const q = this.#columns.indexOf(feature[e]!);
        if (q >= 0) this.#entries[j * size + q] = e;
      }
    }
    return this;
  }

  enter(depth: number, { near, far }: ValueBox, at: number): boolean {
    const { low, high, sides, count } = this.#orthant;
    const size = sides.length;
    const parent = depth === 0 ? undefined : this.#lists[depth - 1]!;
    const all = parent ? this.#counts[depth - 1]! : count;
    if ((this.#lists[depth]?.length ?? 0) < all) this.#lists[depth] = new Int32Array(all);
    const list = this.#lists[depth]!;
    spend(this.#meter, all);
    this.#follow();
    let end = 0;
    for (let u = 0; u < all; u++) {
      const j = parent ? parent[u]! : u;
      let r = 0;
      while (r < size && low[j * size + r]! <= far[at + r]! && high[j * size + r]! >= near[at + r]!) r++;
      if (r === size && this.#meets(j)) list[end++] = j;
    }
    this.#counts[depth] = end;
    return this.#bound(list, end, near, at);
  }

  /** May derived columns, where the box between features has them now, be where leaf j wants them? */
  meets(j: number): boolean {
    this.#follow();
    return this.#meets(j);
  }

  /** The cells that derived columns may be in. */
  #follow(): void {
    const { low, high, gap } = this.#between.box;
    this.#columns.forEach((k, q) => {
      const axis = this.#leaves.axes[k]!;
      this.#gap[q] = gap[k] === 1;
      const empty = !(low[k]! <= high[k]!);
      this.#low[q] = empty ? 1 : cellOf(axis, low[k]!);
      this.#high[q] = empty ? 0 : cellOf(axis, high[k]!);
    });
  }

  /** May derived columns be where leaf j wants them? */
  #meets(j: number): boolean {
    const size = this.#columns.length;
    for (let q = 0; q < size; q++) {
      const e = this.#entries[j * size + q]!;
      if (e >= 0 && !this.#takes(e, this.#columns[q]!, this.#low[q]!, this.#high[q]!, this.#gap[q]!))
        return false;
    }
    return true;
  }

  #takes(e: number, k: number, a: number, b: number, gap: boolean): boolean {
    const { axes, masks, low, high, missing } = this.#leaves;
    const axis = axes[k]!;
    if (!axis.masked) return (gap && missing[e] === 1) || (a <= high[e]! && b >= low[e]!);
    const has = (cell: number): boolean => ((masks[low[e]! + (cell >> 5)]! >>> (cell & 31)) & 1) === 1;
    if (gap && has(axis.cells)) return true;
    for (let cell = a; cell <= b; cell++) if (has(cell)) return true;
    return false;
  }

  /** Do the sums of maxima reach every edge? Where derived columns follow, the corner's sum is an upper bound. */
  #bound(list: Int32Array, end: number, near: Int32Array, at: number): boolean {
    const { low, tree, value, base, sides } = this.#orthant;
    const size = sides.length;
    this.fits = true;
    this.split = -1;
    for (let c = 0; c < this.#floor.length; c++) {
      let [most, corner, widest, promise] = [base[c]!, base[c]!, -1, -1];
      for (let u = 0; u < end; ) {
        const current = tree[list[u]!];
        let [top, best, here] = [Number.NEGATIVE_INFINITY, -1, Number.NEGATIVE_INFINITY];
        for (; u < end && tree[list[u]!] === current; u++) {
          const j = list[u]!;
          if (value[c]![j]! > top) [top, best] = [value[c]![j]!, j];
          let r = 0;
          while (r < size && low[j * size + r]! <= near[at + r]!) r++;
          if (r === size && value[c]![j]! > here) here = value[c]![j]!;
        }
        most += top;
        corner += here;
        if (top - here > widest) [widest, promise] = [top - here, best];
      }
      if (!(most >= this.#floor[c]!)) return false;
      if (corner < this.#floor[c]! && this.fits) {
        this.fits = false;
        this.#cutAt(promise, near, at);
      }
    }
    return true;
  }

  #cutAt(promise: number, near: Int32Array, at: number): void {
    const { low, sides } = this.#orthant;
    const size = sides.length;
    let most = -1;
    for (let r = 0; r < size && promise >= 0; r++) {
      const [place, now] = [low[promise * size + r]!, near[at + r]!];
      const step = sides[r]!.cost[place]! - sides[r]!.cost[now]!;
      if (place <= now || step <= most) continue;
      [most, this.split, this.place] = [step, r, place];
    }
  }
}
