import { type Meter, spend } from "./meter.ts";
import { copied, MOST_EDITS, type Needs } from "./needs.ts";
import { OpenSets } from "./open-sets.ts";
import type { Option } from "./options.ts";
import { PairBounds } from "./pairs.ts";

/**
 * All sets S of `size` options of different features with U(S) = Σ_trees max{leaf : need(leaf) ⊆ S} at the edges of
 * all demands. U bounds every plan that moves the features of S these ways. Depth first: a node keeps the leaves
 * that need, beyond what is chosen, at most as many undecided features as are still to choose; an option refused
 * takes its leaves from all sets to its right. The last two options are bounded all at once (pairs.ts).
 */
export class SetSearch {
  readonly #needs: Needs;
  readonly #floor: Float64Array;
  #meter!: Meter;
  #options: readonly (Option | undefined)[] = [];
  #bounds: readonly PairBounds[] = [];
  /** Lists of leaves, one behind the other, and how many needs of each are not chosen yet. */
  #list = new Int32Array(1024);
  #left = new Uint8Array(1024);
  /** Options that may still be chosen, by number, and the bits of features that are taken. */
  #order: number[] = [];
  #taken = new Int32Array(1);
  readonly #chosen: number[] = [];
  /** The least change and the cost of what is chosen. */
  #least = 0;
  #cost = 0;
  #found = new OpenSets(0, 0);
  #costs: Float64Array = new Float64Array(0);
  #cap = 0;
  #budget = 0;

  constructor(needs: Needs, floor: Float64Array) {
    this.#needs = needs;
    this.#floor = floor;
  }

