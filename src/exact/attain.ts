import { cellOf } from "./axis.ts";
import { allBits, type Choice, type Dimension, dimensionOf, LeafChoices, smaller } from "./choices.ts";
import type { Leaves } from "./contract.ts";
import { type Meter, spend } from "./meter.ts";
import type { Asked, Found } from "./orthant.ts";
import type { Moves } from "./row.ts";

/** Values of a feature whose leaves take no intervals, at most. */
const MOST_BITS = 31;

/** A cut of a dimension: choices up to `at` and those beyond; the gap and the others; bit `at` and the others. */
interface Cut {
  readonly r: number;
  readonly at: number;
  readonly first: boolean;
}

/**
 * Can any legal values reach the target at all, however many features they edit? Branch and bound over boxes of choices.
 * Each box is cut where that costs the sum of the trees' best leaves most, on both sides: all cuts are tried at once, by
 * the best leaf of each tree on either side. What derived columns and rules rule out is not seen here, so that it can
 * only be harder to say that nothing reaches.
 */
export class Attainable {
  readonly #leaves: Leaves;
  readonly #floor: Float64Array;
  readonly #laid: LeafChoices;
  #asked!: Asked;
  #meter!: Meter;
  #last = 0;
  #dimensions: readonly Dimension[] = [];
  /** The box: of each dimension choices from … to and the gap, or the bits `from`. */
  #from = new Int32Array(0);
  #to = new Int32Array(0);
  #gap = new Uint8Array(0);
  /** What the sum loses on either side of each cut: `width` cuts a dimension. */
  #width = 0;
  #lossFirst = new Float64Array(0);
  #lossRest = new Float64Array(0);
  #starts = new Float64Array(0);
  #ends = new Float64Array(0);
  #settled = true;
  #found: Found | undefined;

  constructor(leaves: Leaves, floor: Float64Array, loose: Uint8Array) {
    this.#leaves = leaves;
    this.#floor = floor;
    this.#laid = new LeafChoices(leaves, loose);
  }

