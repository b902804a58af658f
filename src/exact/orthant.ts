import { Boxes } from "./boxes.ts";
import type { Leaves } from "./contract.ts";
import { type Meter, spend } from "./meter.ts";
import { type Needs, type Option, takes } from "./needs.ts";
import { firstPlace, isSide, lastPlace, type Move, type Side } from "./row.ts";

/** A plan: how each feature moves and, for those that move along a side, how far. */
export interface Found {
  readonly features: readonly number[];
  readonly moves: readonly Move[];
  readonly places: readonly number[];
  readonly cost: number;
}

/** What a search asks of the row it is about. */
export interface Asked {
  /** Is the row with these values at the target, and legal? */
  accepts(features: readonly number[], values: readonly number[]): boolean;
}

/**
 * The leaves of an orthant: every number of a set moves along one side, every level is fixed. Leaf j takes places
 * low[j·size + r] … high[j·size + r] of side r.
 */
export interface Orthant {
  readonly sides: readonly Side[];
  /** What the fixed levels cost. */
  cost: number;
  count: number;
  low: Int32Array;
  high: Int32Array;
  tree: Int32Array;
  value: Float64Array[];
}

/** The least change with which exactly the features of a set, moved as its options say, reach the target. */
export class OrthantSearch {
  readonly #leaves: Leaves;
  readonly #needs: Needs;
  readonly #floor: Float64Array;
  readonly #meter: Meter;
  readonly #asked: Asked;
  readonly #boxes: Boxes;
  /** Leaves with at most so many needs. */
  #size = -1;
  #near: Int32Array;
  #nearCount = 0;
  #features: readonly number[] = [];
  #moves: Move[] = [];
  /** Leaves of the set, and the entry each has for each of its features (−1: any). */
  #ids: Int32Array;
  #entry = new Int32Array(0);
  #slot: Int32Array;
  /** Lists of leaves, one behind the other. */
  #list = new Int32Array(1024);
  #low = new Int32Array(0);
  #high = new Int32Array(0);
  #tree = new Int32Array(0);
  readonly #value: Float64Array[];
  #best = Number.POSITIVE_INFINITY;
  #found: Found | undefined;

  constructor(leaves: Leaves, needs: Needs, floor: Float64Array, meter: Meter, asked: Asked) {
    this.#leaves = leaves;
    this.#needs = needs;
    this.#floor = floor;
    this.#meter = meter;
    this.#asked = asked;
    this.#boxes = new Boxes(leaves.base, floor, meter);
    this.#near = new Int32Array(leaves.tree.length);
    this.#ids = new Int32Array(leaves.tree.length);
    this.#slot = new Int32Array(leaves.axes.length).fill(-1);
    this.#value = leaves.values.map(() => new Float64Array(0));
  }

  /** The plan of least change below `cap`. */
  run(options: readonly Option[], cap: number): Found | undefined {
    this.#best = cap;
    this.#found = undefined;
    this.#features = options.map((option) => option.feature);
    this.#moves = [];
    const count = this.#gather(options);
    this.#turn(0, options, 0, count, 0);
    return this.#found;
  }

  #atMost(size: number): void {
    if (this.#size === size) return;
    const { count } = this.#needs;
    this.#size = size;
    this.#nearCount = 0;
    for (let l = 0; l < count.length; l++) if (count[l]! <= size) this.#near[this.#nearCount++] = l;
  }

  /** The leaves that need nothing but features of the set. */
  #gather(options: readonly Option[]): number {
    const { words, need } = this.#needs;
    const size = options.length;
    this.#atMost(size);
    const outside = new Int32Array(words).fill(-1);
    for (const { word, all } of options) outside[word]! &= ~all;
    spend(this.#meter, this.#nearCount >> 2);
    let found = 0;
    for (let u = 0; u < this.#nearCount; u++) {
      const l = this.#near[u]!;
      let strange = 0;
      for (let w = 0; w < words; w++) strange |= need[l * words + w]! & outside[w]!;
      if (strange === 0) this.#ids[found++] = l;
    }
    this.#enter(found, size);
    return found;
  }

