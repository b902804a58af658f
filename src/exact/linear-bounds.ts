import type { Between } from "./between.ts";
import type { Term } from "./lever.ts";
import type { Dimension, SumBounds, ValueBox } from "./values.ts";

/** One linear sum of a demand: what each feature adds, and the edge. */
export interface LinearSum {
  readonly intercept: number;
  readonly terms: readonly Term[];
  readonly floor: number;
  readonly sure: number;
}

/** What a feature adds at a value. */
export function added(term: Term, v: number): number {
  if (Number.isNaN(v)) return term.missing;
  return term.levels ? term.levels[v]! : term.start + term.slope * v;
}

/** The most (sign 1) or least (sign −1) that a derived column adds over the box between features, times sign. */
export function addedOver(term: Term, k: number, { box }: Between, sign: number): number {
  let most = box.gap[k] ? sign * term.missing : Number.NEGATIVE_INFINITY;
  const [low, high] = [box.low[k]!, box.high[k]!];
  if (!(low <= high)) return most;
  if (term.levels) for (let v = low; v <= high; v++) most = Math.max(most, sign * term.levels[v]!);
  else most = Math.max(most, sign * added(term, low), sign * added(term, high));
  return most;
}

/** Linear sums over boxes of values: exact except for derived columns, which are bounded separately. */
export class LinearBounds implements SumBounds {
  fits = false;
  readonly split = -1;
  readonly place = 0;
  least = 0;
  #sums: readonly LinearSum[] = [];
  /** Σ of what is at rest, for each sum. */
  #rest: readonly number[] = [];
  #dimensions: readonly Dimension[] = [];
  #columns: readonly number[] = [];
  #between: Between | undefined;
  /** Change per unit of each dimension, where change is in proportion to the way. */
  #weights: readonly number[] | undefined;
  #cost = 0;

  open(
    sums: readonly LinearSum[],
    rest: readonly number[],
    dimensions: readonly Dimension[],
    between: Between | undefined,
    weights: readonly number[] | undefined,
    cost: number,
  ): this {
    this.#sums = sums;
    this.#rest = rest;
    this.#dimensions = dimensions;
    this.#between = between;
    this.#columns = between?.columns ?? [];
    this.#weights = weights;
    this.#cost = cost;
    return this;
  }

  enter(_depth: number, box: ValueBox, at: number): boolean {
    this.fits = true;
    this.least = Number.NEGATIVE_INFINITY;
    for (let c = 0; c < this.#sums.length; c++) {
      const { terms, floor } = this.#sums[c]!;
      let corner = this.#rest[c]!;
      for (const k of this.#columns) corner += addedOver(terms[k]!, k, this.#between!, 1);
      let most = corner;
      for (let r = 0; r < this.#dimensions.length; r++) {
        const term = terms[this.#dimensions[r]!.feature]!;
        const [near, far] = [added(term, box.from[at + r]!), added(term, box.to[at + r]!)];
        corner += near;
        most += Math.max(near, far);
      }
      if (!(most >= floor)) return false;
      if (corner >= floor) continue;
      this.fits = false;
      this.least = Math.max(this.least, this.#relaxed(c, floor - corner, box, at));
    }
    return true;
  }

  /** The least change that adds `missing` to the corner's sum if numbers may stop anywhere: the best rates first. */
  #relaxed(c: number, missing: number, { from, to }: ValueBox, at: number): number {
    const weights = this.#weights;
    if (!weights) return Number.NEGATIVE_INFINITY;
    let cost = this.#cost;
    const ways: { rate: number; most: number }[] = [];
    this.#dimensions.forEach(({ feature, change }, r) => {
      const { slope } = this.#sums[c]!.terms[feature]!;
      const [a, b] = [from[at + r]!, to[at + r]!];
      cost += change(a);
      const most = slope * (b - a);
      if (most > 0) ways.push({ rate: Math.abs(slope) / weights[r]!, most });
    });
    ways.sort((p, q) => q.rate - p.rate);
    let left = missing;
    for (const { rate, most } of ways) {
      const part = Math.min(left, most);
      cost += part / rate;
      left -= part;
      if (left <= 0) break;
    }
    // A hair less, for rounding.
    return cost * (1 - 1e-12);
  }
}
