import { copied } from "./needs.ts";
import { NOTHING, type Orthant } from "./place.ts";

/** Cells of a table that two dimensions have whatever they hold, and for each of its leaves. */
const FEW_CELLS = 4096;
const CELLS_PER_LEAF = 32;

/**
 * An orthant with its sums laid out. Dimension r is cut where some leaf begins or ends, into steps 1 … steps[r]. Trees
 * whose leaves differ along one or two dimensions only are added up, exactly, in one table for each pair of dimensions;
 * what is left are the leaves of trees that differ along more.
 */
export class Grid {
  size = 0;
  /** Step i of dimension r begins at places[from[r] + i] and costs costs[from[r] + i]. */
  readonly steps: number[] = [];
  readonly from: number[] = [];
  places = new Int32Array(256);
  costs = new Float64Array(256);
  /** Table t: dimensions first[t] and second[t] (the same: one only); cell (p, q) is cells[c][start[t] + p·width[t] + q]. */
  tables = 0;
  readonly first: number[] = [];
  readonly second: number[] = [];
  readonly start: number[] = [];
  readonly width: number[] = [];
  cells: Float64Array[];
  /** Σ of the trees that no step moves, for each demand. */
  readonly base: Float64Array;
  /** The leaves left, by steps as in `Orthant` by places. */
  count = 0;
  low = new Int32Array(256);
  high = new Int32Array(256);
  tree = new Int32Array(256);
  value: Float64Array[];
  #orthant: Orthant = NOTHING;
  /** Of each pair of dimensions (a·size + b, a ≤ b): its leaves, then its table; −1 for none. */
  #pairs = new Int32Array(64);
  #size = 0;
  #trees = 0;
  #ends = new Int32Array(256);
  #pair = new Int32Array(256);
  /** Place → step, for one dimension after the other. */
  #step = new Int32Array(256);
  readonly #stepFrom: number[] = [];

  constructor(demands: number) {
    this.base = new Float64Array(demands);
    this.cells = Array.from(this.base, () => new Float64Array(1024));
    this.value = Array.from(this.base, () => new Float64Array(256));
  }

  open(orthant: Orthant): void {
    this.#orthant = orthant;
    this.size = orthant.sides.length;
    this.base.set(orthant.base);
    this.#cut();
    this.#group();
    this.#pose();
    this.#fill();
    this.#sum();
  }

  /** Steps of each dimension. */
  #cut(): void {
    const { sides, far, low, high, count } = this.#orthant;
    const size = this.size;
    const all = far.reduce((sum, end) => sum + end + 2, 0);
    if (this.#step.length < all) this.#step = new Int32Array(2 * all);
    if (this.places.length < all) {
      this.places = new Int32Array(2 * all);
      this.costs = new Float64Array(2 * all);
    }
    const step = this.#step.fill(0, 0, all);
    let [open, start] = [0, 0];
    for (let r = 0; r < size; r++) {
      const end = far[r]!;
      step[open + 1] = 1;
      for (let j = r; j < count * size; j += size) {
        step[open + low[j]!] = 1;
        if (high[j]! < end) step[open + high[j]! + 1] = 1;
      }
      const { cost } = sides[r]!;
      let n = 0;
      for (let p = 1; p <= end; p++) {
        if (step[open + p] === 1) {
          n++;
          this.places[start + n] = p;
          this.costs[start + n] = cost[p]!;
        }
        step[open + p] = n;
      }
      this.#stepFrom[r] = open;
      this.from[r] = start;
      this.steps[r] = n;
      open += end + 2;
      start += n + 1;
    }
  }

