import type { Leaves, Nodes } from "./contract.ts";
import { type Meter, spend } from "./meter.ts";
import { copied } from "./needs.ts";
import type { Orthant } from "./place.ts";
import { isSide, type Move, type Side } from "./row.ts";

/** Ways in which a feature moves. */
const [UP, DOWN, BOTH] = [1, 2, 3];

/** Where one row is in each tree: its leaf, and by which moves it could leave the way there. */
interface Standing {
  readonly leaf: Int32Array;
  /** Bits 2k and 2k + 1 of a tree's words: feature k moving up, or down. */
  readonly left: Int32Array;
}

/** The leaves that a row comes to when some features move in given ways, as places along the sides. */
export class Laying {
  /** The leaf of the model that each leaf laid is. */
  ids = new Int32Array(256);
  readonly #leaves: Leaves;
  readonly #nodes: Nodes;
  readonly #masked: Uint8Array;
  readonly #cells: Int32Array;
  readonly #words: number;
  #meter!: Meter;
  readonly #at: Int32Array;
  readonly #standing: Standing;
  readonly #now: Float64Array;
  readonly #base: Float64Array;
  /** For each feature: −1 at rest (or moved to a point, then `cell` is the point's), −2 follows others, else its side. */
  readonly #slot: Int32Array;
  readonly #cell: Int32Array;
  #sides: readonly Side[] = [];
  #low = new Int32Array(16);
  #high = new Int32Array(16);
  readonly #laid: Pick<Orthant, "low" | "high" | "tree" | "value">;
  #count = 0;

