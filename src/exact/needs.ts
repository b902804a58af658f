import type { Leaves, Nodes } from "./contract.ts";
import { type Meter, spend } from "./meter.ts";
import type { Option } from "./options.ts";
import { isSide, type Side } from "./row.ts";

/** Edits no search is asked to look beyond. */
export const MOST_EDITS = 254;

/**
 * The leaves that a row can come to with at most `size` edits, found by going down the trees: where x does not go,
 * a feature must be edited, and where no legal value goes, or too many are edited, nothing below is looked at.
 */
export class Needs {
  /** Words of `need` per leaf. */
  words = 1;
  count = 0;
  tree = new Int32Array(256);
  /** Bit o of leaf u: option o brings a feature that must be edited to where the leaf wants it. */
  need = new Int32Array(256);
  /** How many features must be edited, and the least change of that. */
  edits = new Uint8Array(256);
  cost = new Float64Array(256);
  /** What leaf u adds beyond the leaf of its tree that x is in, for each demand. */
  gain: Float64Array[];
  /** Σ of x itself, for each demand: an upper bound where derived columns leave x several leaves. */
  readonly now: Float64Array;
  readonly #leaves: Leaves;
  readonly #nodes: Nodes;
  readonly #loose: Uint8Array;
  #meter!: Meter;
  #at: Int32Array = new Int32Array(0);
  #own: readonly (readonly Option[])[] = [];
  readonly #masked: Uint8Array;
  readonly #cells: Int32Array;
  #size = -1;
  /** What the path so far leaves of each feature; whether it must be edited, by which options, at what cost. */
  readonly #low: Int32Array;
  readonly #high: Int32Array;
  readonly #gap: Uint8Array;
  readonly #masks: readonly Uint32Array[];
  readonly #bits: Int32Array;
  readonly #costs: Float64Array;
  readonly #edited: Int32Array;
  #depth = 0;

  /** @param loose 1 for derived columns, which need no edit of their own */
  constructor(leaves: Leaves, loose: Uint8Array) {
    const { axes, values } = leaves;
    this.#leaves = leaves;
    this.#nodes = leaves.nodes;
    this.#loose = loose;
    this.gain = values.map(() => new Float64Array(256));
    this.now = new Float64Array(values.length);
    this.#masked = Uint8Array.from(axes, (axis) => (axis.masked ? 1 : 0));
    this.#cells = Int32Array.from(axes, (axis) => axis.cells);
    this.#low = new Int32Array(axes.length);
    this.#high = this.#cells.map((cells) => cells - 1);
    this.#gap = new Uint8Array(axes.length).fill(1);
    this.#masks = axes.map(({ masked, cells }) => new Uint32Array(masked ? (cells >> 5) + 1 : 0).fill(~0));
    this.#bits = new Int32Array(axes.length);
    this.#costs = new Float64Array(axes.length);
    this.#edited = new Int32Array(axes.length);
  }

  /** Turns to another row. */
  open(at: Int32Array, options: readonly (Option | undefined)[], meter: Meter): void {
    this.#meter = meter;
    this.#at = at;
    this.#size = -1;
    this.#depth = 0;
    this.words = Math.max(1, (options.length + 31) >> 5);
    if (this.need.length < this.tree.length * this.words)
      this.need = new Int32Array(this.tree.length * this.words);
    const own: Option[][] = Array.from(at, () => []);
    for (const option of options) if (option) own[option.feature]!.push(option);
    this.#own = own;
  }

