import { nextUp } from "./axis.ts";
import { type BoxTask, type OpenBox, tightened } from "./bounded-box.ts";
import type { Spread } from "./bounded-contract.ts";
import { Queue } from "./bounded-heap.ts";
import { isPart } from "./bounded-moves.ts";
import { SPENT } from "./meter.ts";

/** Values of some features that reach the target, and how much of a change they are. */
export interface FoundValues {
  readonly features: readonly number[];
  readonly values: readonly number[];
  readonly cost: number;
}

/** Does the model put x with these values at the target? */
export type Accepts = (features: readonly number[], values: readonly number[]) => boolean;

/** Plans that change less by no more than this share are the same; so are numbers so close together. */
const CLOSE = 1e-6;
const SAME = 1e-9;
/** Boxes in which a plan is looked for between the cheapest corner and the most promising one; later in few. */
const LOOKED = 200;

/**
 * The least change among sets of features: boxes best first by what a plan in them changes at least, the model asked at
 * the values where its bounds would have the plan, and boxes split that are neither refuted nor decided.
 */
export class BoxSearch {
  /** False where values closer together than numbers are told apart were left undecided. */
  whole = true;
  best: FoundValues | undefined;
  #cap: number;
  readonly #task: BoxTask;
  readonly #accepts: Accepts;
  readonly #queue = new Queue<OpenBox>();
  readonly #keep: number;
  #looked = 0;

  /** @param keep boxes kept at a time; more end the search */
  constructor(task: BoxTask, accepts: Accepts, cap: number, keep: number) {
    this.#task = task;
    this.#accepts = accepts;
    this.#cap = cap;
    this.#keep = keep;
  }

  add(spreads: readonly Spread[]): void {
    const box = tightened(this.#task, spreads, this.#limit());
    if (!box) return;
    if (this.#queue.size >= this.#keep) throw SPENT;
    this.#queue.push(box);
  }

  run(pulse: () => void): void {
    for (;;) {
      pulse();
      const box = this.#queue.pop();
      if (!box || !(box.cost < this.#limit())) return;
      if (box.guess && this.#try(box.spreads, this.#snapped(box, box.guess)) <= box.cost * (1 + SAME))
        continue;
      if (box.guess) this.#look(box, box.guess);
      const children = this.#split(box);
      if (!children) this.whole = false;
      for (const spreads of children ?? []) this.add(spreads);
    }
  }

  #limit(): number {
    return this.#cap * (1 - CLOSE);
  }

  /** The cost of these values where they reach the target, else Infinity; the best so far is kept. */
  #try(spreads: readonly Spread[], values: readonly number[]): number {
    const { change, x } = this.#task;
    const features = spreads.map(({ feature }) => feature);
    const cost = features.reduce((sum, k, q) => sum + change(k, x[k]!, values[q]!), 0);
    if (!this.#promising(features, values) || !this.#accepts(features, values))
      return Number.POSITIVE_INFINITY;
    if (cost < this.#cap) {
      this.#cap = cost;
      this.best = { features, values: [...values], cost };
    }
    return cost;
  }

  #promising(features: readonly number[], values: readonly number[]): boolean {
    const { bounds, floor } = this.#task;
    return floor.every((edge, c) => bounds.at(c, features, values) + bounds.error(c) >= edge);
  }

  /** The legal values at or beyond these, seen from x, within the spreads. */
  #snapped({ spreads }: OpenBox, values: readonly number[]): number[] {
    const { legal, x } = this.#task;
    return spreads.map(({ feature: k, low, high, points }, q) => {
      // What was the most promising value for one demand may be ruled out by another.
      if (!(low <= high))
        return (points.find(({ value }) => Object.is(value, values[q])) ?? points[0]!).value;
      const up = !(high < x[k]!);
      const slack = SAME * SAME * Math.abs(values[q]!);
      const at = up ? legal[k]!.above(values[q]! - slack) : legal[k]!.below(values[q]! + slack);
      return at >= low && at <= high ? at : up ? high : low;
    });
  }

  /** A plan between the guess and the corner that adds most, by bisection: any plan cuts off what costs more. */
  #look(box: OpenBox, guess: readonly number[]): void {
    if (this.#looked++ > LOOKED && this.#looked % 16 !== 0) return;
    const { bounds } = this.#task;
    const corner = box.spreads.map(({ feature, low, high }, q) =>
      low <= high ? (bounds.gain(feature, high) > bounds.gain(feature, low) ? high : low) : guess[q]!,
    );
    if (this.#try(box.spreads, corner) === Number.POSITIVE_INFINITY) return;
    let [from, to] = [0, 1];
    for (let round = 0; round < 12; round++) {
      const middle = (from + to) / 2;
      const values = guess.map((v, q) =>
        box.spreads[q]!.low <= box.spreads[q]!.high ? v + middle * (corner[q]! - v) : v,
      );
      if (this.#try(box.spreads, this.#snapped(box, values)) < Number.POSITIVE_INFINITY) to = middle;
      else from = middle;
    }
  }

  /** Two halves or more of the spread that the bounds depend on most; none of a single row, undefined of a hair. */
  #split({ spreads, guess }: OpenBox): readonly (readonly Spread[])[] | undefined {
    const { bounds, parts } = this.#task;
    const mixed = spreads.findIndex((spread) => !isPart(spread, parts.get(spread.feature)!));
    if (mixed >= 0) return partsAt(spreads, mixed, parts.get(spreads[mixed]!.feature)!);
    let [at, doubt] = [-1, -1];
    spreads.forEach((spread, q) => {
      if (!(spread.low < spread.high) && spread.points.length < 2) return;
      const own = bounds.doubt(spread);
      if (own > doubt) [at, doubt] = [q, own];
    });
    if (at < 0) return [];
    const spread = spreads[at]!;
    const halves =
      spread.points.length > 1
        ? halvesOf(spread)
        : this.#cut(spread, guess?.[at] ?? (spread.low + spread.high) / 2);
    return halves?.map((half) => spreads.with(at, half));
  }

  /** The numbers of a spread below and above a place near `guess`. */
  #cut(spread: Spread, guess: number): Spread[] | undefined {
    const { low, high, feature } = spread;
    if (high - low <= SAME * (Math.abs(low) + Math.abs(high))) return undefined;
    const legal = this.#task.legal[feature]!;
    const middle = Math.min(low + 0.8 * (high - low), Math.max(low + 0.2 * (high - low), guess));
    let [to, from] = [legal.below(middle), legal.above(nextUp(middle))];
    if (!(to >= low)) [to, from] = [low, legal.above(nextUp(low))];
    if (!(from <= high)) [to, from] = [legal.below(-nextUp(-high)), high];
    return [
      { ...spread, high: to },
      { ...spread, low: from },
    ].filter((half) => half.low <= half.high);
  }
}

function halvesOf(spread: Spread): Spread[] {
  const middle = spread.points.length >> 1;
  return [
    { ...spread, points: spread.points.slice(0, middle) },
    { ...spread, points: spread.points.slice(middle) },
  ];
}

/** What is left of each part of a feature in its spread. */
function partsAt(spreads: readonly Spread[], q: number, parts: readonly Spread[]): Spread[][] {
  const { low, high, points } = spreads[q]!;
  return parts
    .map((part) => ({
      ...part,
      low: Math.max(low, part.low),
      high: Math.min(high, part.high),
      points: part.points.filter((point) => points.includes(point)),
    }))
    .filter((part) => part.low <= part.high || part.points.length > 0)
    .map((part) => spreads.with(q, part));
}
