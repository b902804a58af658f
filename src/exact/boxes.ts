import { Grid } from "./grid.ts";
import { Line } from "./line.ts";
import { type Meter, spend } from "./meter.ts";
import { copied } from "./needs.ts";
import type { Orthant } from "./place.ts";
import type { Verdict } from "./values.ts";

/** A corner that the model accepts. */
interface Corner {
  readonly places: readonly number[];
  readonly cost: number;
}

/** Cells of a table that are as much work as a leaf. */
const CELLS_A_LEAF = 16;

/**
 * The nearest row of an orthant at the target, by branch and bound over boxes of steps (grid.ts). Steps count away from
 * x, so that the corner of least steps is the nearest row of a box: if it is at the target, the box is done. A sum over
 * a box is at most the largest cell of each table and the best leaf of each tree left, of those that can be entered
 * below the best cost. Where the most promises most beyond the corner, the box is cut at its first step.
 */
export class Boxes {
  readonly #floor: Float64Array;
  readonly #grid: Grid;
  readonly #line: Line;
  #meter!: Meter;
  #orthant!: Orthant;
  #accepts: (places: readonly number[]) => Verdict = () => "no";
  #best = 0;
  #found: Corner | undefined;
  /** Lists of leaves, one behind the other. */
  #list = new Int32Array(1024);
  /** Boxes by depth: corner and far end. */
  #near = new Int32Array(64);
  #far = new Int32Array(64);
  /** Of the sum looked at last: the most it may be, and at the corner; what promises most beyond, and by how much. */
  #most = 0;
  #corner = 0;
  #gain = 0;
  readonly #aim: number[] = [];
  /** Of the box looked at last: does its corner meet the demands? Where else must one go? */
  #fits = false;
  readonly #goal: number[] = [];
  #cut = 0;

  constructor(floor: Float64Array) {
    this.#floor = floor;
    this.#grid = new Grid(floor.length);
    this.#line = new Line(floor);
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
    const { sides, count } = orthant;
    spend(this.#meter, count);
    if (sides.length === 1) this.#line.run(orthant, cap, (place, cost) => this.#offer([place], cost));
    else this.#start(orthant);
    return this.#found;
  }

  #start(orthant: Orthant): void {
    const grid = this.#grid;
    grid.open(orthant);
    this.#reserve(2 * grid.count + 1);
    this.#deeper(0);
    for (let j = 0; j < grid.count; j++) this.#list[j] = j;
    for (let r = 0; r < grid.size; r++) {
      this.#near[r] = 1;
      this.#far[r] = grid.steps[r]!;
    }
    this.#box(0, 0, grid.count);
  }

