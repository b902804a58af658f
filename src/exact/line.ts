import type { Orthant } from "./place.ts";
import type { Verdict } from "./values.ts";

/** One number that moves: its sums at all places by differences, then the nearest place that is enough. */
export class Line {
  readonly #floor: Float64Array;
  #steps = new Float64Array(64);

  constructor(floor: Float64Array) {
    this.#floor = floor;
  }

  /** Offers places below `cap`, the nearest first, until one is taken or none farther away may be. */
  run(orthant: Orthant, cap: number, offer: (place: number, cost: number) => Verdict): void {
    const { sides, count, low, high, value, cost, base, far } = orthant;
    const side = sides[0]!;
    const demands = this.#floor.length;
    const size = demands * (far[0]! + 2);
    if (this.#steps.length < size) this.#steps = new Float64Array(2 * size);
    const steps = this.#steps.fill(0, 0, size);
    for (let c = 0; c < demands; c++) {
      const own = value[c]!;
      for (let j = 0; j < count; j++) {
        steps[low[j]! * demands + c]! += own[j]!;
        steps[(high[j]! + 1) * demands + c]! -= own[j]!;
      }
    }
    const sums = base.slice();
    for (let p = 1; p <= far[0]! && cost + side.cost[p]! < cap; p++) {
      let enough = true;
      for (let c = 0; c < demands; c++) {
        sums[c]! += steps[p * demands + c]!;
        if (!(sums[c]! >= this.#floor[c]!)) enough = false;
      }
      if (enough && offer(p, cost + side.cost[p]!) !== "no") return;
    }
  }
}
