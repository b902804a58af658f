import type { Between } from "./between.ts";
import { justBeyond, type Legal } from "./legal.ts";
import { type Meter, spend } from "./meter.ts";
import { copied } from "./needs.ts";
import type { Side } from "./row.ts";

/** One number of a set that moves along a side. */
export interface Dimension {
  readonly feature: number;
  readonly side: Side;
  readonly legal: Legal;
  /** Does a rule or a derived column read it? Then its values matter within a place. */
  readonly read: boolean;
  change(value: number): number;
}

/** A box by depth: for each dimension the nearest and farthest place and value. */
export interface ValueBox {
  near: Int32Array;
  far: Int32Array;
  from: Float64Array;
  to: Float64Array;
}

/** What bounds a model's sums over boxes. */
export interface SumBounds {
  /** May some row of the box meet all demands? Boxes are entered after those they are part of. */
  enter(depth: number, box: ValueBox, at: number): boolean;
  /** Of the box entered last: may its corner meet all demands, and where would it be cut best (dimension −1: anywhere)? */
  readonly fits: boolean;
  readonly split: number;
  readonly place: number;
  /** The least that any row of the box entered last that meets the demands can cost. */
  readonly least: number;
}

/** The model's word on a row: at the target; not; or too far away, as are all rows beyond it. */
export type Verdict = "yes" | "no" | "too far";

interface Corner {
  readonly places: readonly number[];
  readonly values: readonly number[];
  readonly cost: number;
}

/** Values closer together than this share of their change are as good as one. */
const CLOSE = 1e-5;
/** A share of a side's values, for rows whose change says nothing: from a gap every number is as far. */
const NARROW = 1e-3;

/**
 * The nearest row of an orthant at the target where rules, derived columns or a sum that is not a sum of leaves are in
 * the way: branch and bound over boxes of values. The corner nearest to x is the cheapest row of a box, so that a box
 * is done when its corner is at the target. `whole` turns false where values lie too close together to be told apart.
 */
