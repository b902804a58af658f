import { Boxes, type Orthant } from "./boxes.ts";
import type { Leaves } from "./contract.ts";
import { type Meter, spend } from "./meter.ts";
import { type Needs, type Option, takes } from "./needs.ts";
import { isSide, type Move } from "./row.ts";

/** A plan: how each feature moves and, for those that move along a side, how far. */
export interface Found {
  readonly features: readonly number[];
  readonly options: readonly Option[];
  readonly moves: readonly Move[];
  readonly places: readonly number[];
  readonly cost: number;
}

/** What a search asks of the row it is about. */
export interface Asked {
  /** Is the row with these values at the target, and legal? */
  accepts(features: readonly number[], values: readonly number[]): boolean;
}

/** The least change with which exactly the features of a set, moved as its options say, reach the target. */
export class OrthantSearch {
  readonly #leaves: Leaves;
  readonly #needs: Needs;
  readonly #floor: Float64Array;
  readonly #meter: Meter;
  readonly #asked: Asked;
  readonly #boxes: Boxes;
  #size = -1;
  #lists: Int32Array[];
  /** Scratch of `gather`: bits of features outside the set, ends of trees, leaves seen in this run, leaves found. */
  readonly #outside: Int32Array;
  readonly #ends: Int32Array;
  readonly #stamp: Int32Array;
  readonly #picked: Int32Array;
  #run = 0;
  /** Σ of the trees that the set at hand does not touch, for each demand. */
  readonly #base: Float64Array;
  #features: readonly number[] = [];
  /** Leaves of the set. */
  readonly #ids: Int32Array;
  readonly #slot: Int32Array;
  readonly #laid: Pick<Orthant, "low" | "high" | "tree" | "value">;
  #best = Number.POSITIVE_INFINITY;
  #found: Found | undefined;

  constructor(leaves: Leaves, needs: Needs, floor: Float64Array, meter: Meter, asked: Asked) {
    this.#leaves = leaves;
    this.#needs = needs;
    this.#floor = floor;
    this.#meter = meter;
    this.#asked = asked;
    this.#boxes = new Boxes(floor, meter);
    this.#lists = Array.from({ length: 32 * needs.words + leaves.axes.length }, () => new Int32Array(0));
    this.#base = leaves.base.slice();
    this.#ids = new Int32Array(leaves.tree.length);
    this.#outside = new Int32Array(needs.words);
    this.#ends = new Int32Array(leaves.trees + 1);
    this.#stamp = new Int32Array(leaves.tree.length);
    this.#picked = new Int32Array(leaves.tree.length);
    this.#slot = new Int32Array(leaves.axes.length).fill(-1);
    const none = new Int32Array(0);
    this.#laid = { low: none, high: none, tree: none, value: leaves.values.map(() => new Float64Array(0)) };
  }

  /** The plan of least change below `cap`. */
  run(options: readonly Option[], cap: number): Found | undefined {
    this.#best = cap;
    this.#found = undefined;
    this.#features = options.map((option) => option.feature);
    const count = this.#gather(options);
    this.#turn(options, [], count, 0);
    return this.#found;
  }

