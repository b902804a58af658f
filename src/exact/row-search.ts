import { AnyPlan } from "./any-plan.ts";
import { Between, type BetweenRules, complete, leverSet } from "./between.ts";
import { changeIn } from "./change.ts";
import type { ExactStudy } from "./contract.ts";
import { type Meter, SPENT } from "./meter.ts";
import { MOST_EDITS } from "./needs.ts";
import { MOST_SETS, type OpenSets } from "./open-sets.ts";
import { keyOf, type Option } from "./options.ts";
import type { Asked, Found } from "./orthant.ts";
import type { ChangeOf, ExactOptions, ExactPlan, FrontPoint } from "./plan.ts";
import { featuresIn, type RowWay, rowWay } from "./row-way.ts";
import type { Verdict } from "./values.ts";
import type { OpenWay } from "./way.ts";

/** Leaves looked at for one row: a minute or two. */
const EFFORT = 2_000_000_000;
/** Sums of costs that agree so well are the same. */
const SAME_COST = 1e-7;
/** A plan this much better is worth going through the sets again with. */
const MUCH_BETTER = 0.95;
/** With fewer sets left than this it is not. */
const FEW = 8;
/** Sets remembered as searched; further ones may be searched twice. */
const MOST_DONE = 2 ** 20;
/** Of so many sets that are kept one may be in the menu: its plan takes more room. */
const LISTED = 16;

/** A plan and what its edits cost. */
interface Best extends Found {
  readonly total: number;
  readonly way: RowWay;
}

/** The plans of one row. */
export class RowSearch implements Asked {
  readonly between: Between | undefined;
  readonly #study: ExactStudy;
  readonly #x: Float64Array;
  readonly #options: ExactOptions;
  readonly #meter: Meter;
  readonly #ways: readonly RowWay[];
  readonly #keep: number;
  readonly #change: ChangeOf;
  readonly #row: Float64Array;
  #best: Best | undefined;
  #asked = 0;
  /** Is every set to be found with its own least change, or only the best? */
  #listing: boolean;
  readonly #menu = new Map<string, Best>();
  readonly #met = new Set<number>();
  readonly #front: FrontPoint[] = [];
  readonly #any = new AnyPlan<RowWay>();

