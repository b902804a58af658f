import { hasLevels } from "../data/schema.ts";
import type { BoxTask } from "./bounded-box.ts";
import { BoxSearch, type FoundValues } from "./bounded-boxes.ts";
import type { BoundedWay, OpenBounds, Spread } from "./bounded-contract.ts";
import { joined, partsOf } from "./bounded-moves.ts";
import { safeRanges } from "./bounded-ranges.ts";
import { byPromise, openSets } from "./bounded-sets.ts";
import { changeIn, isGap } from "./change.ts";
import type { ExactOptions, ExactPlan, ExactSearch, ExactStudy, FrontPoint, LeverSet } from "./contract.ts";
import { type Legal, legalNumbers } from "./legal.ts";
import { type Meter, SPENT, spend } from "./meter.ts";

/** Multiplications for one row: a second or two. */
const EFFORT = 1_000_000_000;

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
  readonly #menu = new Map<string, FoundValues>();
  readonly #met = new Set<number>();
  #best: FoundValues | undefined;
  #bestWay: RowWay | undefined;
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
    // Costs of edits that differ are not searched by.
    if (objective === "cost" && new Set(this.#study.costs).size > 1) return this.#result("open", 1, false);
    let [size, refuted] = [1, 0];
    try {
      if (objective === "change") return this.#leastChange(most);
      for (; size <= most; size++) {
        this.#level(size);
        if (this.#best)
          return this.#result("found", refuted + 1, refuted + 1 === size, this.#front(size, most));
        if (this.#whole) refuted = size;
      }
    } catch (error) {
      if (error !== SPENT) throw error;
      this.#whole = false;
      return this.#result(this.#best ? "found" : "open", refuted + 1, refuted + 1 === size);
    }
    const all = this.#options.maxEdits === undefined && this.#whole;
    return this.#result(all ? "none" : "open", refuted + 1, true);
  }

  /** Objective `change`: sets of ever more features, as long as they can still change less. */
  #leastChange(most: number): ExactPlan {
    let size = 1;
    for (; size <= most; size++) {
      const before = this.#best;
      this.#level(size);
      if (before && this.#best === before && !this.#ways.some((way) => this.#cheaper(way, size + 1))) break;
    }
    return this.#result(
      this.#best ? "found" : this.#whole ? "none" : "open",
      this.#best?.features.length ?? size,
      false,
    );
  }

  /** Can so many edits change less than the best plan? */
  #cheaper({ spreads, task }: RowWay, size: number): boolean {
    const costs = spreads.map((spread) => leastOf(task, spread)).sort((a, b) => a - b);
    return costs.slice(0, size).reduce((sum, cost) => sum + cost, 0) < (this.#best?.cost ?? Infinity);
  }

  /** The least change with ever more edits than the fewest. */
  #front(size: number, most: number): FrontPoint[] | undefined {
    const { front } = this.#options;
    if (front === undefined || !this.#best) return undefined;
    const [plan, way] = [this.#best, this.#bestWay];
    const points: FrontPoint[] = [{ edits: size, least: this.#whole, ...this.#lever(plan) }];
    try {
      for (let edits = size + 1; edits <= Math.min(most, size + front); edits++) {
        const before: FoundValues | undefined = this.#best;
        this.#level(edits);
        if (this.#best !== before) points.push({ edits, least: this.#whole, ...this.#lever(this.#best!) });
      }
    } catch (error) {
      if (error !== SPENT) throw error;
    }
    [this.#best, this.#bestWay] = [plan, way];
    return points;
  }

  /** Everything that `size` edits can do for less than the best plan so far. */
  #level(size: number): void {
    for (const way of this.#ways) {
      const { bounds, floor } = way.task;
      const open = openSets(bounds, floor, way.spreads, size, this.#spend);
      for (const set of open) for (const { feature } of set) this.#met.add(feature);
      const { menu } = this.#options;
      for (const part of menu ? open.map((set) => [set]) : [open]) this.#least(way, part);
    }
  }

  /** The least change of some sets along one way. */
  #least(way: RowWay, sets: readonly (readonly Spread[])[]): void {
    const key = keyOf(sets[0]?.map(({ feature }) => feature) ?? []);
    const held = this.#options.menu ? this.#menu.get(key) : this.#best;
    const search = new BoxSearch(way.task, (k, v) => this.#accepts(k, v), held?.cost ?? Infinity);
    const settle = (): void => {
      if (!search.whole) this.#whole = false;
      const { best } = search;
      if (!best) return;
      if (this.#options.menu) this.#menu.set(key, best);
      if (this.#best && best.cost >= this.#best.cost) return;
      [this.#best, this.#bestWay] = [best, way];
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
    const menu = [...this.#menu.values()].sort((a, b) => a.cost - b.cost).map((found) => this.#lever(found));
    const helpful = this.#options.menu ? new Set(menu.flatMap(({ features }) => features)) : this.#met;
    const { editable } = this.#study.constraints;
    const told = best && this.#whole && fewest;
    return {
      outcome,
      atLeast: size,
      fewest: outcome === "found" && fewest,
      least: outcome === "found" && this.#whole,
      ...(best ? this.#lever(best) : { z: this.#x.slice(), features: [], change: 0 }),
      ...(this.#options.menu ? { menu } : {}),
      ...(front ? { front } : {}),
      useless: told ? [...this.#x.keys()].filter((k) => editable[k] && !helpful.has(k)) : [],
      ranges: best && this.#bestWay ? safeRanges(this.#bestWay.task, this.#bestWay.sure, best) : [],
      effort: this.#meter.used,
      modelRows: this.#asked,
    };
  }

  #lever({ features, values, cost }: FoundValues): LeverSet {
    const z = this.#x.slice();
    features.forEach((k, q) => {
      z[k] = values[q]!;
    });
    return { features: features.toSorted((a, b) => a - b), change: cost, z };
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