  /** A plan of some number of edits; that there is none; or neither, after so many leaves. */
  run(
    x: Float64Array,
    moves: readonly Moves[],
    asked: Asked,
    meter: Meter,
    most: number,
  ): Found | "none" | "open" {
    const { axes } = this.#leaves;
    this.#asked = asked;
    this.#meter = meter;
    this.#last = meter.used + most;
    this.#settled = true;
    this.#found = undefined;
    const at = axes.map((axis, k) => cellOf(axis, x[k]!));
    this.#dimensions = moves.flatMap((own, k) => dimensionOf(own, k, x[k]!, axes[k]!));
    if (this.#dimensions.some(({ bits, choices }) => bits && choices.length > MOST_BITS)) return "open";
    this.#laid.lay(this.#dimensions, at);
    this.#open();
    if (!this.#box(Int32Array.from({ length: this.#laid.count }, (_, j) => j))) return "open";
    return this.#found ?? (this.#settled ? "none" : "open");
  }

  /** The box of all choices. */
  #open(): void {
    const dimensions = this.#dimensions;
    this.#from = Int32Array.from(dimensions, ({ bits, choices }) => (bits ? allBits(choices.length) : 0));
    this.#to = Int32Array.from(dimensions, ({ choices }) => choices.length - 1);
    this.#gap = Uint8Array.from(dimensions, ({ gap }) => (gap ? 1 : 0));
    this.#width = Math.max(1, ...dimensions.map(({ choices }) => choices.length));
    this.#lossFirst = new Float64Array(dimensions.length * this.#width);
    this.#lossRest = new Float64Array(dimensions.length * this.#width);
    this.#starts = new Float64Array(this.#width);
    this.#ends = new Float64Array(this.#width);
  }

  /** Looks through the box, whose leaves these are; false when the effort is used up. */
  #box(list: Int32Array): boolean {
    spend(this.#meter, list.length);
    if (this.#meter.used > this.#last) return false;
    const tightest = this.#tightest(list);
    if (tightest < 0) return true;
    const cut = this.#cut(list, tightest);
    if (!cut) {
      this.#end();
      return true;
    }
    const { r, first } = cut;
    const [from, to, gap] = [this.#from[r]!, this.#to[r]!, this.#gap[r]!];
    for (const side of [first, !first]) {
      this.#narrow(cut, side);
      const go = this.#box(list.filter((j) => this.#meets(j, r)));
      [this.#from[r], this.#to[r], this.#gap[r]] = [from, to, gap];
      if (!go || this.#found) return go;
    }
    return true;
  }

  /** The demand nearest to its edge by the best leaf of each tree; −1 where one falls short. */
  #tightest(list: Int32Array): number {
    const { tree, values, base } = this.#leaves;
    let [tightest, least] = [0, Number.POSITIVE_INFINITY];
    for (let c = 0; c < this.#floor.length; c++) {
      let [most, at, top] = [base[c]!, -1, 0];
      for (const j of list) {
        const l = this.#laid.leaf[j]!;
        const v = values[c]![l]!;
        if (tree[l] !== at) {
          most += top;
          top = v;
          at = tree[l]!;
        } else if (v > top) top = v;
      }
      const room = most + top - this.#floor[c]!;
      if (!(room >= 0)) return -1;
      if (room < least) [least, tightest] = [room, c];
    }
    return tightest;
  }

  /** The cut after which demand c has least left; undefined where every tree has one leaf. */
  #cut(list: Int32Array, c: number): Cut | undefined {
    const { tree } = this.#leaves;
    this.#lossFirst.fill(0);
    this.#lossRest.fill(-1);
    for (let u = 0; u < list.length; ) {
      const from = u;
      const t = tree[this.#laid.leaf[list[u]!]!];
      while (u < list.length && tree[this.#laid.leaf[list[u]!]!] === t) u++;
      if (u - from > 1) for (let r = 0; r < this.#dimensions.length; r++) this.#lose(list, from, u, c, r);
    }
    let [best, most]: [Cut | undefined, number] = [undefined, -1];
    for (let r = 0; r < this.#dimensions.length; r++) {
      for (let at = 0; at < this.#width; at++) {
        const o = r * this.#width + at;
        if (this.#lossRest[o]! < 0) continue;
        const [a, b] = [this.#lossFirst[o]!, this.#lossRest[o]!];
        const gain = 4 * Math.min(a, b) + Math.max(a, b);
        if (gain > most) [best, most] = [{ r, at, first: a <= b }, gain];
      }
    }
    return best;
  }

  /** Adds what one tree, leaves list[from … to), loses by each cut of dimension r. */
  #lose(list: Int32Array, from: number, to: number, c: number, r: number): void {
    const size = this.#dimensions.length;
    const value = this.#leaves.values[c]!;
    const [a, b, gap] = [this.#from[r]!, this.#to[r]!, this.#gap[r]!];
    const { bits } = this.#dimensions[r]!;
    let [whole, top] = [true, Number.NEGATIVE_INFINITY];
    for (let u = from; u < to; u++) {
      const [o, v] = [list[u]! * size + r, value[this.#laid.leaf[list[u]!]!]!];
      if (v > top) top = v;
      whole &&= bits
        ? (this.#laid.low[o]! & a) === a
        : (a > b || (this.#laid.low[o]! <= a && this.#laid.high[o]! >= b)) && this.#laid.gaps[o]! >= gap;
    }
    if (whole) return;
    spend(this.#meter, to - from);
    /** The best leaf of which `takes` is true. */
    const best = (takes: (o: number) => boolean): number => {
      let most = Number.NEGATIVE_INFINITY;
      for (let u = from; u < to; u++) {
        const v = value[this.#laid.leaf[list[u]!]!]!;
        if (v > most && takes(list[u]! * size + r)) most = v;
      }
      return most;
    };
    const add = (at: number, first: number, rest: number): void => {
      const o = r * this.#width + at;
      this.#lossFirst[o]! += top - first;
      this.#lossRest[o] = Math.max(0, this.#lossRest[o]!) + top - rest;
    };
    const [low, high, gaps] = [this.#laid.low, this.#laid.high, this.#laid.gaps];
    if (bits) {
      for (let rest = a; rest !== 0; rest &= rest - 1) {
        const bit = rest & -rest;
        if (a !== bit)
          add(
            31 - Math.clz32(bit),
            best((o) => (low[o]! & bit) !== 0),
            best((o) => (low[o]! & a & ~bit) !== 0),
          );
      }
      return;
    }
    if (gap === 1) {
      if (a <= b)
        add(
          0,
          best((o) => gaps[o] === 1),
          best((o) => low[o]! <= b && high[o]! >= a),
        );
      return;
    }
    this.#along(list, from, to, c, r, top);
  }

  /** The same for the cuts of an interval: running maxima from either end. */
  #along(list: Int32Array, from: number, to: number, c: number, r: number, top: number): void {
    const size = this.#dimensions.length;
    const value = this.#leaves.values[c]!;
    const [a, b] = [this.#from[r]!, this.#to[r]!];
    const [starts, ends, count] = [this.#starts, this.#ends, b - a + 1];
    starts.fill(Number.NEGATIVE_INFINITY, 0, count);
    ends.fill(Number.NEGATIVE_INFINITY, 0, count);
    for (let u = from; u < to; u++) {
      const [o, v] = [list[u]! * size + r, value[this.#laid.leaf[list[u]!]!]!];
      const [first, last] = [Math.max(a, this.#laid.low[o]!) - a, Math.min(b, this.#laid.high[o]!) - a];
      if (v > starts[first]!) starts[first] = v;
      if (v > ends[last]!) ends[last] = v;
    }
    for (let p = 1; p < count; p++) if (starts[p - 1]! > starts[p]!) starts[p] = starts[p - 1]!;
    for (let p = count - 2; p >= 0; p--) if (ends[p + 1]! > ends[p]!) ends[p] = ends[p + 1]!;
    for (let p = 0; p + 1 < count; p++) {
      const o = r * this.#width + a + p;
      this.#lossFirst[o]! += top - starts[p]!;
      this.#lossRest[o] = Math.max(0, this.#lossRest[o]!) + top - ends[p + 1]!;
    }
  }

  /** The part of a box on one side of a cut. */
  #narrow({ r, at }: Cut, first: boolean): void {
    const { bits } = this.#dimensions[r]!;
    const all = this.#from[r]!;
    if (bits) this.#from[r] = first ? 1 << at : all & ~(1 << at);
    else if (this.#gap[r] === 1 && first) [this.#from[r], this.#to[r]] = [0, -1];
    else if (this.#gap[r] === 1) this.#gap[r] = 0;
    else if (first) this.#to[r] = at;
    else this.#from[r] = at + 1;
  }

  #meets(j: number, r: number): boolean {
    const o = j * this.#dimensions.length + r;
    if (this.#dimensions[r]!.bits) return (this.#laid.low[o]! & this.#from[r]!) !== 0;
    if (this.#gap[r] === 1 && this.#laid.gaps[o] === 1) return true;
    return this.#laid.low[o]! <= this.#to[r]! && this.#laid.high[o]! >= this.#from[r]!;
  }

  /** Every row of the box has the same leaves: the model says of the cheapest whether it is a plan. */
  #end(): void {
    const chosen = this.#dimensions.flatMap(({ bits, choices, gap }, r) => {
      const inside = choices.filter((_, c) =>
        bits ? ((this.#from[r]! >> c) & 1) === 1 : c >= this.#from[r]! && c <= this.#to[r]!,
      );
      const all = gap && this.#gap[r] === 1 ? [...inside, gap] : inside;
      const choice = all.reduce((best, one) => (one.cost < best.cost ? one : best));
      return choice.move ? [{ ...choice, move: choice.move }] : [];
    });
    const accepts = (own: readonly Choice[]): boolean => {
      const values = own.map(({ value }) => value);
      return (
        this.#asked.accepts(
          own.map(({ feature }) => feature),
          values,
        ) === "yes"
      );
    };
    if (accepts(chosen)) this.#found = smaller(chosen, accepts);
    // Rules, derived columns and distances may refuse this row, and not the next.
    else this.#settled = false;
  }
}
