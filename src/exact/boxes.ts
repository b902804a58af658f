import { Line } from "./line.ts";
import { type Meter, spend } from "./meter.ts";
import { copied } from "./needs.ts";
import { NOTHING, type Orthant } from "./place.ts";
import type { Verdict } from "./values.ts";

/** A corner that the model accepts. */
interface Corner {
  readonly places: readonly number[];
  readonly cost: number;
}

/**
 * The nearest row of an orthant at the target, by branch and bound over boxes of places. Places count away from x, so
 * that the corner of least places is the nearest row of a box: if it is at the target, the box is done. Else some
 * tree has a better leaf than the corner's; a box is cut at the first place of the leaf that promises most.
 */
export class Boxes {
  readonly #floor: Float64Array;
  #meter!: Meter;
  #orthant: Orthant = NOTHING;
  #accepts: (places: readonly number[]) => Verdict = () => "no";
  #best = 0;
  #found: Corner | undefined;
  /** Lists of leaves, one behind the other. */
  #list = new Int32Array(1024);
  /** Boxes by depth: corner and far end; what trees with one leaf add, for each demand. */
  #near = new Int32Array(64);
  #far = new Int32Array(64);
  #fixed: Float64Array[];
  readonly #line: Line;
  /** Of the box looked at last: does its corner meet the demands, and which leaf promises most beyond it? */
  #fits = false;
  #promise = -1;
  #cut = 0;

  constructor(floor: Float64Array) {
    this.#floor = floor;
    this.#line = new Line(floor);
    this.#fixed = Array.from(floor, () => new Float64Array(32));
  }

  open(meter: Meter): void {
    this.#meter = meter;
  }

