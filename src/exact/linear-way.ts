import { hasLevels, levelsOf } from "../data/schema.ts";
import type { Between, BetweenRules } from "./between.ts";
import { isGap } from "./change.ts";
import type { Axis, ExactStudy } from "./contract.ts";
import { added, addedOver, LinearBounds, type LinearSum } from "./linear-bounds.ts";
import { linearRanges } from "./linear-ranges.ts";
import { type Meter, spend } from "./meter.ts";
import { OpenSets } from "./open-sets.ts";
import { type Option, optionsOf } from "./options.ts";
import type { Asked, Found } from "./orthant.ts";
import type { SafeRange } from "./plan.ts";
import {
  type CellValues,
  cellValues,
  filled,
  isSide,
  type Move,
  type Moves,
  movesOf,
  unlisted,
} from "./row.ts";
import { type Dimension, ValueBoxes } from "./values.ts";
import type { Among, OpenWay } from "./way.ts";

/**
 * A way told by linear sums, whatever else there is: several demands, rules, derived columns, changes that are in no
 * proportion to the way. Sets are refuted by the most their features add to each sum; the values of a set are searched
 * by boxes.
 */
export class LinearWay implements OpenWay {
  readonly #study: ExactStudy;
  readonly #sums: readonly LinearSum[];
  readonly #axes: readonly Axis[];
  readonly #values: readonly (CellValues | undefined)[];
  readonly #bounds = new LinearBounds();
  readonly #boxes = new ValueBoxes();
  readonly #derived: readonly number[];
  #x: Float64Array = new Float64Array(0);
  #meter!: Meter;
  #asked!: Asked;
  #options: readonly (Option | undefined)[] = [];
  /** Σ at x and the most derived columns may add, for each sum; the most each option adds. */
  #now: number[] = [];
  #gains: Float64Array[] = [];