  /** Branch and bound below the box of this depth; list[from … to) are the leaves of its parent. */
  #box(depth: number, from: number, to: number): void {
    const size = this.#grid.size;
    const at = depth * size;
    const cost = this.#tighten(at);
    if (!(cost < this.#best)) return;
    this.#deeper(depth);
    const end = this.#inside(at, from, to, cost);
    if (!this.#reaches(at, to, end, cost)) return;
    if (this.#fits && this.#offer(this.#placesAt(at), cost) !== "no") return;
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
    const { size, from, costs } = this.#grid;
    const [near, far] = [this.#near, this.#far];
    let cost = this.#orthant.cost;
    for (let r = 0; r < size; r++) cost += costs[from[r]! + near[at + r]!]!;
    if (!(cost < this.#best)) return cost;
    for (let r = 0; r < size; r++) {
      const own = from[r]!;
      const rest = cost - costs[own + near[at + r]!]!;
      while (far[at + r]! > near[at + r]! && rest + costs[own + far[at + r]!]! >= this.#best) far[at + r]!--;
    }
    return cost;
  }

  /** Lists behind `to` the leaves that meet the box and can be entered below the best cost; the end of the list. */
  #inside(at: number, from: number, to: number, cost: number): number {
    this.#reserve(2 * to - from);
    const { size, low, high, from: own, costs } = this.#grid;
    const [list, near, far, best] = [this.#list, this.#near, this.#far, this.#best];
    spend(this.#meter, to - from);
    let end = to;
    for (let u = from; u < to; u++) {
      const j = list[u]!;
      let [o, r, more] = [j * size, 0, cost];
      while (r < size && low[o]! <= far[at + r]! && high[o]! >= near[at + r]!) {
        if (low[o]! > near[at + r]!) more += costs[own[r]! + low[o]!]! - costs[own[r]! + near[at + r]!]!;
        r++;
        o++;
      }
      if (r === size && more < best) list[end++] = j;
    }
    return end;
  }

  /** May some row of the box meet all demands? Does its corner? Else where the first that it misses promises most. */
  #reaches(at: number, from: number, to: number, cost: number): boolean {
    const { size, tables, base } = this.#grid;
    this.#fits = true;
    for (let c = 0; c < this.#floor.length; c++) {
      const floor = this.#floor[c]!;
      this.#most = base[c]!;
      this.#corner = base[c]!;
      this.#gain = -1;
      this.#leaves(c, at, from, to);
      for (let t = 0; t < tables; t++) this.#table(c, t, at, cost);
      if (!(this.#most >= floor)) return false;
      if (this.#corner >= floor || !this.#fits) continue;
      this.#fits = false;
      for (let r = 0; r < size; r++) this.#goal[r] = this.#aim[r]!;
    }
    return true;
  }

  /** The best leaf of each tree left. */
  #leaves(c: number, at: number, from: number, to: number): void {
    const { size, low, tree } = this.#grid;
    const value = this.#grid.value[c]!;
    const [list, near] = [this.#list, this.#near];
    for (let u = from; u < to; ) {
      const current = tree[list[u]!];
      let [top, best, here] = [Number.NEGATIVE_INFINITY, -1, Number.NEGATIVE_INFINITY];
      for (; u < to && tree[list[u]!] === current; u++) {
        const j = list[u]!;
        const v = value[j]!;
        if (v > top) {
          top = v;
          best = j;
        }
        let [o, r] = [j * size, 0];
        while (r < size && low[o]! <= near[at + r]!) {
          r++;
          o++;
        }
        if (r === size) here = v;
      }
      this.#most += top;
      this.#corner += here;
      if (top - here <= this.#gain) continue;
      this.#gain = top - here;
      for (let r = 0; r < size; r++) this.#aim[r] = low[best * size + r]!;
    }
  }

  /** The largest cell of table t within the box, of those that can be entered below the best cost. */
  #table(c: number, t: number, at: number, cost: number): void {
    const { from, costs, first, second, start, width: widths, size } = this.#grid;
    const cells = this.#grid.cells[c]!;
    const [a, b, width] = [first[t]!, second[t]!, widths[t]!];
    const [near, far] = [this.#near, this.#far];
    const [p0, p1, ca] = [near[at + a]!, far[at + a]!, from[a]!];
    const alone = a === b;
    const [q0, q1, cb] = alone ? [0, 0, 0] : [near[at + b]!, far[at + b]!, from[b]!];
    const here = cells[start[t]! + p0 * width + q0]!;
    const rest = this.#best - cost + costs[ca + p0]! + (alone ? 0 : costs[cb + q0]!);
    let [top, topP, topQ, end] = [here, p0, q0, q1];
    for (let p = p0; p <= p1; p++) {
      const room = rest - costs[ca + p]!;
      if (!alone) while (end > q0 && !(costs[cb + end]! < room)) end--;
      const row = start[t]! + p * width;
      for (let q = q0; q <= end; q++) {
        if (cells[row + q]! > top) {
          top = cells[row + q]!;
          topP = p;
          topQ = q;
        }
      }
    }
    spend(this.#meter, ((p1 - p0 + 1) * (end - q0 + 1)) / CELLS_A_LEAF);
    this.#most += top;
    this.#corner += here;
    if (top - here <= this.#gain) return;
    this.#gain = top - here;
    for (let r = 0; r < size; r++) this.#aim[r] = r === a ? topP : r === b ? topQ : 0;
  }

  /** The side to cut along, −1 where the box is one row: where going to what promises most costs most. */
  #split(at: number): number {
    const { size, from, costs } = this.#grid;
    const [near, far] = [this.#near, this.#far];
    let [split, most] = [-1, -1];
    for (let r = 0; r < size && !this.#fits; r++) {
      const [step, now] = [this.#goal[r]!, near[at + r]!];
      const more = costs[from[r]! + step]! - costs[from[r]! + now]!;
      if (step > now && more > most) {
        most = more;
        split = r;
        this.#cut = step;
      }
    }
    for (let r = 0; r < size && split < 0; r++) {
      if (far[at + r]! <= near[at + r]!) continue;
      split = r;
      this.#cut = near[at + r]! + 1;
    }
    return split;
  }

  #placesAt(at: number): number[] {
    const { size, from, places } = this.#grid;
    return Array.from({ length: size }, (_, r) => places[from[r]! + this.#near[at + r]!]!);
  }

  /** Takes a corner as the best plan so far where the model itself agrees. */
  #offer(places: readonly number[], cost: number): Verdict {
    const verdict = this.#accepts(places);
    if (verdict === "yes") {
      this.#best = cost;
      this.#found = { places, cost };
    }
    return verdict;
  }

  #reserve(size: number): void {
    if (this.#list.length >= size) return;
    this.#list = copied(new Int32Array(2 * size), this.#list);
  }

  /** Room for a box of the next depth. */
  #deeper(depth: number): void {
    const cells = (depth + 2) * this.#grid.size;
    if (this.#near.length >= cells) return;
    this.#near = copied(new Int32Array(2 * cells), this.#near);
    this.#far = copied(new Int32Array(2 * cells), this.#far);
  }
}
