import { hasLevels } from "../data/schema.ts";
import { leverSet } from "./between.ts";
import type { BoxTask } from "./bounded-box.ts";
import { type Accepts, BoxSearch, type FoundValues } from "./bounded-boxes.ts";
import type { BoundedWay, OpenBounds, Spread } from "./bounded-contract.ts";
import { joined, partsOf } from "./bounded-moves.ts";
import { safeRanges } from "./bounded-ranges.ts";
import { byPromise, openSets } from "./bounded-sets.ts";
import { changeIn, isGap } from "./change.ts";
import type { ExactStudy } from "./contract.ts";
import { type Legal, legalNumbers } from "./legal.ts";
import { type Meter, SPENT, spend } from "./meter.ts";
import type { ExactOptions, ExactPlan, ExactSearch, FrontPoint } from "./plan.ts";

/** Sums of costs that agree so well are the same. */
const SAME_COST = 1e-7;
/** Multiplications for one row: a second or two. */
const EFFORT = 1_000_000_000;
/** Sets and boxes kept at a time: some 300 MB of a row that needs so many. */
const MOST_BOXES = 2 ** 19;

/**
 * The search over models that bound sums over sets of changes, whatever the model is. Undefined where the demands do not
 * tell whether the target is reached: no box between the one and the other could be decided.
 */
export function boundedSearch<M>(study: ExactStudy<M>, open: OpenBounds<M>): ExactSearch | undefined {
  const { hasRules, hasDerived } = study.constraints;
  if (hasRules || hasDerived) return undefined;
  if (study.ways.some((way) => way.some(({ sure }) => !Number.isFinite(sure)))) return undefined;
  const ways = study.ways.map((way) => open(study, way));
  if (ways.includes(undefined)) return undefined;
  const { features } = study.constraints.schema;
  const legal = features.map((feature, k) => (hasLevels(feature) ? undefined : legalNumbers(study, k)));
  return {
    plan: (x, options = {}) =>
      new BoundedRow(study, ways as readonly BoundedWay<M>[], legal, x, options).plan(),
  };
}

/** One way as one row sees it. */
interface RowWay {
  readonly task: BoxTask;
  /** Its features, the most promising first. */
  readonly spreads: readonly Spread[];
  readonly sure: Float64Array;
}

class BoundedRow<M> {
  readonly #study: ExactStudy<M>;
  readonly #x: Float64Array;
  readonly #options: ExactOptions;
  readonly #meter: Meter;
  readonly #ways: readonly RowWay[];
  readonly #row: Float64Array;
  readonly #keep: number;
  readonly #menu = new Map<string, FoundValues>();
  readonly #met = new Set<number>();
  #best: FoundValues | undefined;
  #bestWay: RowWay | undefined;
  /** What its edits cost, with objective `cost`. */
  #total = 0;
  /** Is every set to be found with its own least change, or only the best? */
  #listing: boolean;
  #whole = true;
  #asked = 0;