  /** Finds the entries of the set's features. */
  #enter(found: number, size: number): void {
    const { start, feature } = this.#leaves;
    if (this.#entry.length < found * size) this.#entry = new Int32Array(2 * found * size);
    this.#room(4 * found);
    const [entry, slot, list] = [this.#entry, this.#slot, this.#list];
    for (let q = 0; q < size; q++) slot[this.#features[q]!] = q;
    entry.fill(-1, 0, found * size);
    for (let i = 0; i < found; i++) {
      list[i] = i;
      const l = this.#ids[i]!;
      for (let e = start[l]!; e < start[l + 1]!; e++) {
        const q = slot[feature[e]!]!;
        if (q >= 0) entry[i * size + q] = e;
      }
    }
    for (const k of this.#features) slot[k] = -1;
  }

  #room(size: number): void {
    if (this.#list.length >= size) return;
    const list = new Int32Array(2 * size);
    list.set(this.#list);
    this.#list = list;
  }

  /** Chooses among the moves of option q; list[from … to) are the leaves that the choices so far reach. */
  #turn(q: number, options: readonly Option[], from: number, to: number, cost: number): void {
    if (q === options.length) {
      this.#search(from, to, cost);
      return;
    }
    for (const move of options[q]!.moves) {
      const least = cost + (isSide(move) ? move.cost[1]! : move.cost);
      if (least >= this.#best) continue;
      const end = this.#passing(q, move, from, to);
      if (q === options.length - 1 && !this.#enough(to, end)) continue;
      this.#moves[q] = move;
      this.#turn(q + 1, options, to, end, least);
    }
  }

  #passing(q: number, move: Move, from: number, to: number): number {
    const [size, k, leaves] = [this.#features.length, this.#features[q]!, this.#leaves];
    this.#room(2 * to - from);
    const [list, entry] = [this.#list, this.#entry];
    spend(this.#meter, to - from);
    let end = to;
    for (let u = from; u < to; u++) {
      const e = entry[list[u]! * size + q]!;
      if (e < 0 || takes(leaves, k, e, move)) list[end++] = list[u]!;
    }
    return end;
  }

  /** Do the sums of the trees' maxima reach every edge? */
  #enough(from: number, to: number): boolean {
    const { tree, values, base } = this.#leaves;
    const [list, ids] = [this.#list, this.#ids];
    for (let c = 0; c < values.length; c++) {
      const value = values[c]!;
      let sum = base[c]!;
      let [at, top] = [-1, 0];
      for (let u = from; u < to; u++) {
        const l = ids[list[u]!]!;
        if (tree[l] !== at) {
          sum += top;
          top = value[l]!;
          at = tree[l]!;
        } else if (value[l]! > top) top = value[l]!;
      }
      if (!(sum + top >= this.#floor[c]!)) return false;
    }
    return true;
  }

  #search(from: number, to: number, cost: number): void {
    const orthant = this.#lay(from, to, cost);
    const moves = this.#moves.slice();
    const accepts = (places: readonly number[]): boolean =>
      this.#asked.accepts(this.#features, valuesAt(moves, places));
    const found = this.#boxes.run(orthant, this.#best, accepts);
    if (!found) return;
    this.#best = found.cost;
    this.#found = { features: this.#features, moves, ...found };
  }

  /** Places, trees and values of the leaves of an orthant, side by side. */
  #lay(from: number, to: number, cost: number): Orthant {
    const { low, high, tree, values } = this.#leaves;
    const slots = this.#moves.flatMap((move, q) => (isSide(move) ? [q] : []));
    const sides = slots.map((q) => this.#moves[q] as Side);
    const [size, count, wide] = [slots.length, to - from, this.#features.length];
    if (this.#low.length < count * size) {
      this.#low = new Int32Array(2 * count * size);
      this.#high = new Int32Array(2 * count * size);
    }
    if (this.#tree.length < count) {
      this.#tree = new Int32Array(2 * count);
      for (let c = 0; c < values.length; c++) this.#value[c] = new Float64Array(2 * count);
    }
    for (let j = 0; j < count; j++) {
      const i = this.#list[from + j]!;
      const l = this.#ids[i]!;
      this.#tree[j] = tree[l]!;
      for (let c = 0; c < values.length; c++) this.#value[c]![j] = values[c]![l]!;
      for (let r = 0; r < size; r++) {
        const e = this.#entry[i * wide + slots[r]!]!;
        this.#low[j * size + r] = e < 0 ? 1 : firstPlace(sides[r]!, low[e]!, high[e]!);
        this.#high[j * size + r] = e < 0 ? sides[r]!.count : lastPlace(sides[r]!, low[e]!, high[e]!);
      }
    }
    const fixed = cost - sides.reduce((sum, side) => sum + side.cost[1]!, 0);
    const laid = { low: this.#low, high: this.#high, tree: this.#tree, value: this.#value };
    return { sides, cost: fixed, count, ...laid };
  }
}

/** The values of moves at places. */
export function valuesAt(moves: readonly Move[], places: readonly number[]): number[] {
  let r = 0;
  return moves.map((move) => (isSide(move) ? move.value[places[r++]!]! : move.value));
}
