import type { RowBounds, Spread } from "../../exact/bounded-contract.ts";
import { Bends } from "./bend.ts";
import type { Change, FirstLayer } from "./first-layer.ts";
import { activated, type Layers } from "./layers.ts";

/** A demand as a sum over the units of the last layer. */
export interface Sum {
  readonly offset: number;
  readonly factors: Float64Array;
  /** What rounding may add on either side. */
  readonly error: number;
}

/** What a bound costs besides its multiplications, in multiplications. */
const EACH = 4000;

/**
 * Bounds by linear relaxation: a demand is a sum of the last layer's units; going back layer by layer, each activation
 * is replaced by a line above or below it (by the sign of its factor), until a linear function of the first layer's
 * sums is left, and these are sums over features. What the sums of a layer can be, which the lines need, is bounded in
 * the same way, and by intervals. (Zhang et al. 2018, CROWN; Singh et al. 2019, DeepPoly.)
 */
export class Relaxation implements RowBounds {
  start = 0;
  #work = 0;
  readonly #net: Layers;
  readonly #sums: readonly Sum[];
  readonly #first: FirstLayer;
  /** Ends of the sums of each hidden layer, and the lines of its activations. */
  readonly #low: readonly Float64Array[];
  readonly #high: readonly Float64Array[];
  readonly #bends: readonly Bends[];
  /** Factors of each layer's sums on the way back. */
  readonly #back: readonly Float64Array[];

  constructor(net: Layers, sums: readonly Sum[], first: FirstLayer) {
    this.#net = net;
    this.#sums = sums;
    this.#first = first;
    const hidden = net.layers.slice(0, -1);
    this.#low = hidden.map(({ units }) => new Float64Array(units));
    this.#high = hidden.map(({ units }) => new Float64Array(units));
    this.#bends = hidden.map(({ units, activation }) => new Bends(units, activation));
    this.#back = net.layers.map(({ units }, l) => (l === 0 ? first.factors : new Float64Array(units)));
  }

  get work(): number {
    return this.#work + this.#first.work;
  }

  most(demand: number, moved: readonly Spread[], others: readonly Spread[], more: number): number {
    const change = { moved, others, more };
    this.#layers(change);
    return this.#above(this.#sums[demand]!, 1, change);
  }

  least(demand: number, moved: readonly Spread[]): number {
    const change = { moved, others: [], more: 0 };
    this.#layers(change);
    return -this.#above(this.#sums[demand]!, -1, change);
  }

  at(demand: number, features: readonly number[], values: ArrayLike<number>): number {
    let sums = this.#first.at(features, values);
    for (let l = 1; l < this.#net.layers.length; l++) {
      const { inputs, units, weights, biases } = this.#net.layers[l]!;
      const { activation } = this.#net.layers[l - 1]!;
      for (let j = 0; j < inputs; j++) sums[j] = activated(activation, sums[j]!);
      const next = biases.slice();
      for (let u = 0; u < units; u++)
        for (let j = 0; j < inputs; j++) next[u]! += weights[u * inputs + j]! * sums[j]!;
      this.#work += units * inputs;
      sums = next;
    }
    const { offset, factors } = this.#sums[demand]!;
    return factors.reduce((sum, f, u) => (f === 0 ? sum : sum + f * sums[u]!), offset);
  }

  error(demand: number): number {
    return this.#sums[demand]!.error;
  }

  gain(feature: number, value: number): number {
    return this.#first.gain(feature, value);
  }

  doubt(spread: Spread): number {
    return this.#first.width(spread, this.#bends[0]?.open);
  }

  /** Ends of the sums of all hidden layers, and lines for their activations. */
  #layers(change: Change): void {
    this.#work += EACH;
    this.#bends.forEach((bends, l) => {
      const [low, high] = [this.#low[l]!, this.#high[l]!];
      if (l === 0) this.#first.ends(change, low, high);
      else this.#next(l, change);
      for (let j = 0; j < low.length; j++) bends.fit(j, low[j]!, high[j]!);
    });
  }

  /** A later layer's sums, by the lines of the layers before it and by intervals, whichever is closer. */
  #next(l: number, change: Change): void {
    const { inputs, units, weights, biases, activation } = this.#net.layers[l]!;
    const before = this.#net.layers[l - 1]!.activation;
    const [low, high] = [this.#low[l]!, this.#high[l]!];
    const from = this.#low[l - 1]!.map((v) => activated(before, v));
    const to = this.#high[l - 1]!.map((v) => activated(before, v));
    this.#work += 2 * units * inputs;
    for (let u = 0; u < units; u++) {
      const row = weights.subarray(u * inputs, (u + 1) * inputs);
      let [least, most] = [biases[u]!, biases[u]!];
      for (let j = 0; j < inputs; j++) {
        const w = row[j]!;
        least += w > 0 ? w * from[j]! : w * to[j]!;
        most += w > 0 ? w * to[j]! : w * from[j]!;
      }
      high[u] = Math.min(most, this.#aboveUnits(l - 1, row, 1, biases[u]!, change));
      // A rectified unit whose sum is nowhere above 0 is 0: how far below does not matter.
      const off = activation === "relu" && high[u]! <= 0;
      low[u] = off ? least : Math.max(least, -this.#aboveUnits(l - 1, row, -1, -biases[u]!, change));
      if (low[u]! > high[u]!) low[u] = high[u]!;
    }
  }

  /** An upper bound of sign · the demand. */
  #above({ offset, factors, error }: Sum, sign: 1 | -1, change: Change): number {
    const last = this.#net.layers.length - 1;
    const { inputs, units, weights, biases } = this.#net.layers[last]!;
    if (last === 0) {
      for (let u = 0; u < units; u++) this.#first.factors[u] = sign * factors[u]!;
      return this.#concrete(sign * offset + error, change);
    }
    const row = new Float64Array(inputs);
    let constant = sign * offset + error;
    for (let u = 0; u < units; u++) {
      const f = sign * factors[u]!;
      if (f === 0) continue;
      constant += f * biases[u]!;
      for (let j = 0; j < inputs; j++) row[j]! += f * weights[u * inputs + j]!;
    }
    return this.#aboveUnits(last - 1, row, 1, constant, change);
  }

  /** An upper bound of c + sign · Σ factors · units of hidden layer l. */
  #aboveUnits(l: number, factors: Float64Array, sign: 1 | -1, c: number, change: Change): number {
    let constant = c;
    const back = this.#back[l]!;
    for (let j = 0; j < back.length; j++) back[j] = sign * factors[j]!;
    for (let at = l; ; at--) {
      const own = this.#back[at]!;
      const { lowStart, lowSlope, highStart, highSlope } = this.#bends[at]!;
      for (let j = 0; j < own.length; j++) {
        const f = own[j]!;
        constant += f > 0 ? f * highStart[j]! : f * lowStart[j]!;
        own[j] = f > 0 ? f * highSlope[j]! : f * lowSlope[j]!;
      }
      if (at === 0) return this.#concrete(constant, change);
      const { inputs, units, weights, biases } = this.#net.layers[at]!;
      const below = this.#back[at - 1]!.fill(0);
      for (let u = 0; u < units; u++) {
        const f = own[u]!;
        if (f === 0) continue;
        constant += f * biases[u]!;
        for (let j = 0; j < inputs; j++) below[j]! += f * weights[u * inputs + j]!;
      }
      this.#work += units * inputs;
    }
  }

  /** The most of a linear function of the first layer's sums. */
  #concrete(constant: number, change: Change): number {
    this.start = constant + this.#first.start();
    return this.start + this.#first.most(change);
  }
}