  /** The trees of the orthant: where the leaves of each end, and the pair of dimensions along which they differ. */
  #group(): void {
    const { tree, count } = this.#orthant;
    this.#trees = 0;
    for (let j = 0; j < count; ) {
      let end = j + 1;
      while (end < count && tree[end] === tree[j]) end++;
      if (this.#trees >= this.#ends.length) {
        this.#ends = copied(new Int32Array(2 * this.#trees), this.#ends);
        this.#pair = copied(new Int32Array(2 * this.#trees), this.#pair);
      }
      this.#pair[this.#trees] = this.#pairOf(j, end);
      this.#ends[this.#trees++] = end;
      j = end;
    }
  }

  /** The pair of dimensions along which the leaves from j to `end` differ; −1: none, −2: more than two. */
  #pairOf(j: number, end: number): number {
    const { low, high, far } = this.#orthant;
    const size = this.size;
    let [a, b] = [-1, -1];
    for (let r = 0; r < size; r++) {
      let o = j * size + r;
      const last = end * size;
      while (o < last && low[o]! <= 1 && high[o]! >= far[r]!) o += size;
      if (o >= last) continue;
      if (b >= 0) return -2;
      if (a >= 0) b = r;
      else a = r;
    }
    return a < 0 ? -1 : a * size + (b < 0 ? a : b);
  }

  /** Which pairs have a table, and where. */
  #pose(): void {
    const size = this.size;
    if (this.#pairs.length < size * size) this.#pairs = new Int32Array(size * size);
    const pairs = this.#pairs.fill(0, 0, size * size);
    for (let t = 0, j = 0; t < this.#trees; j = this.#ends[t++]!) {
      const pair = this.#pair[t]!;
      if (pair >= 0) pairs[pair]! += this.#ends[t]! - j;
    }
    this.tables = 0;
    this.#size = 0;
    for (let a = 0; a < size; a++) {
      for (let b = a + 1; b < size; b++) {
        const leaves = pairs[a * size + b]!;
        const cells = this.steps[a]! * this.steps[b]!;
        const fits = leaves > 0 && cells <= Math.max(FEW_CELLS, CELLS_PER_LEAF * leaves);
        pairs[a * size + b] = fits ? this.#table(a, b) : -1;
      }
    }
    for (let a = 0; a < size; a++) {
      if (pairs[a * size + a] === 0) continue;
      const host = this.#tableOf(a);
      pairs[a * size + a] = host < 0 ? this.#table(a, a) : host;
    }
    for (const own of this.cells) own.fill(0, 0, this.#size);
  }

  /** A table of two dimensions that has this one. */
  #tableOf(a: number): number {
    for (let t = 0; t < this.tables; t++) if (this.first[t] === a || this.second[t] === a) return t;
    return -1;
  }

  #table(a: number, b: number): number {
    const t = this.tables++;
    const width = a === b ? 1 : this.steps[b]! + 2;
    this.first[t] = a;
    this.second[t] = b;
    this.start[t] = this.#size;
    this.width[t] = width;
    this.#size += (this.steps[a]! + 2) * width;
    if (this.cells[0]!.length < this.#size)
      this.cells = this.cells.map(() => new Float64Array(2 * this.#size));
    return t;
  }

  /** Puts each tree where it belongs; tables get differences. */
  #fill(): void {
    this.count = 0;
    for (let own = 0, j = 0; own < this.#trees; own++) {
      const [pair, end] = [this.#pair[own]!, this.#ends[own]!];
      const t = pair < 0 ? -1 : this.#pairs[pair]!;
      for (; j < end; j++) {
        if (t >= 0) this.#add(j, t);
        else if (pair === -1) this.#rest(j);
        else this.#keep(j);
      }
    }
  }

  #rest(j: number): void {
    const { value } = this.#orthant;
    for (let c = 0; c < value.length; c++) this.base[c]! += value[c]![j]!;
  }

  #keep(j: number): void {
    const { tree, value } = this.#orthant;
    const size = this.size;
    const u = this.count++;
    if (u >= this.tree.length || this.count * size > this.low.length) this.#grow();
    this.tree[u] = tree[j]!;
    for (let r = 0; r < size; r++) {
      this.low[u * size + r] = this.#low(j, r);
      this.high[u * size + r] = this.#high(j, r);
    }
    for (let c = 0; c < value.length; c++) this.value[c]![u] = value[c]![j]!;
  }

  #add(j: number, t: number): void {
    const { value } = this.#orthant;
    const [a, b, start, width] = [this.first[t]!, this.second[t]!, this.start[t]!, this.width[t]!];
    const [near, far] = [start + this.#low(j, a) * width, start + (this.#high(j, a) + 1) * width];
    const [low, high] = a === b ? [0, 0] : [this.#low(j, b), this.#high(j, b) + 1];
    for (let c = 0; c < value.length; c++) {
      const [cells, v] = [this.cells[c]!, value[c]![j]!];
      cells[near + low]! += v;
      cells[far + low]! -= v;
      if (a === b) continue;
      cells[near + high]! -= v;
      cells[far + high]! += v;
    }
  }

  #low(j: number, r: number): number {
    return this.#step[this.#stepFrom[r]! + this.#orthant.low[j * this.size + r]!]!;
  }

  #high(j: number, r: number): number {
    const { high, far } = this.#orthant;
    const place = high[j * this.size + r]!;
    return this.#step[this.#stepFrom[r]! + (place < far[r]! ? place : far[r]!)]!;
  }

  /** From differences to sums. */
  #sum(): void {
    for (const cells of this.cells) {
      for (let t = 0; t < this.tables; t++) {
        const [width, rows, start] = [this.width[t]!, this.steps[this.first[t]!]!, this.start[t]!];
        for (let p = 1; p <= rows; p++) {
          const at = start + p * width;
          if (width === 1) cells[at]! += cells[at - 1]!;
          let run = 0;
          for (let q = at + 1; q < at + width - 1; q++) {
            run += cells[q]!;
            cells[q] = run + cells[q - width]!;
          }
        }
      }
    }
  }

  #grow(): void {
    const count = 2 * this.tree.length;
    this.tree = copied(new Int32Array(count), this.tree);
    this.value = this.value.map((value) => copied(new Float64Array(count), value));
    const places = Math.max(this.low.length, count * this.size);
    this.low = copied(new Int32Array(places), this.low);
    this.high = copied(new Int32Array(places), this.high);
  }
}