export class ValueBoxes {
  whole = true;
  #meter!: Meter;
  #dimensions: readonly Dimension[] = [];
  #bounds!: SumBounds;
  #between: Between | undefined;
  #accepts: (values: readonly number[]) => Verdict = () => "no";
  #cost = 0;
  #best = 0;
  #found: Corner | undefined;
  readonly #box: ValueBox = {
    near: new Int32Array(64),
    far: new Int32Array(64),
    from: new Float64Array(64),
    to: new Float64Array(64),
  };

  open(meter: Meter): void {
    this.#meter = meter;
    this.whole = true;
  }

  /** The accepted row of least cost below `cap`; `cost`: what levels of the orthant cost. */
  run(
    dimensions: readonly Dimension[],
    cost: number,
    bounds: SumBounds,
    between: Between | undefined,
    cap: number,
    accepts: (values: readonly number[]) => Verdict,
  ): Corner | undefined {
    this.#dimensions = dimensions;
    this.#bounds = bounds;
    this.#between = between;
    this.#accepts = accepts;
    this.#cost = cost;
    this.#best = cap;
    this.#found = undefined;
    this.#reserve(dimensions.length);
    const { near, far, from, to } = this.#box;
    dimensions.forEach(({ side }, r) => {
      near[r] = 1;
      far[r] = side.count;
      from[r] = side.value[1]!;
      to[r] = side.last[side.count]!;
    });
    this.#search(0);
    return this.#found;
  }

  #search(depth: number): void {
    const size = this.#dimensions.length;
    const at = depth * size;
    this.#reserve(at + 2 * size);
    const cost = this.#costAt(at);
    if (!(cost < this.#best)) return;
    spend(this.#meter, 4);
    if (!this.#mayHold(at) || !this.#bounds.enter(depth, this.#box, at)) return;
    const { fits, split, place, least } = this.#bounds;
    if (!(Math.max(cost, least) < this.#best)) return;
    if (fits) {
      const verdict = this.#accept(at, cost);
      if (verdict !== "no") return;
    }
    if (split >= 0) {
      const { side } = this.#dimensions[split]!;
      this.#halves(depth, split, side.last[place - 1]!, side.value[place]!, place - 1, place);
      return;
    }
    const r = this.#widest(at);
    if (r < 0) return;
    if (this.#close(at)) this.#corners(at);
    else this.#cut(depth, r);
  }

  #costAt(at: number): number {
    let cost = this.#cost;
    for (let r = 0; r < this.#dimensions.length; r++) {
      const { side, change } = this.#dimensions[r]!;
      const [p, v] = [this.#box.near[at + r]!, this.#box.from[at + r]!];
      cost += v === side.value[p] ? side.cost[p]! : change(v);
    }
    return cost;
  }

  #mayHold(at: number): boolean {
    const between = this.#between;
    if (!between) return true;
    this.#dimensions.forEach(({ feature }, r) => {
      between.set(feature, this.#box.from[at + r]!, this.#box.to[at + r]!);
    });
    return between.may();
  }

  /** The dimension whose values differ most in change, those that rules read first; −1 where the box is one row. */
  #widest(at: number): number {
    let [best, most] = [-1, 0];
    for (const read of [true, false]) {
      for (let r = 0; r < this.#dimensions.length; r++) {
        if (this.#dimensions[r]!.read !== read || !this.#several(at, r)) continue;
        const spread = this.#spread(at, r) + this.#width(at, r);
        if (best < 0 || spread > most) [best, most] = [r, spread];
      }
      if (best >= 0) return best;
    }
    return -1;
  }

  /** More than one value that matters: several places, or several values of one that is read. */
  #several(at: number, r: number): boolean {
    const { near, far, from, to } = this.#box;
    return far[at + r]! > near[at + r]! || (this.#dimensions[r]!.read && from[at + r] !== to[at + r]);
  }

  #spread(at: number, r: number): number {
    const { change } = this.#dimensions[r]!;
    return change(this.#box.to[at + r]!) - change(this.#box.from[at + r]!);
  }

  /** How much of its side a dimension of the box takes. */
  #width(at: number, r: number): number {
    const { value, last, count } = this.#dimensions[r]!.side;
    return Math.abs((this.#box.to[at + r]! - this.#box.from[at + r]!) / (last[count]! - value[1]!));
  }

  /** Is the whole box one place, and smaller than matters? */
  #close(at: number): boolean {
    const { near, far } = this.#box;
    let spread = 0;
    for (let r = 0; r < this.#dimensions.length; r++) {
      if (far[at + r]! > near[at + r]!) return false;
      if (!this.#several(at, r)) continue;
      if (this.#width(at, r) > NARROW) return false;
      spread += this.#spread(at, r);
    }
    return spread <= CLOSE * Math.max(this.#costAt(at), 1e-3);
  }

  /** All corners of a box that is too small to be cut. */
  #corners(at: number): void {
    const size = this.#dimensions.length;
    const { from, to } = this.#box;
    const before = from.slice(at, at + size);
    let found = false;
    for (let bits = 1; bits < 1 << size && size < 12; bits++) {
      for (let r = 0; r < size; r++) from[at + r] = (bits >> r) & 1 ? to[at + r]! : before[r]!;
      const cost = this.#costAt(at);
      if (cost < this.#best && this.#accept(at, cost) === "yes") found = true;
    }
    from.set(before, at);
    if (!found) this.whole = false;
  }

  /** Cuts dimension r in the middle, between places where there are several. */
  #cut(depth: number, r: number): void {
    const at = depth * this.#dimensions.length + r;
    const { side, legal } = this.#dimensions[r]!;
    const { near, far, from, to } = this.#box;
    const [first, last] = [near[at]!, far[at]!];
    if (last > first) {
      const half = (side.cost[first]! + side.cost[last]!) / 2;
      let p = first + 1;
      while (p < last && side.cost[p]! < half) p++;
      this.#halves(depth, r, side.last[p - 1]!, side.value[p]!, p - 1, p);
      return;
    }
    const middle = from[at]! + (to[at]! - from[at]!) / 2;
    const inner = side.up ? legal.below(middle) : legal.above(middle);
    const end = side.up ? Math.max(inner, from[at]!) : Math.min(inner, from[at]!);
    const next = side.up ? legal.above(justBeyond(end, 1)) : legal.below(justBeyond(end, -1));
    this.#halves(depth, r, end, next, first, first);
  }

  /** The half of dimension r up to `end`, then that from `next` on. */
  #halves(depth: number, r: number, end: number, next: number, place: number, other: number): void {
    const size = this.#dimensions.length;
    const at = depth * size;
    const box = this.#box;
    const below = at + size;
    const copy = (): void => {
      for (const part of [box.near, box.far, box.from, box.to]) part.copyWithin(below, at, below);
    };
    copy();
    box.far[below + r] = place;
    box.to[below + r] = end;
    this.#search(depth + 1);
    copy();
    if (place === other && !inside(next, end, box.to[at + r]!)) return;
    box.near[below + r] = other;
    box.from[below + r] = next;
    this.#search(depth + 1);
  }

  #accept(at: number, cost: number): Verdict {
    const size = this.#dimensions.length;
    const values = Array.from(this.#box.from.subarray(at, at + size));
    const verdict = this.#accepts(values);
    if (verdict === "yes") {
      this.#best = cost;
      this.#found = { places: Array.from(this.#box.near.subarray(at, at + size)), values, cost };
    }
    return verdict;
  }

  #reserve(size: number): void {
    const box = this.#box;
    if (box.near.length >= size + this.#dimensions.length) return;
    const more = 2 * size + 64;
    box.near = copied(new Int32Array(more), box.near);
    box.far = copied(new Int32Array(more), box.far);
    box.from = copied(new Float64Array(more), box.from);
    box.to = copied(new Float64Array(more), box.to);
  }
}

const inside = (v: number, a: number, b: number): boolean => (a <= b ? v > a && v <= b : v < a && v >= b);
