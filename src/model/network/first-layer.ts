import type { Spread } from "../../exact/bounded-contract.ts";

/** What one feature adds to the units of the first layer beyond x: `slope`·(value − origin) + `shift`, or by value. */
export interface Effect {
  readonly origin: number;
  readonly slope: Float64Array;
  readonly shift?: Float64Array;
  readonly points: ReadonlyMap<number, Float64Array>;
}

/** Which features change: all of `moved`, and at most `more` of `others`. */
export interface Change {
  readonly moved: readonly Spread[];
  readonly others: readonly Spread[];
  readonly more: number;
}

/** The sums of the first layer of a network as one row sees them: those of x, and what each feature adds. */
export class FirstLayer {
  /** Factors of its units in the linear function looked at last. */
  readonly factors: Float64Array;
  work = 0;
  readonly #base: Float64Array;
  readonly #effects: ReadonlyMap<number, Effect>;
  readonly #least: Float64Array;
  readonly #greatest: Float64Array;
  #top = new Float64Array(0);

  constructor(base: Float64Array, effects: ReadonlyMap<number, Effect>) {
    this.#base = base;
    this.#effects = effects;
    this.factors = new Float64Array(base.length);
    this.#least = new Float64Array(base.length);
    this.#greatest = new Float64Array(base.length);
  }

  /** The sums where features have these values. */
  at(features: readonly number[], values: ArrayLike<number>): Float64Array {
    const sums = this.#base.slice();
    features.forEach((k, q) => {
      const { slope, shift, origin, points } = this.#effects.get(k)!;
      const point = points.get(values[q]!);
      for (let j = 0; j < sums.length; j++)
        sums[j]! += point ? point[j]! : slope[j]! * (values[q]! - origin) + (shift?.[j] ?? 0);
    });
    return sums;
  }

  /** What a value of a feature adds to Σ factors · sums. */
  gain(feature: number, value: number): number {
    const { slope, shift, origin, points } = this.#effects.get(feature)!;
    const point = points.get(value);
    if (point) return dot(this.factors, point);
    return dot(this.factors, slope) * (value - origin) + (shift ? dot(this.factors, shift) : 0);
  }

  /** Σ factors · sums for x. */
  start(): number {
    return dot(this.factors, this.#base);
  }

  /** The most that a change adds to Σ factors · sums. */
  most({ moved, others, more }: Change): number {
    this.work += this.factors.length * (moved.length + others.length + 1);
    let sum = 0;
    for (const spread of moved) sum += this.#mostOf(spread);
    if (more === 0) return sum;
    const top = this.#reserve(more);
    for (const spread of others) insert(top, 0, more, this.#mostOf(spread));
    for (let t = 0; t < more; t++) sum += top[t]!;
    return sum;
  }

  #mostOf({ feature, low, high, points: listed }: Spread): number {
    const { slope, shift, origin, points } = this.#effects.get(feature)!;
    let most = Number.NEGATIVE_INFINITY;
    if (low <= high) {
      const rate = dot(this.factors, slope);
      most = rate * ((rate > 0 ? high : low) - origin) + (shift ? dot(this.factors, shift) : 0);
    }
    for (const { value } of listed) most = Math.max(most, dot(this.factors, points.get(value)!));
    return most;
  }

  /** How far a spread alone moves the sums marked in `open`; a little of how far it moves the others. */
  width({ feature, low, high, points: listed }: Spread, open: Uint8Array | undefined): number {
    const { slope, points } = this.#effects.get(feature)!;
    let [sum, all] = [0, 0];
    for (let j = 0; j < slope.length; j++) {
      let [least, most] = low <= high ? [0, Math.abs(slope[j]!) * (high - low)] : [0, 0];
      for (const { value } of listed) {
        least = Math.min(least, points.get(value)![j]!);
        most = Math.max(most, points.get(value)![j]!);
      }
      all += most - least;
      if (open?.[j]) sum += most - least;
    }
    return sum + 1e-6 * all;
  }

  /** Ends of the sums: what each feature adds at least and at most, of the others the largest few. */
  ends({ moved, others, more }: Change, low: Float64Array, high: Float64Array): void {
    const units = low.length;
    low.set(this.#base);
    high.set(this.#base);
    const [least, greatest] = [this.#least, this.#greatest];
    for (const spread of moved) {
      this.#span(spread);
      for (let j = 0; j < units; j++) {
        low[j]! += least[j]!;
        high[j]! += greatest[j]!;
      }
    }
    if (more === 0) return;
    const top = this.#reserve(2 * units * more);
    for (const spread of others) {
      this.#span(spread);
      for (let j = 0; j < units; j++) {
        insert(top, 2 * j * more, more, greatest[j]!);
        insert(top, (2 * j + 1) * more, more, -least[j]!);
      }
    }
    for (let j = 0; j < units; j++) {
      for (let t = 0; t < more; t++) {
        high[j]! += top[2 * j * more + t]!;
        low[j]! -= top[(2 * j + 1) * more + t]!;
      }
    }
  }

  /** Least and greatest that a spread adds to each unit. */
  #span({ feature, low, high, points: listed }: Spread): void {
    const { slope, shift, origin, points } = this.#effects.get(feature)!;
    const [least, greatest] = [this.#least, this.#greatest];
    const numbers = low <= high;
    this.work += slope.length;
    for (let j = 0; j < slope.length; j++) {
      const add = shift?.[j] ?? 0;
      const [a, b] = [slope[j]! * (low - origin) + add, slope[j]! * (high - origin) + add];
      least[j] = numbers ? Math.min(a, b) : Number.POSITIVE_INFINITY;
      greatest[j] = numbers ? Math.max(a, b) : Number.NEGATIVE_INFINITY;
    }
    for (const { value } of listed) {
      const point = points.get(value)!;
      for (let j = 0; j < slope.length; j++) {
        least[j] = Math.min(least[j]!, point[j]!);
        greatest[j] = Math.max(greatest[j]!, point[j]!);
      }
    }
  }

  #reserve(size: number): Float64Array {
    if (this.#top.length < size) this.#top = new Float64Array(size);
    return this.#top.fill(0, 0, size);
  }
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < a.length; j++) sum += a[j]! * b[j]!;
  return sum;
}

/** Keeps the largest numbers of a list of fixed length, largest first. */
function insert(list: Float64Array, at: number, length: number, value: number): void {
  let t = at + length - 1;
  if (!(value > list[t]!)) return;
  while (t > at && list[t - 1]! < value) {
    list[t] = list[t - 1]!;
    t--;
  }
  list[t] = value;
}
