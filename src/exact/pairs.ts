import type { Needs } from "./needs.ts";
import type { Option } from "./options.ts";

/**
 * U of every set that adds one or two options to those chosen, for one demand and in one pass over the leaves. In a
 * tree let t be the best leaf that needs nothing more, a(o) what the best leaf that needs only o adds to it, and
 * p(o, o') the same for leaves that need both. The tree's maximum over {o, o'} is then
 * t + max(a(o), a(o'), p(o, o')) = t + a(o) + a(o') − min(a(o), a(o')) + (p(o, o') − max(a(o), a(o')))⁺,
 * so that the sums over trees are kept for single options, and for pairs only where a tree has both.
 */
export class PairBounds {
  readonly size: number;
  /** Σ_trees t, from x's own sum on. */
  #start = 0;
  readonly #alone: Float64Array;
  readonly #both: Float64Array;
  /** Is any of `both` not 0? */
  #mixed = false;
  /** The tree at hand: best leaf of each option and pair, and which there are. */
  #top = 0;
  readonly #single: Float64Array;
  readonly #singles: Int32Array;
  #singleCount = 0;
  readonly #pair: Float64Array;
  readonly #pairs: Int32Array;
  #pairCount = 0;

  constructor(size: number) {
    this.size = size;
    this.#alone = new Float64Array(size);
    this.#both = new Float64Array(size * size);
    this.#single = new Float64Array(size);
    this.#singles = new Int32Array(size);
    this.#pair = new Float64Array(size * size);
    this.#pairs = new Int32Array(size * size);
  }

  one(o: number): number {
    return this.#start + this.#alone[o]!;
  }

  /** o < p. */
  two(o: number, p: number): number {
    return this.#start + this.#alone[o]! + this.#alone[p]! + this.#both[o * this.size + p]!;
  }

  /**
   * @param taken bits of the features chosen already, by word
   * @param left needs of each leaf of the list that are not chosen yet; at most 2
   */
  fill(
    needs: Needs,
    c: number,
    options: readonly (Option | undefined)[],
    list: Int32Array,
    left: Uint8Array,
    from: number,
    to: number,
    taken: Int32Array,
  ): void {
    const { words, need, tree } = needs;
    const gain = needs.gain[c]!;
    this.#start = needs.now[c]!;
    this.#alone.fill(0);
    if (this.#mixed) this.#both.fill(0);
    this.#mixed = false;
    let at = -1;
    for (let u = from; u < to; u++) {
      const l = list[u]!;
      if (tree[l] !== at) {
        this.#close();
        at = tree[l]!;
      }
      const value = gain[l]!;
      if (value <= this.#top) continue;
      if (left[u] === 0) this.#top = value;
      else this.#leaf(need, l * words, words, taken, value, left[u]!, options);
    }
    this.#close();
  }

  #leaf(
    need: Int32Array,
    at: number,
    words: number,
    taken: Int32Array,
    value: number,
    left: number,
    options: readonly (Option | undefined)[],
  ): void {
    for (let w = 0; w < words; w++) {
      for (let bits = need[at + w]! & ~taken[w]!; bits !== 0; bits &= bits - 1) {
        const o = 32 * w + 31 - Math.clz32(bits & -bits);
        if (left === 1) this.#addSingle(o, value);
        else this.#addPairs(need, at, words, taken, value, o, options[o]!);
      }
    }
  }

  #addSingle(o: number, value: number): void {
    if (this.#single[o] === 0) this.#singles[this.#singleCount++] = o;
    if (value > this.#single[o]!) this.#single[o] = value;
  }

  /** Pairs of o with later options of the leaf's other feature. */
  #addPairs(
    need: Int32Array,
    at: number,
    words: number,
    taken: Int32Array,
    value: number,
    o: number,
    { word, bit, all }: Option,
  ): void {
    for (let w = word; w < words; w++) {
      let bits = need[at + w]! & ~taken[w]!;
      if (w === word) bits &= ~all & (bit === 31 ? 0 : -1 << (bit + 1));
      for (; bits !== 0; bits &= bits - 1) {
        const key = o * this.size + 32 * w + 31 - Math.clz32(bits & -bits);
        if (this.#pair[key] === 0) this.#pairs[this.#pairCount++] = key;
        if (value > this.#pair[key]!) this.#pair[key] = value;
      }
    }
  }

  /** Adds the tree at hand to the sums. */
  #close(): void {
    const [size, top, single] = [this.size, this.#top, this.#single];
    this.#start += top;
    if (this.#singleCount > 1 || this.#pairCount > 0) this.#mixed = true;
    for (let i = 0; i < this.#singleCount; i++) {
      const o = this.#singles[i]!;
      single[o] = Math.max(0, single[o]! - top);
      this.#alone[o]! += single[o]!;
    }
    for (let i = 0; i < this.#singleCount; i++) {
      const o = this.#singles[i]!;
      for (let j = 0; j < i; j++) {
        const p = this.#singles[j]!;
        this.#both[o < p ? o * size + p : p * size + o]! -= Math.min(single[o]!, single[p]!);
      }
    }
    for (let i = 0; i < this.#pairCount; i++) {
      const key = this.#pairs[i]!;
      const beyond = this.#pair[key]! - top - Math.max(single[Math.floor(key / size)]!, single[key % size]!);
      if (beyond > 0) this.#both[key]! += beyond;
      this.#pair[key] = 0;
    }
    for (let i = 0; i < this.#singleCount; i++) single[this.#singles[i]!] = 0;
    this.#singleCount = 0;
    this.#pairCount = 0;
    this.#top = 0;
  }
}