  /** Turns to another row. */
  open(options: readonly (Option | undefined)[], costs: Float64Array, meter: Meter): void {
    this.#meter = meter;
    this.#costs = costs;
    this.#options = options;
    this.#chosen.length = 0;
    this.#taken = new Int32Array(this.#needs.words);
    if ((this.#bounds[0]?.size ?? 0) < options.length)
      this.#bounds = Array.from(this.#floor, () => new PairBounds((options.length + 31) & ~31));
  }

  /** The sets with plans of less change than `cap` and a cost up to `budget`, as far as bounds can tell. */
  run(size: number, cap: number, budget: number, keep?: number): OpenSets {
    const found = new OpenSets(size, this.#options.length, keep);
    this.#found = found;
    this.#cap = cap;
    this.#budget = budget;
    this.#chosen.length = 0;
    this.#least = 0;
    this.#cost = 0;
    this.#taken.fill(0);
    const end = this.#start(size, cap);
    if (!this.#reaches(0, end)) return found;
    this.#order = this.#strongest(end);
    this.#choose(0, size, 0, end);
    return found;
  }

  /** Can any legal values of all features together meet the demands, as far as the bound can tell? */
  possible(): boolean {
    return this.#reaches(0, this.#start(MOST_EDITS, Number.POSITIVE_INFINITY));
  }

  /** The leaves that can raise a bound: better than x's own in some demand. */
  #start(size: number, cap: number): number {
    this.#needs.find(size);
    const { edits, gain, count, cost } = this.#needs;
    if (this.#list.length < 2 * count) this.#grow(4 * count);
    const [first] = gain;
    const several = gain.length > 1;
    let end = 0;
    for (let u = 0; u < count; u++) {
      if (edits[u] === 0 || !(cost[u]! < cap)) continue;
      if (first![u]! > 0 || (several && gain.some((g) => g[u]! > 0))) {
        this.#list[end] = u;
        this.#left[end++] = edits[u]!;
      }
    }
    return end;
  }

  /** Do the sums of the trees' maxima over a list reach every edge? */
  #reaches(from: number, to: number): boolean {
    for (let c = 0; c < this.#floor.length; c++) {
      if (!(this.#most(c, from, to) >= this.#floor[c]!)) return false;
    }
    return true;
  }

  #most(c: number, from: number, to: number): number {
    const list = this.#list;
    const { tree } = this.#needs;
    const gain = this.#needs.gain[c]!;
    spend(this.#meter, to - from);
    let sum = this.#needs.now[c]!;
    let [at, top] = [-1, 0];
    for (let u = from; u < to; u++) {
      const l = list[u]!;
      if (tree[l] !== at) {
        sum += top;
        top = 0;
        at = tree[l]!;
      }
      if (gain[l]! > top) top = gain[l]!;
    }
    return sum + top;
  }

  /** The options by the share they have in gains, the strongest first: refusing them early tells most. */
  #strongest(end: number): number[] {
    const { words, need, gain } = this.#needs;
    const share = new Float64Array(this.#options.length);
    for (let u = 0; u < end; u++) {
      const l = this.#list[u]!;
      for (let w = 0; w < words; w++) {
        for (let bits = need[l * words + w]!; bits !== 0; bits &= bits - 1) {
          share[32 * w + 31 - Math.clz32(bits & -bits)]! += Math.max(0, gain[0]![l]!) / this.#left[u]!;
        }
      }
    }
    return [...this.#options.keys()]
      .filter((o) => this.#options[o])
      .sort((a, b) => share[b]! - share[a]! || a - b);
  }

  /** Sets with `missing` more options among order[next …]; list[from … end) are the leaves they may reach. */
  #choose(next: number, missing: number, from: number, end: number): void {
    if (missing <= 2) {
      this.#last(next, missing, from, end);
      return;
    }
    let to = end;
    for (let t = next; t <= this.#order.length - missing; t++) {
      const option = this.#options[this.#order[t]!]!;
      if ((this.#taken[option.word]! & option.all) !== 0) continue;
      const stop = this.#take(option, missing - 1, from, to);
      if (this.#affords(this.#order[t]!, -1) && this.#reaches(to, stop)) {
        const [least, cost] = [this.#least, this.#cost];
        this.#least += option.least;
        this.#cost += this.#costs[option.feature]!;
        this.#chosen.push(this.#order[t]!);
        this.#taken[option.word]! |= option.all;
        this.#choose(t + 1, missing - 1, to, stop);
        this.#taken[option.word]! &= ~option.all;
        this.#chosen.pop();
        this.#least = least;
        this.#cost = cost;
      }
      to = this.#refuse(option, from, to);
      if (!this.#reaches(from, to)) return;
    }
  }

  /** The last option, or the last two. */
  #last(next: number, missing: number, from: number, to: number): void {
    for (let c = 0; c < this.#bounds.length; c++) {
      spend(this.#meter, to - from);
      this.#bounds[c]!.fill(this.#needs, c, this.#options, this.#list, this.#left, from, to, this.#taken);
    }
    for (let t = next; t < this.#order.length; t++) {
      const o = this.#order[t]!;
      if (this.#isTaken(o)) continue;
      if (missing === 1) this.#keep(o, -1);
      else this.#pairs(o, t + 1);
    }
  }

  /** Option o with each of another feature behind it in the order. */
  #pairs(o: number, next: number): void {
    for (let s = next; s < this.#order.length; s++) {
      const p = this.#order[s]!;
      if (this.#isTaken(p) || this.#options[o]!.feature === this.#options[p]!.feature) continue;
      if (o < p) this.#keep(o, p);
      else this.#keep(p, o);
    }
  }

  #isTaken(o: number): boolean {
    const { word, all } = this.#options[o]!;
    return (this.#taken[word]! & all) !== 0;
  }

  /** Can the options chosen and these be within the change and the cost asked for? p < 0: only o. */
  #affords(o: number, p: number): boolean {
    const options = this.#options;
    let least = this.#least + options[o]!.least;
    let cost = this.#cost + this.#costs[options[o]!.feature]!;
    if (p >= 0) {
      least += options[p]!.least;
      cost += this.#costs[options[p]!.feature]!;
    }
    return least < this.#cap && cost <= this.#budget;
  }

  #keep(o: number, p: number): void {
    if (!this.#affords(o, p)) return;
    let most = 0;
    for (let c = this.#floor.length - 1; c >= 0; c--) {
      const bounds = this.#bounds[c]!;
      most = p < 0 ? bounds.one(o) : bounds.two(o, p);
      if (!(most >= this.#floor[c]!)) return;
    }
    this.#found.push(most, this.#chosen, o, p);
  }

  /** Lists behind `to` the leaves that remain when an option is chosen and `missing` more may be. */
  #take({ word, bit, all }: Option, missing: number, from: number, to: number): number {
    if (this.#list.length < 2 * to - from) this.#grow(2 * this.#list.length + to);
    const [list, left] = [this.#list, this.#left];
    const { words, need } = this.#needs;
    let end = to;
    for (let u = from; u < to; u++) {
      const l = list[u]!;
      const own = need[l * words + word]! & all;
      if (own !== 0 && ((own >>> bit) & 1) === 0) continue;
      const rest = left[u]! - (own === 0 ? 0 : 1);
      if (rest > missing) continue;
      list[end] = l;
      left[end++] = rest;
    }
    return end;
  }

  /** Takes from a list, in place, the leaves that only this option would reach. */
  #refuse({ word, bit, all }: Option, from: number, to: number): number {
    const [list, left] = [this.#list, this.#left];
    const { words, need } = this.#needs;
    let end = from;
    for (let u = from; u < to; u++) {
      const l = list[u]!;
      if ((need[l * words + word]! & all) === 1 << bit) continue;
      list[end] = l;
      left[end++] = left[u]!;
    }
    return end;
  }

  #grow(size: number): void {
    this.#list = copied(new Int32Array(size), this.#list);
    this.#left = copied(new Uint8Array(size), this.#left);
  }
}