  find(size: number): void {
    if (this.#size === size) return;
    this.#size = size;
    this.count = 0;
    this.now.set(this.#leaves.base);
    const { roots } = this.#leaves.nodes;
    for (let t = 0; t < roots.length; t++) {
      const from = this.count;
      this.#descend(roots[t]!, t);
      this.#close(from);
      spend(this.#meter, 2 * (this.count - from));
    }
  }

  #descend(from: number, t: number): void {
    const { test, cut, below, above, gap } = this.#nodes;
    const v = this.#depth === this.#size ? this.#stay(from) : from;
    if (v < 0) return;
    const k = test[v]!;
    if (k < 0) {
      this.#leaf(cut[v]!, t);
      return;
    }
    if (this.#loose[k]) {
      if (below[v]! >= 0) this.#descend(below[v]!, t);
      if (above[v]! >= 0) this.#descend(above[v]!, t);
      return;
    }
    if (this.#masked[k]) {
      this.#onMask(v, k, t);
      return;
    }
    const low = this.#low[k]!;
    const high = this.#high[k]!;
    const missing = this.#gap[k]!;
    if (below[v]! >= 0) {
      if (cut[v]! <= high) this.#high[k] = cut[v]! - 1;
      this.#gap[k] = missing & gap[v]!;
      this.#enter(below[v]!, k, t);
      this.#high[k] = high;
    }
    if (above[v]! >= 0) {
      if (cut[v]! > low) this.#low[k] = cut[v]!;
      this.#gap[k] = missing & (1 - gap[v]!);
      this.#enter(above[v]!, k, t);
      this.#low[k] = low;
    }
    this.#gap[k] = missing;
  }

  /** Where no further feature may be edited: the next node from v on that tests one that is, or a leaf; −1 for none. */
  #stay(from: number): number {
    const { test, cut, below, above, gap, masks } = this.#nodes;
    let v = from;
    while (v >= 0) {
      const k = test[v]!;
      if (k < 0 || this.#loose[k] || this.#bits[k] !== 0) return v;
      const cell = this.#at[k]!;
      const left = this.#masked[k]
        ? ((masks[cut[v]! + (cell >> 5)]! >>> (cell & 31)) & 1) === 1
        : cell < cut[v]! || (gap[v] === 1 && cell === this.#cells[k]);
      v = left ? below[v]! : above[v]!;
    }
    return v;
  }

  #onMask(v: number, k: number, t: number): void {
    const { cut, below, above, masks } = this.#leaves.nodes;
    const mask = this.#masks[k]!;
    const before = mask.slice();
    for (const side of [below[v]!, above[v]!]) {
      if (side < 0) continue;
      const flip = side === below[v] ? 0 : ~0;
      for (let w = 0; w < mask.length; w++) mask[w] = before[w]! & (masks[cut[v]! + w]! ^ flip);
      this.#enter(side, k, t);
    }
    mask.set(before);
  }

  /** Goes on below v, of which feature k must be where the path leaves it. */
  #enter(v: number, k: number, t: number): void {
    if (this.#holds(k, this.#at[k]!)) {
      this.#descend(v, t);
      return;
    }
    const bits = this.#bits[k]!;
    const cost = this.#costs[k]!;
    if (bits === 0 && this.#depth === this.#size) return;
    if (this.#reach(k)) {
      if (bits === 0) this.#edited[this.#depth++] = k;
      this.#descend(v, t);
      if (bits === 0) this.#depth--;
    }
    this.#bits[k] = bits;
    this.#costs[k] = cost;
  }

  /** Is a cell of feature k where the path leads? */
  #holds(k: number, cell: number): boolean {
    if (this.#masked[k]) return ((this.#masks[k]![cell >> 5]! >>> (cell & 31)) & 1) === 1;
    if (cell === this.#cells[k]) return this.#gap[k] === 1;
    return cell >= this.#low[k]! && cell <= this.#high[k]!;
  }

  /** The options that bring feature k to where the path leads, and the least change of it; false where none does. */
  #reach(k: number): boolean {
    const own = this.#own[k]!;
    const low = this.#low[k]!;
    const high = this.#high[k]!;
    let bits = 0;
    let least = Number.POSITIVE_INFINITY;
    for (let o = 0; o < own.length; o++) {
      const { moves, bit } = own[o]!;
      for (let m = 0; m < moves.length; m++) {
        const move = moves[m]!;
        let cost = Number.POSITIVE_INFINITY;
        if (isSide(move)) cost = low > high ? cost : leastOf(move, low, high);
        else if (this.#holds(k, move.cell)) cost = move.cost;
        if (cost === Number.POSITIVE_INFINITY) continue;
        bits |= 1 << bit;
        if (cost < least) least = cost;
      }
    }
    this.#bits[k] = bits;
    this.#costs[k] = least;
    return bits !== 0;
  }

  #leaf(leaf: number, t: number): void {
    const u = this.count++;
    if (u >= this.tree.length) this.#grow();
    this.tree[u] = t;
    this.edits[u] = this.#depth;
    const at = u * this.words;
    for (let w = 0; w < this.words; w++) this.need[at + w] = 0;
    let cost = 0;
    for (let e = 0; e < this.#depth; e++) {
      const k = this.#edited[e]!;
      this.need[at + this.#own[k]![0]!.word]! |= this.#bits[k]!;
      cost += this.#costs[k]!;
    }
    this.cost[u] = cost;
    const { values } = this.#leaves;
    for (let c = 0; c < values.length; c++) this.gain[c]![u] = values[c]![leaf]!;
  }

  /** The leaves of a tree are found: what they add beyond x's own. */
  #close(from: number): void {
    for (let c = 0; c < this.gain.length; c++) {
      const gain = this.gain[c]!;
      let own = Number.NEGATIVE_INFINITY;
      for (let u = from; u < this.count; u++) if (this.edits[u] === 0 && gain[u]! > own) own = gain[u]!;
      this.now[c]! += own;
      for (let u = from; u < this.count; u++) gain[u]! -= own;
    }
  }

  #grow(): void {
    const size = 2 * this.tree.length;
    this.tree = copied(new Int32Array(size), this.tree);
    this.need = copied(new Int32Array(size * this.words), this.need);
    this.edits = copied(new Uint8Array(size), this.edits);
    this.cost = copied(new Float64Array(size), this.cost);
    this.gain = this.gain.map((gain) => copied(new Float64Array(size), gain));
  }
}

/** The least change along a side to where cells [low, high] are; Infinity where none of its places is there. */
function leastOf({ until, up, before, cost }: Side, low: number, high: number): number {
  const nearer = up ? (low > 0 ? until[low - 1]! : 0) : until[high + 1]!;
  const first = nearer > before ? nearer - before : 0;
  const last = (up ? until[high]! : until[low]!) - before;
  return first < last ? cost[first + 1]! : Number.POSITIVE_INFINITY;
}

export function copied<T extends Int32Array | Float64Array | Uint8Array>(into: T, from: T): T {
  into.set(from);
  return into;
}