  /** The accepted corner of least cost below `cap`. */
  run(orthant: Orthant, cap: number, accepts: (places: readonly number[]) => Verdict): Corner | undefined {
    this.#orthant = orthant;
    this.#accepts = accepts;
    this.#best = cap;
    this.#found = undefined;
    const { sides, count, base } = orthant;
    if (sides.length === 1) {
      spend(this.#meter, count);
      this.#line.run(orthant, cap, (place, at) => {
        this.#near[0] = place;
        return this.#accept(0, at);
      });
    } else {
      this.#room(2 * count);
      this.#deeper(0);
      for (let j = 0; j < count; j++) this.#list[j] = j;
      this.#near.fill(1, 0, sides.length);
      for (let r = 0; r < sides.length; r++) this.#far[r] = orthant.far[r]!;
      for (let c = 0; c < base.length; c++) this.#fixed[c]![0] = base[c]!;
      this.#box(0, 0, count);
    }
    return this.#found;
  }

  /** Branch and bound below the box of this depth; list[from … to) are the leaves of its parent. */
  #box(depth: number, from: number, to: number): void {
    const size = this.#orthant.sides.length;
    const at = depth * size;
    const cost = this.#tighten(at);
    if (!(cost < this.#best)) return;
    this.#deeper(depth);
    const end = this.#inside(depth, from, to);
    if (end < 0) return;
    if (this.#fits && this.#accept(at, cost) !== "no") return;
    const split = this.#split(at);
    if (split < 0) return;
    const cut = this.#cut;
    this.#child(at, size);
    this.#far[at + size + split] = cut - 1;
    this.#box(depth + 1, to, end);
    this.#child(at, size);
    this.#near[at + size + split] = cut;
    this.#box(depth + 1, to, end);
  }

  #child(at: number, size: number): void {
    for (let o = at; o < at + size; o++) {
      this.#near[o + size] = this.#near[o]!;
      this.#far[o + size] = this.#far[o]!;
    }
  }

  /** Cost of a box's corner; its far ends are brought in to where a plan would cost as much as the best. */
  #tighten(at: number): number {
    const { sides, cost: fixed } = this.#orthant;
    const [near, far] = [this.#near, this.#far];
    let cost = fixed;
    for (let r = 0; r < sides.length; r++) cost += sides[r]!.cost[near[at + r]!]!;
    if (!(cost < this.#best)) return cost;
    for (let r = 0; r < sides.length; r++) {
      const own = sides[r]!.cost;
      const rest = cost - own[near[at + r]!]!;
      while (far[at + r]! > near[at + r]! && rest + own[far[at + r]!]! >= this.#best) far[at + r]!--;
    }
    return cost;
  }

  /**
   * Lists behind `to` the leaves that meet the box; a tree with one leaf left becomes a constant of the level below.
   * Returns the end of the list, −1 where the sums of the trees' maxima stay below an edge.
   */
  #inside(depth: number, from: number, to: number): number {
    this.#room(2 * to - from);
    const { low, high, tree, sides } = this.#orthant;
    const value = this.#orthant.value[0]!;
    const [list, near, far, size] = [this.#list, this.#near, this.#far, sides.length];
    const at = depth * size;
    spend(this.#meter, to - from);
    for (const fixed of this.#fixed) fixed[depth + 1] = fixed[depth]!;
    const own = this.#fixed[0]!;
    let [most, corner, widest, promise] = [0, 0, -1, -1];
    let end = to;
    for (let u = from; u < to; ) {
      const current = tree[list[u]!]!;
      const group = end;
      let [top, best, here] = [Number.NEGATIVE_INFINITY, -1, 0];
      for (; u < to; u++) {
        const j = list[u]!;
        if (tree[j] !== current) break;
        let [o, r, inner] = [j * size, 0, true];
        while (r < size && low[o]! <= far[at + r]! && high[o]! >= near[at + r]!) {
          if (low[o]! > near[at + r]!) inner = false;
          r++;
          o++;
        }
        if (r < size || (!inner && !this.#affords(j, at))) continue;
        list[end++] = j;
        const v = value[j]!;
        if (v > top) {
          top = v;
          best = j;
        }
        if (inner) here = v;
      }
      if (end === group + 1) {
        for (let c = 0; c < this.#fixed.length; c++)
          this.#fixed[c]![depth + 1]! += this.#orthant.value[c]![list[group]!]!;
        end = group;
        continue;
      }
      most += top;
      corner += here;
      if (top - here > widest) {
        widest = top - here;
        promise = best;
      }
    }
    const floor = this.#floor[0]!;
    if (!(own[depth + 1]! + most >= floor)) return -1;
    this.#fits = own[depth + 1]! + corner >= floor;
    this.#promise = this.#fits ? -1 : promise;
    for (let c = 1; c < this.#floor.length; c++) if (!this.#boundOf(c, depth, to, end)) return -1;
    return end;
  }

  /** Can leaf j be entered below the best cost? */
  #affords(j: number, at: number): boolean {
    const { low, sides } = this.#orthant;
    const size = sides.length;
    let cost = this.#orthant.cost;
    for (let r = 0; r < size; r++) {
      const [place, near] = [low[j * size + r]!, this.#near[at + r]!];
      cost += sides[r]!.cost[place > near ? place : near]!;
    }
    return cost < this.#best;
  }

  /** Does a further sum of maxima reach its edge? */
  #boundOf(c: number, depth: number, from: number, to: number): boolean {
    const { low, tree, sides } = this.#orthant;
    const value = this.#orthant.value[c]!;
    const [list, near, size, floor] = [this.#list, this.#near, sides.length, this.#floor[c]!];
    const at = depth * size;
    let most = this.#fixed[c]![depth + 1]!;
    let corner = most;
    let [widest, promise] = [-1, -1];
    for (let u = from; u < to; ) {
      const current = tree[list[u]!];
      let [top, best, here] = [Number.NEGATIVE_INFINITY, -1, 0];
      for (; u < to; u++) {
        const j = list[u]!;
        if (tree[j] !== current) break;
        if (value[j]! > top) {
          top = value[j]!;
          best = j;
        }
        let [o, r] = [j * size, 0];
        while (r < size && low[o]! <= near[at + r]!) {
          r++;
          o++;
        }
        if (r === size) here = value[j]!;
      }
      most += top;
      corner += here;
      if (top - here > widest) {
        widest = top - here;
        promise = best;
      }
    }
    if (!(most >= floor)) return false;
    if (corner < floor && this.#fits) {
      this.#fits = false;
      this.#promise = promise;
    }
    return true;
  }

  /** The side to cut along, −1 where the box is one row: where entering the leaf that promises most costs most. */
  #split(at: number): number {
    const { sides, low } = this.#orthant;
    const size = sides.length;
    let [split, most] = [-1, -1];
    for (let r = 0; r < size && this.#promise >= 0; r++) {
      const [place, now] = [low[this.#promise * size + r]!, this.#near[at + r]!];
      const step = sides[r]!.cost[place]! - sides[r]!.cost[now]!;
      if (place > now && step > most) {
        most = step;
        split = r;
        this.#cut = place;
      }
    }
    for (let r = 0; r < size && split < 0; r++) {
      if (this.#far[at + r]! <= this.#near[at + r]!) continue;
      split = r;
      this.#cut = this.#near[at + r]! + 1;
    }
    return split;
  }

  /** Takes the corner as the best plan so far where the model itself agrees. */
  #accept(at: number, cost: number): Verdict {
    const places = this.#orthant.sides.map((_, r) => this.#near[at + r]!);
    const verdict = this.#accepts(places);
    if (verdict === "yes") {
      this.#best = cost;
      this.#found = { places, cost };
    }
    return verdict;
  }

  #room(size: number): void {
    if (this.#list.length >= size) return;
    this.#list = copied(new Int32Array(2 * size), this.#list);
  }

  /** Room for a box of the next depth. */
  #deeper(depth: number): void {
    const cells = (depth + 2) * this.#orthant.sides.length;
    if (this.#near.length < cells) {
      this.#near = copied(new Int32Array(2 * cells), this.#near);
      this.#far = copied(new Int32Array(2 * cells), this.#far);
    }
    if (this.#fixed[0]!.length > depth + 2) return;
    this.#fixed = this.#fixed.map((fixed) => copied(new Float64Array(2 * depth + 6), fixed));
  }
}
