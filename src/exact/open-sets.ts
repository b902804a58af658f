/** Sets of one size kept at a time: some 200 MB of a search that needs so many. */
export const MOST_SETS = 2 ** 22;

/**
 * Sets of options of different features that bounds do not refute, each with the most that it can make of the first
 * demand. Of more than are kept those stay that promise most, of equals what came first.
 */
export class OpenSets {
  count = 0;
  /** Were all sets kept? */
  whole = true;
  /** 1 for options of any set, also of those left out. */
  readonly met: Uint8Array;
  readonly #size: number;
  readonly #keep: number;
  #options: Uint16Array | Int32Array;
  #most = new Float64Array(16);
  /** The sets by promise, once they are asked for. */
  #order: Int32Array | undefined;
  /** What a set must promise more than, where some were left out. */
  #bar = Number.NEGATIVE_INFINITY;

  /** @param keep sets kept, at least 2 */
  constructor(size: number, options: number, keep = MOST_SETS) {
    this.#size = size;
    this.#keep = Math.max(2, keep);
    this.met = new Uint8Array(options);
    this.#options = this.#room(16);
  }

  #room(sets: number): Uint16Array | Int32Array {
    return new (this.met.length > 2 ** 16 ? Int32Array : Uint16Array)(sets * this.#size);
  }

  /** A set of the options chosen, and one or two more where they are 0 or more. */
  push(most: number, chosen: readonly number[], o = -1, p = -1): void {
    const { met } = this;
    for (const own of chosen) met[own] = 1;
    if (o >= 0) met[o] = 1;
    if (p >= 0) met[p] = 1;
    if (this.count === this.#keep) this.#halve();
    if (!this.whole && !(most > this.#bar)) return;
    if (this.count === this.#most.length) this.#grow();
    const options = this.#options;
    let at = this.count * this.#size;
    for (const own of chosen) options[at++] = own;
    if (o >= 0) options[at++] = o;
    if (p >= 0) options[at++] = p;
    this.#most[this.count++] = most;
  }

  /** The most promising set after t others. */
  at(t: number): number[] {
    this.#order ??= this.#sorted();
    const at = this.#order[t]! * this.#size;
    return Array.from(this.#options.subarray(at, at + this.#size));
  }

  #sorted(): Int32Array {
    const most = this.#most;
    const order = new Int32Array(this.count);
    for (let s = 0; s < order.length; s++) order[s] = s;
    return order.sort((a, b) => most[b]! - most[a]! || a - b);
  }

  /** Leaves out the half that promises less. */
  #halve(): void {
    const size = this.#size;
    const kept = this.#sorted().subarray(0, this.#keep >> 1);
    this.#bar = this.#most[kept.at(-1)!]!;
    this.whole = false;
    this.count = 0;
    for (const s of kept.sort()) {
      this.#options.copyWithin(this.count * size, s * size, (s + 1) * size);
      this.#most[this.count++] = this.#most[s]!;
    }
  }

  #grow(): void {
    const sets = Math.min(this.#keep, 2 * this.count);
    const [options, most] = [this.#options, this.#most];
    this.#options = this.#room(sets);
    this.#options.set(options);
    this.#most = new Float64Array(sets);
    this.#most.set(most);
  }
}