  constructor(leaves: Leaves) {
    const { axes, trees, values } = leaves;
    this.#leaves = leaves;
    this.#nodes = leaves.nodes;
    this.#masked = Uint8Array.from(axes, (axis) => (axis.masked ? 1 : 0));
    this.#cells = Int32Array.from(axes, (axis) => axis.cells);
    this.#words = (2 * axes.length + 31) >> 5;
    this.#at = new Int32Array(axes.length);
    this.#cell = new Int32Array(axes.length);
    this.#slot = new Int32Array(axes.length).fill(-1);
    this.#standing = { leaf: new Int32Array(trees), left: new Int32Array(trees * this.#words) };
    this.#now = leaves.base.slice();
    this.#base = leaves.base.slice();
    this.#laid = {
      low: new Int32Array(256),
      high: new Int32Array(256),
      tree: new Int32Array(256),
      value: values.map(() => new Float64Array(256)),
    };
  }

  /** Turns to another row, by its cells. */
  open(at: Int32Array, meter: Meter): void {
    this.#meter = meter;
    this.#at.set(at);
    this.#cell.set(at);
    this.#slot.fill(-1);
    const { nodes, values, base } = this.#leaves;
    const { leaf, left } = this.#standing;
    const words = this.#words;
    left.fill(0);
    this.#now.set(base);
    for (let t = 0; t < leaf.length; t++) {
      let v = nodes.roots[t]!;
      while (nodes.test[v]! >= 0) {
        const k = nodes.test[v]!;
        const below = this.#goesBelow(v, k);
        const free = this.#masked[k] === 1 || this.#cell[k] === this.#cells[k];
        left[t * words + (k >> 4)]! |= (free ? BOTH : below ? UP : DOWN) << (2 * (k & 15));
        v = below ? nodes.below[v]! : nodes.above[v]!;
      }
      leaf[t] = nodes.cut[v]!;
      for (let c = 0; c < values.length; c++) this.#now[c]! += values[c]![leaf[t]!]!;
    }
  }

  #goesBelow(v: number, k: number): boolean {
    const { cut, gap, masks } = this.#nodes;
    const cell = this.#cell[k]!;
    if (this.#masked[k]) return ((masks[cut[v]! + (cell >> 5)]! >>> (cell & 31)) & 1) === 1;
    return cell < cut[v]! || (gap[v] === 1 && cell === this.#cells[k]);
  }

  /**
   * The orthant of these moves.
   * @param follow derived columns that move along
   * @param cap change a plan must stay below: places that alone change as much are left out
   */
  lay(features: readonly number[], moves: readonly Move[], follow: readonly number[], cap: number): Orthant {
    const sides = moves.filter(isSide);
    this.#sides = sides;
    const least = moves.reduce((sum, move) => sum + (isSide(move) ? move.cost[1]! : move.cost), 0);
    const cost = least - sides.reduce((sum, side) => sum + side.cost[1]!, 0);
    if (this.#low.length < sides.length) {
      this.#low = new Int32Array(2 * sides.length);
      this.#high = new Int32Array(2 * sides.length);
    }
    sides.forEach((side, r) => {
      this.#low[r] = 1;
      this.#high[r] = Math.max(1, farthest(side, cap - least + side.cost[1]!));
    });
    const far = Array.from(this.#high.subarray(0, sides.length));
    let r = 0;
    features.forEach((k, q) => {
      const move = moves[q]!;
      if (isSide(move)) this.#slot[k] = r++;
      else this.#cell[k] = move.cell;
    });
    for (const k of follow) this.#slot[k] = -2;
    this.#count = 0;
    try {
      this.#walk(features, moves, follow);
    } finally {
      // The effort may end here, and the plan there is be laid out after it.
      for (const k of features) {
        this.#slot[k] = -1;
        this.#cell[k] = this.#at[k]!;
      }
      for (const k of follow) this.#slot[k] = -1;
    }
    return { sides, far, cost, base: this.#base, count: this.#count, ...this.#laid };
  }

  /** Trees whose way to x's leaf these moves do not leave stay there; the others are walked. */
  #walk(features: readonly number[], moves: readonly Move[], follow: readonly number[]): void {
    const { nodes, values } = this.#leaves;
    const { leaf, left } = this.#standing;
    const words = this.#words;
    const set = new Int32Array(words);
    features.forEach((k, q) => {
      const move = moves[q]!;
      set[k >> 4]! |= (isSide(move) ? (move.up ? UP : DOWN) : BOTH) << (2 * (k & 15));
    });
    for (const k of follow) set[k >> 4]! |= BOTH << (2 * (k & 15));
    this.#base.set(this.#now);
    for (let t = 0; t < leaf.length; t++) {
      let touched = 0;
      for (let w = 0; w < words; w++) touched |= left[t * words + w]! & set[w]!;
      if (touched === 0) continue;
      for (let c = 0; c < values.length; c++) this.#base[c]! -= values[c]![leaf[t]!]!;
      const from = this.#count;
      this.#descend(nodes.roots[t]!, t);
      spend(this.#meter, this.#count - from);
    }
  }

  #descend(root: number, t: number): void {
    const { test, cut, below, above } = this.#nodes;
    const slot = this.#slot;
    for (let v = root; v >= 0; ) {
      const k = test[v]!;
      if (k < 0) {
        this.#leaf(cut[v]!, t);
        return;
      }
      const r = slot[k]!;
      if (r === -1) v = this.#goesBelow(v, k) ? below[v]! : above[v]!;
      else if (r === -2) {
        this.#descend(below[v]!, t);
        v = above[v]!;
      } else v = this.#fork(v, r, t);
    }
  }

  /** Goes both ways at a test of side r; where only one is open, that is returned. */
  #fork(v: number, r: number, t: number): number {
    const { cut, below, above } = this.#nodes;
    const { up, until, before } = this.#sides[r]!;
    const [low, high] = [this.#low[r]!, this.#high[r]!];
    // Places up to m are on the side of the cut that is nearer to x.
    const m = (up ? until[cut[v]! - 1]! : until[cut[v]!]!) - before;
    const [near, far] = up ? [below[v]!, above[v]!] : [above[v]!, below[v]!];
    if (m >= high) return near;
    if (m < low) return far;
    this.#high[r] = m;
    this.#descend(near, t);
    this.#high[r] = high;
    this.#low[r] = m + 1;
    this.#descend(far, t);
    this.#low[r] = low;
    return -1;
  }

  #leaf(leaf: number, t: number): void {
    const j = this.#count++;
    const size = this.#sides.length;
    const laid = this.#laid;
    if (j >= this.ids.length || (j + 1) * size > laid.low.length) this.#grow(size);
    this.ids[j] = leaf;
    laid.tree[j] = t;
    for (let r = 0; r < size; r++) {
      laid.low[j * size + r] = this.#low[r]!;
      laid.high[j * size + r] = this.#high[r]!;
    }
    const { values } = this.#leaves;
    for (let c = 0; c < values.length; c++) laid.value[c]![j] = values[c]![leaf]!;
  }

  #grow(size: number): void {
    const count = 2 * this.ids.length;
    const laid = this.#laid;
    this.ids = copied(new Int32Array(count), this.ids);
    laid.tree = copied(new Int32Array(count), laid.tree);
    laid.value = laid.value.map((value) => copied(new Float64Array(count), value));
    const places = Math.max(laid.low.length, count * size);
    laid.low = copied(new Int32Array(places), laid.low);
    laid.high = copied(new Int32Array(places), laid.high);
  }
}

/** The last place of a side that costs less than `cap`. */
function farthest({ cost, count }: Side, cap: number): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (cost[middle]! < cap) low = middle;
    else high = middle - 1;
  }
  return low;
}