  /**
   * Lists, for sets of `size` features: the leaves that need each option, and for each feature the leaves x is in that
   * test it. A tree whose own leaf tests no feature of a set stays in that leaf whatever the set does.
   */
  #sort(size: number): void {
    if (this.#size === size) return;
    this.#size = size;
    const { words, need, count } = this.#needs;
    const { start, feature } = this.#leaves;
    const lists: number[][] = Array.from({ length: this.#lists.length }, () => []);
    const own = 32 * words;
    for (let l = 0; l < count.length; l++) {
      if (count[l]! > size) continue;
      if (count[l] === 0) for (let e = start[l]!; e < start[l + 1]!; e++) lists[own + feature[e]!]!.push(l);
      for (let w = 0; w < words; w++) {
        for (let bits = need[l * words + w]!; bits !== 0; bits &= bits - 1) {
          lists[32 * w + 31 - Math.clz32(bits & -bits)]!.push(l);
        }
      }
    }
    this.#lists = lists.map((list) => Int32Array.from(list));
  }

  /** The leaves that need nothing but features of the set, tree by tree; trees the set does not touch are in `base`. */
  #gather(options: readonly Option[]): number {
    this.#sort(options.length);
    const { words } = this.#needs;
    const { tree, values } = this.#leaves;
    const [outside, ends, picked] = [this.#outside, this.#ends, this.#picked];
    outside.fill(-1);
    for (const { word, all } of options) outside[word]! &= ~all;
    ends.fill(0);
    this.#run++;
    this.#base.set(this.#needs.now);
    let found = 0;
    for (const { feature } of options) {
      const before = found;
      found = this.#pick(this.#lists[32 * words + feature]!, found);
      for (let c = 0; c < values.length; c++) {
        for (let i = before; i < found; i++) this.#base[c]! -= values[c]![picked[i]!]!;
      }
    }
    for (const { word, bit } of options) found = this.#pick(this.#lists[32 * word + bit]!, found);
    for (let t = 1; t < ends.length; t++) ends[t]! += ends[t - 1]!;
    for (let i = 0; i < found; i++) this.#ids[ends[tree[picked[i]!]!]!++] = picked[i]!;
    return found;
  }

  /** Adds the leaves of a list that are new and need nothing outside the set. */
  #pick(list: Int32Array, from: number): number {
    const { words, need } = this.#needs;
    const { tree } = this.#leaves;
    const [outside, ends, stamp, picked, run] = [
      this.#outside,
      this.#ends,
      this.#stamp,
      this.#picked,
      this.#run,
    ];
    spend(this.#meter, list.length);
    let found = from;
    for (let u = 0; u < list.length; u++) {
      const l = list[u]!;
      let strange = stamp[l] === run ? 1 : 0;
      for (let w = 0; w < words; w++) strange |= need[l * words + w]! & outside[w]!;
      if (strange !== 0) continue;
      stamp[l] = run;
      picked[found++] = l;
      ends[tree[l]! + 1]!++;
    }
    return found;
  }

  /** Takes each option's moves in turn. */
  #turn(options: readonly Option[], moves: readonly Move[], count: number, cost: number): void {
    if (moves.length === options.length) {
      this.#search(options, moves, count, cost);
      return;
    }
    for (const move of options[moves.length]!.moves) {
      const least = cost + (isSide(move) ? move.cost[1]! : move.cost);
      if (least < this.#best) this.#turn(options, [...moves, move], count, least);
    }
  }

  /** The orthant of a plan: its leaves until the next set is searched. */
  around({ options, moves }: Found): Orthant {
    this.#features = options.map((option) => option.feature);
    return this.#orthant(moves, this.#gather(options), 0);
  }

  #orthant(moves: readonly Move[], count: number, least: number): Orthant {
    const sides = moves.filter(isSide);
    const laid = this.#lay(moves, sides.length, count);
    const cost = least - sides.reduce((sum, side) => sum + side.cost[1]!, 0);
    return { sides, cost, base: this.#base, count: laid, ...this.#laid };
  }

  #search(options: readonly Option[], moves: readonly Move[], count: number, least: number): void {
    const orthant = this.#orthant(moves, count, least);
    if (!this.#enough(orthant.count)) return;
    const found = this.#boxes.run(orthant, this.#best, (places) =>
      this.#asked.accepts(this.#features, valuesAt(moves, places)),
    );
    if (!found) return;
    this.#best = found.cost;
    this.#found = { features: this.#features, options, moves, ...found };
  }

  /** Places, trees and values of the leaves that the moves reach, side by side; returns how many these are. */
  #lay(moves: readonly Move[], size: number, count: number): number {
    const leaves = this.#leaves;
    const { start, feature, values, tree, low: from, high: to } = leaves;
    this.#room(count, size);
    const { low, high, tree: trees, value } = this.#laid;
    const [slot, ids] = [this.#slot, this.#ids];
    const sides = moves.filter(isSide);
    const until = sides.map((side) => side.until);
    const up = Uint8Array.from(sides, (side) => (side.up ? 1 : 0));
    const most = Int32Array.from(sides, (side) => side.count);
    // Sides are slots 0, 1, …; points come behind them.
    let [side, point] = [0, size];
    const points: Move[] = [];
    moves.forEach((move, q) => {
      slot[this.#features[q]!] = isSide(move) ? side++ : point++;
      if (!isSide(move)) points.push(move);
    });
    let end = 0;
    spend(this.#meter, count);
    for (let i = 0; i < count; i++) {
      const l = ids[i]!;
      const at = end * size;
      for (let r = 0; r < size; r++) {
        low[at + r] = 1;
        high[at + r] = most[r]!;
      }
      let met = true;
      for (let e = start[l]!; e < start[l + 1]! && met; e++) {
        const r = slot[feature[e]!]!;
        if (r < 0) continue;
        if (r >= size) {
          met = takes(leaves, feature[e]!, e, points[r - size]!);
          continue;
        }
        const [a, b, places] = [from[e]!, to[e]!, until[r]!];
        const first = 1 + (up[r] === 0 ? places[b + 1]! : a > 0 ? places[a - 1]! : 0);
        const last = up[r] === 0 ? places[a]! : places[b]!;
        low[at + r] = first;
        high[at + r] = last;
        met = a <= b && first <= last;
      }
      if (!met) continue;
      trees[end] = tree[l]!;
      for (let c = 0; c < values.length; c++) value[c]![end] = values[c]![l]!;
      end++;
    }
    for (const k of this.#features) slot[k] = -1;
    return end;
  }

  #room(count: number, size: number): void {
    const laid = this.#laid;
    if (laid.low.length < (count + 1) * size) {
      laid.low = new Int32Array(2 * (count + 1) * size);
      laid.high = new Int32Array(2 * (count + 1) * size);
    }
    if (laid.tree.length >= count) return;
    laid.tree = new Int32Array(2 * count);
    laid.value = laid.value.map(() => new Float64Array(2 * count));
  }

  /** Do the sums of the trees' maxima reach every edge? */
  #enough(count: number): boolean {
    const { tree } = this.#laid;
    for (let c = 0; c < this.#floor.length; c++) {
      const value = this.#laid.value[c]!;
      let sum = this.#base[c]!;
      let [at, top] = [-1, 0];
      for (let j = 0; j < count; j++) {
        if (tree[j] !== at) {
          sum += top;
          top = value[j]!;
          at = tree[j]!;
        } else if (value[j]! > top) top = value[j]!;
      }
      if (!(sum + top >= this.#floor[c]!)) return false;
    }
    return true;
  }
}

/** The values of moves at places. */
export function valuesAt(moves: readonly Move[], places: readonly number[]): number[] {
  let r = 0;
  return moves.map((move) => (isSide(move) ? move.value[places[r++]!]! : move.value));
}