  constructor(
    study: ExactStudy,
    ways: readonly OpenWay[],
    between: BetweenRules | undefined,
    x: Float64Array,
    options: ExactOptions,
  ) {
    this.#study = study;
    this.#x = complete(study, x);
    this.#options = options;
    this.#listing = options.menu === true;
    this.#keep = options.keep ?? MOST_SETS;
    this.#row = x.slice();
    this.#change = changeIn(study);
    // What is laid out before the search counts, but does not end it.
    this.#meter = { used: 0, limit: Number.POSITIVE_INFINITY, pulse: options.pulse, next: 0 };
    this.between = between && new Between(between, this.#x);
    this.#ways = ways.map((open) =>
      rowWay(open, open.open(this.#x, options.among, this.#meter, this), study.costs),
    );
    this.#meter.limit = options.effort ?? EFFORT;
    this.#meter.next = 0;
  }

  change(k: number, value: number): number {
    return this.#change(k, this.#x[k]!, value);
  }

  /** The model's own word on x with these values. */
  accepts(features: readonly number[], values: ArrayLike<number>): Verdict {
    const row = this.#row;
    features.forEach((k, q) => {
      row[k] = values[q]!;
    });
    const verdict = this.#verdict(row);
    for (const k of features) row[k] = this.#x[k]!;
    return verdict;
  }

  #verdict(row: Float64Array): Verdict {
    const { constraints } = this.#study;
    const z = this.between ? complete(this.#study, row) : row;
    // A derived column may come back to what it is at x, so that rows farther away are not farther in all features.
    if (this.#options.within?.(z) === false) return constraints.hasDerived ? "no" : "too far";
    if (constraints.hasRules && !constraints.legal({ data: z, rows: 1, cols: z.length })[0]) return "no";
    return this.#reaches(z) ? "yes" : "no";
  }

  #reaches(row: Float64Array): boolean {
    this.#asked++;
    return this.#study.reaches(row, this.#x);
  }

  plan(): ExactPlan {
    if (this.#reaches(this.#x)) return this.#result("found", 0, true, true);
    const { maxEdits = MOST_EDITS, objective = "edits", front = 0 } = this.#options;
    const movable = Math.max(...this.#ways.map((way) => way.leasts.length));
    const most = Math.min(maxEdits, movable);
    let [size, refuted] = [1, 0];
    try {
      for (; size <= most; size++) {
        if (size === 3 && !this.#best && !this.#ways.some((way) => way.open.possible()))
          return this.#result("none", size, true, true);
        if (!this.#best && this.#any.hopeless(this.#ways, this.#meter))
          return this.#result("none", size, true, true);
        if (this.#best && this.#settled(size)) break;
        if (!this.#level(size)) {
          if (!this.#best && this.#any.hopeless(this.#ways, this.#meter, 0))
            return this.#result("none", size, true, true);
          throw SPENT;
        }
        if (this.#best && objective === "edits") break;
        if (!this.#best && this.#whole) refuted = size;
      }
    } catch (error) {
      if (error !== SPENT) throw error;
      if (!this.#best) return this.#kept(refuted, maxEdits);
      return this.#result("found", refuted + 1, objective === "edits" && refuted + 1 === size, false);
    }
    if (!this.#best && maxEdits >= movable && this.#whole)
      return this.#result("none", refuted + 1, true, true);
    if (!this.#best) return this.#kept(refuted, maxEdits);
    const fewest = objective === "edits" ? refuted + 1 === size : this.#whole;
    const least = this.#whole;
    if (front > 0 && objective === "edits") this.#goOn(size, Math.min(most, size + front));
    return this.#result("found", objective === "edits" ? refuted + 1 : 1, fewest, least);
  }

  #total(features: readonly number[]): number {
    return features.reduce((sum, k) => sum + this.#study.costs[k]!, 0);
  }

  /** Of a search that found no plan: the one that is kept, if any. */
  #kept(refuted: number, maxEdits: number): ExactPlan {
    const kept = this.#any.within(maxEdits);
    if (kept) this.#best = { ...kept, total: this.#total(kept.features) };
    return this.#result(kept ? "found" : "open", refuted + 1, refuted + 1 === kept?.features.length, false);
  }

  /** Was every box of this row settled? */
  get #whole(): boolean {
    return this.#ways.every((way) => way.open.whole);
  }

  /** Can plans of `size` edits or more be no better than the best? */
  #settled(size: number): boolean {
    const sum = (list: readonly number[]): number =>
      list.slice(0, size).reduce((total, value) => total + value, 0);
    if (this.#options.objective === "cost")
      return this.#ways.every((way) => sum(way.costs) > this.#best!.total * (1 + SAME_COST));
    return this.#ways.every((way) => sum(way.leasts) >= this.#best!.cost);
  }

  /** The least change with ever more edits. */
  #goOn(size: number, most: number): void {
    const first = this.#best!;
    this.#listing = false;
    const note = (edits: number, least: boolean): void => {
      this.#front.push({ ...leverSet(this.#study, this.#x, this.#best!), edits, least });
    };
    note(size, this.#whole);
    let [at, before] = [size + 1, first];
    try {
      for (; at <= most; at++) {
        if (!this.#level(at)) throw SPENT;
        if (this.#best !== before) note(at, this.#whole);
        before = this.#best!;
      }
    } catch (error) {
      if (error !== SPENT) throw error;
      if (this.#best !== before) note(at, false);
    }
    this.#best = first;
  }

  /** All plans of `size` edits; false where there were more sets than could be kept. */
  #level(size: number): boolean {
    const lists = this.#ways.map((way) => this.#sets(way, size));
    if (!this.#best) {
      this.#ways.forEach((way, w) => {
        for (const k of featuresIn(way, lists[w]!)) this.#met.add(k);
      });
    }
    return !this.#ways.map((way, w) => this.#along(way, size, lists[w]!)).includes(false);
  }

  #sets({ open }: RowWay, size: number): OpenSets {
    return open.sets(size, this.#cap(), this.#budget(), Math.floor(this.#keep / this.#ways.length));
  }

  /** Sets of one way; when a much better plan is found, those left that may be better still are found again. */
  #along(way: RowWay, size: number, open: OpenSets): boolean {
    const done = new Set<string>();
    let [sets, cap] = [open, this.#cap()];
    for (let t = 0; t < sets.count; t++) {
      const chosen = sets.at(t);
      const key = chosen.join(" ");
      if (done.has(key)) continue;
      if (done.size < MOST_DONE) done.add(key);
      const options = chosen.map((o) => way.options[o]!);
      if (!this.#set(way, options) || this.#listing || sets.count < FEW) continue;
      if (!(this.#best!.cost < MUCH_BETTER * cap)) continue;
      [sets, cap, t] = [this.#sets(way, size), this.#cap(), -1];
    }
    return sets.whole;
  }

  /** Change that a better plan stays below, whatever its set. */
  #cap(): number {
    const { objective } = this.#options;
    return this.#listing || objective === "cost" || !this.#best ? Number.POSITIVE_INFINITY : this.#best.cost;
  }

  /** Cost that the edits of a better plan do not exceed. */
  #budget(): number {
    if (this.#options.objective !== "cost" || !this.#best) return Number.POSITIVE_INFINITY;
    return this.#best.total * (1 + SAME_COST);
  }

  /** The plan of least change of one set; true where it is the best so far. */
  #set(way: RowWay, options: readonly Option[]): boolean {
    const total = this.#total(options.map(({ feature }) => feature));
    if (total > this.#budget()) return false;
    const key = this.#listing ? keyOf(options) : "";
    const cap = (this.#listing ? this.#menu.get(key)?.cost : this.#capOf(total)) ?? Number.POSITIVE_INFINITY;
    if (options.reduce((sum, { least }) => sum + least, 0) >= cap) return false;
    const found = way.open.run(options, cap);
    if (!found) return false;
    const plan = { ...found, total, way };
    if (this.#listing) this.#menu.set(key, plan);
    if (this.#menu.size > this.#keep / LISTED) throw SPENT;
    if (this.#best && found.cost >= (this.#capOf(total) ?? Number.POSITIVE_INFINITY)) return false;
    this.#best = plan;
    return true;
  }

  /** Change that a plan of this total cost must stay below to be the best. */
  #capOf(total: number): number | undefined {
    const best = this.#best;
    if (!best) return undefined;
    const cheaper = this.#options.objective === "cost" && total < best.total * (1 - SAME_COST);
    return cheaper ? undefined : best.cost;
  }

  #result(outcome: ExactPlan["outcome"], size: number, fewest: boolean, least: boolean): ExactPlan {
    this.#meter.limit = Number.POSITIVE_INFINITY;
    const best = this.#best;
    const { objective = "edits", menu: asked, front } = this.#options;
    const menu = [...this.#menu.values()]
      .sort((a, b) => a.cost - b.cost)
      .map((found) => leverSet(this.#study, this.#x, found));
    const helpful = asked ? new Set(menu.flatMap(({ features }) => features)) : this.#met;
    const { editable } = this.#study.constraints;
    const told = best !== undefined && least && objective === "edits";
    const found = outcome === "found";
    return {
      outcome,
      atLeast: size,
      fewest: found && fewest && (size === 0 || objective === "edits" || best?.features.length === 1),
      least: found && least,
      ...(best ? leverSet(this.#study, this.#x, best) : { z: this.#x.slice(), features: [], change: 0 }),
      ...(objective === "cost" ? { cost: best?.total ?? 0, cheapest: found && least } : {}),
      ...(asked ? { menu } : {}),
      ...(front === undefined ? {} : { front: this.#front }),
      useless: told ? [...this.#x.keys()].filter((k) => editable[k] && !helpful.has(k)) : [],
      ranges: best ? best.way.open.ranges(best, this.between) : [],
      effort: this.#meter.used,
      modelRows: this.#asked,
    };
  }
}