  constructor(study: ExactStudy, sums: readonly LinearSum[], between: BetweenRules | undefined) {
    const { features } = study.constraints.schema;
    this.#study = study;
    this.#sums = sums;
    this.#derived = between?.derived.map(({ column }) => column) ?? [];
    this.#axes = features.map((feature) => {
      const levels = hasLevels(feature);
      const cells = levels ? levelsOf(feature).length : 1;
      const none = { data: new Float64Array(0), rows: 0, cols: 0 };
      return { levels, masked: levels, cuts: new Float64Array(0), cells, encoded: none };
    });
    this.#values = this.#axes.map((axis, k) => (axis.levels ? undefined : cellValues(study, axis, k, true)));
  }

  open(x: Float64Array, among: Among, meter: Meter, asked: Asked): readonly (Option | undefined)[] {
    this.#x = x;
    this.#meter = meter;
    this.#asked = asked;
    this.#boxes.open(meter);
    const options = optionsOf(this.#axes.map((_, k) => this.#moves(k, among?.[k])));
    this.#options = options;
    const loose = this.#looseGains();
    this.#now = this.#sums.map(({ intercept, terms }, c) =>
      terms.reduce((sum, term, k) => sum + added(term, x[k]!), intercept + loose[c]!),
    );
    this.#gains = this.#sums.map(({ terms }) =>
      Float64Array.from(options, (option) => {
        if (!option) return 0;
        const term = terms[option.feature]!;
        const most = (move: Move): number =>
          isSide(move)
            ? Math.max(...[move.value[1]!, move.last[move.count]!].map((v) => added(term, v)))
            : added(term, move.value);
        return Math.max(...option.moves.map(most)) - added(term, x[option.feature]!);
      }),
    );
    return options;
  }

  #moves(k: number, among?: ArrayLike<number>): Moves {
    return movesOf(this.#study, this.#axes[k]!, this.#values[k], k, this.#x[k]!, among);
  }

  /** The most that derived columns may add beyond what they add now, whatever is edited. */
  #looseGains(): number[] {
    const { between } = this.#asked;
    if (!between || this.#derived.length === 0) return this.#sums.map(() => 0);
    const free = [...new Set(this.#options.flatMap((option) => (option ? [option.feature] : [])))];
    between.focus(free);
    for (const k of free) {
      const values = this.#options.flatMap((option) =>
        option?.feature !== k
          ? []
          : option.moves.flatMap((move) =>
              isSide(move) ? [move.value[1]!, move.last[move.count]!] : [move.value],
            ),
      );
      between.span(k, [this.#x[k]!, ...values]);
    }
    between.may();
    return this.#sums.map(({ terms }) =>
      this.#derived.reduce(
        (sum, k) => sum + Math.max(0, addedOver(terms[k]!, k, between, 1) - added(terms[k]!, this.#x[k]!)),
        0,
      ),
    );
  }

  possible(): boolean {
    return this.#reaches(this.#now, 0, this.#order(), this.#options.length);
  }

  #order(): number[] {
    return [...this.#options.keys()]
      .filter((o) => this.#options[o])
      .sort((a, b) => this.#gains[0]![b]! - this.#gains[0]![a]! || a - b);
  }

  sets(size: number, cap: number, budget: number, keep?: number): OpenSets {
    const order = this.#order();
    const found = new OpenSets(size, this.#options.length, keep);
    const choose = (
      chosen: number[],
      next: number,
      sums: readonly number[],
      least: number,
      cost: number,
    ): void => {
      spend(this.#meter, order.length - next);
      if (!(least < cap) || cost > budget) return;
      if (chosen.length === size) {
        if (this.#reaches(sums, next, order, 0)) found.push(sums[0]!, chosen);
        return;
      }
      for (let t = next; t <= order.length - (size - chosen.length); t++) {
        if (!this.#reaches(sums, t, order, size - chosen.length)) return;
        const option = this.#options[order[t]!]!;
        if (chosen.some((o) => this.#options[o]!.feature === option.feature)) continue;
        const more = sums.map((sum, c) => sum + this.#gains[c]![order[t]!]!);
        choose(
          [...chosen, order[t]!],
          t + 1,
          more,
          least + option.least,
          cost + this.#study.costs[option.feature]!,
        );
      }
    };
    choose([], 0, this.#now, 0, 0);
    return found;
  }

  /** Can `more` options from order[next] on bring every sum to its edge? */
  #reaches(sums: readonly number[], next: number, order: readonly number[], more: number): boolean {
    return this.#sums.every(({ floor }, c) => {
      const gains = order.slice(next).map((o) => this.#gains[c]![o]!);
      const best = gains.filter((gain) => gain > 0).sort((a, b) => b - a);
      let sum = sums[c]!;
      for (let t = 0; t < Math.min(more, best.length); t++) sum += best[t]!;
      return sum >= floor;
    });
  }

  run(options: readonly Option[], cap: number): Found | undefined {
    const features = options.map((option) => option.feature);
    if (this.#asked.between?.focus(features) === false) return undefined;
    let [best, found]: [number, Found | undefined] = [cap, undefined];
    const turn = (moves: readonly Move[], cost: number): void => {
      if (moves.length === options.length) {
        const plan = this.#search(features, moves, best);
        if (plan) [best, found] = [plan.cost, plan];
        return;
      }
      for (const move of options[moves.length]!.moves) {
        const least = cost + (isSide(move) ? move.cost[1]! : move.cost);
        if (least < best) turn([...moves, move], least);
      }
    };
    turn([], 0);
    return found;
  }

  #search(features: readonly number[], moves: readonly Move[], cap: number): Found | undefined {
    const { between } = this.#asked;
    const { weights, change } = this.#study;
    const dimensions: Dimension[] = [];
    let cost = 0;
    const rest = this.#restOf(features, between);
    moves.forEach((move, q) => {
      const feature = features[q]!;
      if (isSide(move)) {
        const own = (value: number): number => this.#asked.change(feature, value);
        dimensions.push({
          feature,
          side: move,
          legal: this.#values[feature]!.legal,
          read: true,
          change: own,
        });
        return;
      }
      between?.set(feature, move.value, move.value);
      cost += move.cost;
      this.#sums.forEach(({ terms }, c) => {
        rest[c]! += added(terms[feature]!, move.value);
      });
    });
    const gaps = dimensions.some(({ feature }) =>
      isGap(this.#study.constraints.schema.features[feature]!, this.#x[feature]!),
    );
    const rates = change || gaps ? undefined : dimensions.map(({ feature }) => weights[feature]!);
    const bounds = this.#bounds.open(this.#sums, rest, dimensions, between, rates, cost);
    const found = this.#boxes.run(dimensions, cost, bounds, between, cap, (values) =>
      this.#asked.accepts(features, filled(moves, values)),
    );
    return found && { features, moves, ...found, values: filled(moves, found.values) };
  }

  /** Σ of what neither moves nor follows. */
  #restOf(features: readonly number[], between: Between | undefined): number[] {
    const moving = new Set([...features, ...(between?.columns ?? [])]);
    return this.#sums.map(({ intercept, terms }) =>
      terms.reduce((sum, term, k) => (moving.has(k) ? sum : sum + added(term, this.#x[k]!)), intercept),
    );
  }

  get whole(): boolean {
    return this.#boxes.whole;
  }

  ranges(plan: Found, between: Between | undefined): SafeRange[] {
    const { features } = plan;
    between?.focus(features);
    const moves = unlisted(plan.moves, (q) => this.#moves(features[q]!));
    return linearRanges(
      { ...plan, moves },
      this.#sums,
      this.#restOf(plan.features, between),
      this.#values,
      between,
    );
  }
}