  constructor(
    study: ExactStudy<M>,
    ways: readonly BoundedWay<M>[],
    legal: readonly (Legal | undefined)[],
    x: Float64Array,
    options: ExactOptions,
  ) {
    this.#study = study;
    this.#x = x;
    this.#options = options;
    this.#row = x.slice();
    this.#listing = options.menu === true;
    this.#keep = options.keep ?? MOST_BOXES;
    this.#meter = { used: 0, limit: options.effort ?? EFFORT, pulse: options.pulse, next: 0 };
    const { features } = study.constraints.schema;
    const parts = new Map(
      features.flatMap((_, k) => {
        const list = partsOf(study, legal[k], k, x[k]!, options.among?.[k])
          .map((part) => ({
            ...part,
            points: part.points.filter(({ value }) => ways.every((way) => way.reads(k, value))),
          }))
          .filter((part) => part.low <= part.high || part.points.length > 0);
        return list.length > 0 ? [[k, list] as const] : [];
      }),
    );
    const spreads = [...parts.values()].map(joined);
    const from = x.map((v, k) => (isGap(features[k]!, v) ? Number.NaN : v));
    const weights = study.change ? undefined : study.weights;
    this.#ways = ways.map(({ demands, row }) => {
      const bounds = row(x, spreads);
      const floor = Float64Array.from(demands, ({ edge, allowance }) => edge - allowance);
      const sure = Float64Array.from(demands, (demand) => demand.sure);
      const task = { bounds, floor, x: from, parts, legal, change: changeIn(study), weights };
      return { task, sure, spreads: byPromise(bounds, spreads) };
    });
  }

  plan(): ExactPlan {
    this.#asked++;
    if (this.#study.reaches(this.#x, this.#x)) return this.#result("found", 0, true);
    const movable = this.#ways[0]!.spreads.length;
    const most = Math.min(this.#options.maxEdits ?? movable, movable);
    const { objective = "edits" } = this.#options;
    let [size, refuted] = [1, 0];
    try {
      if (objective !== "edits") return this.#leastOfAnySize(most);
      for (; size <= most; size++) {
        this.#level(size);
        if (this.#best)
          return this.#result("found", refuted + 1, refuted + 1 === size, this.#front(size, most));
        if (this.#whole) refuted = size;
      }
    } catch (error) {
      if (error !== SPENT) throw error;
      this.#whole = false;
      const fewest = objective === "edits" && refuted + 1 === size;
      return this.#result(this.#best ? "found" : "open", refuted + 1, fewest);
    }
    const all = this.#options.maxEdits === undefined && this.#whole;
    return this.#result(all ? "none" : "open", refuted + 1, true);
  }

  /** Objectives `change` and `cost`: sets of ever more features, as long as they can still be better. */
  #leastOfAnySize(most: number): ExactPlan {
    let [size, refuted] = [1, 0];
    for (; size <= most; size++) {
      if (this.#best && !this.#ways.some((way) => this.#better(way, size))) break;
      this.#level(size);
      if (!this.#best && this.#whole) refuted = size;
    }
    if (this.#best) return this.#result("found", 1, false);
    const all = this.#options.maxEdits === undefined && this.#whole;
    return this.#result(all ? "none" : "open", refuted + 1, false);
  }

  /** Can so many edits be better than the best plan? */
  #better({ spreads, task }: RowWay, size: number): boolean {
    const least = (of: (spread: Spread) => number): number =>
      spreads
        .map(of)
        .sort((a, b) => a - b)
        .slice(0, size)
        .reduce((sum, value) => sum + value, 0);
    if (this.#options.objective === "cost")
      return least(({ feature }) => this.#study.costs[feature]!) <= this.#total * (1 + SAME_COST);
    return least((spread) => leastOf(task, spread)) < this.#best!.cost;
  }

  /** The least change with ever more edits than the fewest. */
  #front(size: number, most: number): FrontPoint[] | undefined {
    const { front } = this.#options;
    if (front === undefined || !this.#best) return undefined;
    this.#listing = false;
    const [plan, way] = [this.#best, this.#bestWay];
    const points: FrontPoint[] = [
      { edits: size, least: this.#whole, ...leverSet(this.#study, this.#x, plan) },
    ];
    try {
      for (let edits = size + 1; edits <= Math.min(most, size + front); edits++) {
        const before: FoundValues | undefined = this.#best;
        this.#level(edits);
        if (this.#best !== before)
          points.push({ edits, least: this.#whole, ...leverSet(this.#study, this.#x, this.#best!) });
      }
    } catch (error) {
      if (error !== SPENT) throw error;
    }
    [this.#best, this.#bestWay] = [plan, way];
    return points;
  }

  /** Everything that `size` edits can do for less than the best plan so far. */
  #level(size: number): void {
    const first = !this.#best;
    for (const way of this.#ways) {
      const { bounds, floor } = way.task;
      const open = openSets(bounds, floor, way.spreads, size, this.#keep, this.#spend);
      if (first) for (const set of open) for (const { feature } of set) this.#met.add(feature);
      for (const part of this.#parts(open)) this.#least(way, part);
    }
  }

  /** Sets whose best is looked for: each of a menu, those of one cost where costs count, all. */
  #parts(open: readonly (readonly Spread[])[]): readonly (readonly (readonly Spread[])[])[] {
    if (this.#listing) return open.map((set) => [set]);
    if (this.#options.objective !== "cost") return [open];
    const costs = [...new Set(open.map((set) => this.#costOf(set)))].sort((a, b) => a - b);
    return costs.map((cost) => open.filter((set) => this.#costOf(set) === cost));
  }

  #costOf(set: readonly Spread[] = []): number {
    return set.reduce((sum, { feature }) => sum + this.#study.costs[feature]!, 0);
  }

  /** The least change of some sets along one way. */
  #least(way: RowWay, sets: readonly (readonly Spread[])[]): void {
    const total = this.#options.objective === "cost" ? this.#costOf(sets[0]) : 0;
    if (this.#best && total > this.#total * (1 + SAME_COST)) return;
    const cheaper = total < this.#total * (1 - SAME_COST);
    const key = keyOf(sets[0]?.map(({ feature }) => feature) ?? []);
    const held = this.#listing ? this.#menu.get(key) : cheaper ? undefined : this.#best;
    const accepts: Accepts = (k, v) => this.#accepts(k, v);
    const search = new BoxSearch(way.task, accepts, held?.cost ?? Infinity, this.#keep);
    const settle = (): void => {
      if (!search.whole) this.#whole = false;
      const { best } = search;
      if (!best) return;
      if (this.#listing) this.#menu.set(key, best);
      if (this.#best && !cheaper && best.cost >= this.#best.cost) return;
      [this.#best, this.#bestWay, this.#total] = [best, way, total];
    };
    try {
      for (const set of sets) search.add(set);
      search.run(this.#spend);
    } finally {
      settle();
    }
  }

  readonly #spend = (): void => {
    const work = this.#ways.reduce((sum, { task }) => sum + task.bounds.work, 0);
    spend(this.#meter, work - this.#meter.used);
  };

  /** The model's own word on x with these values. */
  #accepts(features: readonly number[], values: readonly number[]): boolean {
    const row = this.#row;
    features.forEach((k, q) => {
      row[k] = values[q]!;
    });
    const within = this.#options.within?.(row) ?? true;
    if (within) this.#asked++;
    const fits = within && this.#study.reaches(row, this.#x);
    for (const k of features) row[k] = this.#x[k]!;
    return fits;
  }

  #result(outcome: ExactPlan["outcome"], size: number, fewest: boolean, front?: FrontPoint[]): ExactPlan {
    const best = this.#best;
    const menu = [...this.#menu.values()]
      .sort((a, b) => a.cost - b.cost)
      .map((found) => leverSet(this.#study, this.#x, found));
    const helpful = this.#options.menu ? new Set(menu.flatMap(({ features }) => features)) : this.#met;
    const { editable } = this.#study.constraints;
    const told = best && this.#whole && fewest;
    return {
      outcome,
      atLeast: size,
      fewest: outcome === "found" && fewest,
      least: outcome === "found" && this.#whole,
      ...(best ? leverSet(this.#study, this.#x, best) : { z: this.#x.slice(), features: [], change: 0 }),
      ...(this.#options.objective === "cost"
        ? { cost: this.#total, cheapest: outcome === "found" && this.#whole }
        : {}),
      ...(this.#options.menu ? { menu } : {}),
      ...(front ? { front } : {}),
      useless: told ? [...this.#x.keys()].filter((k) => editable[k] && !helpful.has(k)) : [],
      ranges: best && this.#bestWay ? safeRanges(this.#bestWay.task, this.#bestWay.sure, best) : [],
      effort: this.#meter.used,
      modelRows: this.#asked,
    };
  }
}

const keyOf = (features: readonly number[]): string => features.toSorted((a, b) => a - b).join(" ");

/** The least that any change of a feature counts. */
function leastOf({ parts, change, x }: BoxTask, { feature: k }: Spread): number {
  const costs = parts
    .get(k)!
    .flatMap(({ low, high, points }) => [
      ...points.map((point) => point.cost),
      ...(low <= high ? [Math.min(change(k, x[k]!, low), change(k, x[k]!, high))] : []),
    ]);
  return Math.min(...costs);
}
