import { hasLevels, levelsOf } from "../data/schema.ts";
import { once } from "../num/once.ts";
import { betweenOf } from "./between.ts";
import type { Demand, ExactStudy } from "./contract.ts";
import { type Legal, legalNumbers } from "./legal.ts";
import { type Lever, leverOf, type Term } from "./lever.ts";
import { added, type LinearSum } from "./linear-bounds.ts";
import { LinearWay } from "./linear-way.ts";
import { type Meter, SPENT, spend } from "./meter.ts";
import type { ExactOptions, ExactPlan, ExactSearch, LeverSet, SafeRange } from "./plan.ts";
import { RowSearch } from "./row-search.ts";
import { cheapest } from "./shares.ts";

/** Sets looked at for one row. */
const EFFORT = 20_000_000;
/** Sets of a menu. */
const MOST_LISTED = 2 ** 18;

/**
 * The search over targets of linear sums. Where the target is one, every feature adds its own term, so that the fewest
 * edits are the most that single features can add, taken from the largest on, and a set's least change is what its
 * features cost when the gain still missing is shared among them (shares.ts). Everything else is searched by boxes
 * (linear-way.ts). Undefined where a feature's term is not a straight line.
 */
export function linearSearch(study: ExactStudy): ExactSearch | undefined {
  const ways = study.ways.map((way) => way.map((demand) => openLinear(study, demand)));
  if (ways.some((way) => way.includes(undefined))) return undefined;
  const open = ways as readonly (readonly OpenLinear[])[];
  const { hasRules, hasDerived } = study.constraints;
  const between = hasRules || hasDerived ? betweenOf(study.constraints) : undefined;
  const boxes = once(() => open.map((way) => new LinearWay(study, way, between)));
  const plain =
    !between && !study.change && open.every((way) => way.length === 1 && Number.isFinite(way[0]!.sure));
  const short = open.map((way) => way[0]!);
  return {
    plan: (x, options = {}) => {
      const { objective = "edits", front, within } = options;
      return plain && objective === "edits" && front === undefined && !within
        ? new LinearRow(study, short, x, options).plan()
        : new RowSearch(study, boxes(), between, x, options).plan();
    },
  };
}

interface OpenLinear extends LinearSum {
  readonly legal: readonly (Legal | undefined)[];
}

function openLinear(study: ExactStudy, demand: Demand): OpenLinear | undefined {
  const { features } = study.constraints.schema;
  const terms = features.map((_, k) => termOf(study, demand, k));
  if (terms.includes(undefined)) return undefined;
  let intercept = 0;
  for (const { structure, sign } of demand.parts) {
    if (structure.kind !== "linear") return undefined;
    intercept += sign * structure.intercept;
  }
  const legal = features.map((feature, k) => (hasLevels(feature) ? undefined : legalNumbers(study, k)));
  const { edge, allowance, sure } = demand;
  return { floor: edge - allowance, sure, intercept, terms: terms as readonly Term[], legal };
}

/** How far a term may be from a straight line, relative to its size. */
const STRAIGHT = 1e-9;

/** What feature k adds to the sum, by its value. */
function termOf(study: ExactStudy, { parts }: Demand, k: number): Term | undefined {
  const feature = study.constraints.schema.features[k]!;
  const cols = study.constraints.schema.features.length;
  const own = study.groups[k]!;
  const at = (value: number): number => {
    const data = new Float64Array(cols);
    data[k] = value;
    const row = study.encode({ data, rows: 1, cols }).data;
    let sum = 0;
    for (const { structure, sign } of parts) {
      if (structure.kind !== "linear") return Number.NaN;
      for (const c of own) {
        if (!(structure.skipsMissing && Number.isNaN(row[c]))) sum += sign * structure.weights[c]! * row[c]!;
      }
    }
    return sum;
  };
  const missing = at(Number.NaN);
  if (hasLevels(feature))
    return { levels: levelsOf(feature).map((_, v) => at(v)), start: 0, slope: 0, missing };
  const [low, high] = [study.low[k]!, study.high[k]!];
  const [a, b] = Number.isFinite(low) && low < high ? [low, high] : [0, 1];
  const slope = (at(b) - at(a)) / (b - a);
  const start = at(a) - slope * a;
  const size = Math.abs(start) + Math.abs(slope) * Math.max(Math.abs(a), Math.abs(b));
  for (const v of [a + (b - a) / 3, a + (b - a) / 2, b + (b - a)]) {
    if (Math.abs(at(v) - start - slope * v) > STRAIGHT * (size + Math.abs(slope * v))) return undefined;
  }
  return { start, slope, missing };
}

class LinearRow {
  readonly #study: ExactStudy;
  readonly #ways: readonly OpenLinear[];
  readonly #x: Float64Array;
  readonly #options: ExactOptions;
  readonly #meter: Meter;
  readonly #menu = new Map<string, LeverSet>();
  #best: LeverSet | undefined;
  #whole = true;
  #asked = 0;
  #slack = 0;

  constructor(study: ExactStudy, ways: readonly OpenLinear[], x: Float64Array, options: ExactOptions) {
    this.#study = study;
    this.#ways = ways;
    this.#x = x;
    this.#options = options;
    this.#meter = { used: 0, limit: options.effort ?? EFFORT, pulse: options.pulse, next: 0 };
  }

  plan(): ExactPlan {
    if (this.#reaches(this.#x)) return this.#result("found", 0, []);
    const ways = this.#ways.map((way) => this.#levers(way));
    const most = Math.max(...ways.map(({ levers }) => levers.length));
    let [size, refuted] = [1, 0];
    try {
      for (; size <= Math.min(most, this.#options.maxEdits ?? most); size++) {
        for (const { levers, missing, slack } of ways) {
          this.#slack = slack;
          this.#choose(levers, [], 0, size, missing);
        }
        const all = ways.flatMap(({ levers }) => levers);
        if (this.#best) return this.#result("found", refuted + 1, all);
        if (this.#whole) refuted = size;
      }
    } catch (error) {
      if (error !== SPENT) throw error;
      this.#whole = false;
      return this.#result(this.#best ? "found" : "open", refuted + 1, []);
    }
    const all = this.#options.maxEdits === undefined && this.#whole;
    return this.#result(all ? "none" : "open", refuted + 1, []);
  }

  #reaches(z: Float64Array): boolean {
    this.#asked++;
    return this.#study.reaches(z, this.#x);
  }

  /** What each feature can add, the most first, and what is missing. */
  #levers({ floor, sure, intercept, terms, legal }: OpenLinear): {
    levers: Lever[];
    missing: number;
    slack: number;
  } {
    let now = intercept;
    const levers: Lever[] = [];
    terms.forEach((term, k) => {
      const { lever, value } = leverOf(this.#study, term, legal[k], k, this.#x[k]!, this.#options.among?.[k]);
      now += value;
      if (lever) levers.push(lever);
    });
    levers.sort((a, b) => b.most - a.most || a.feature - b.feature);
    return { levers, missing: floor - now, slack: sure - floor };
  }

  /** Sets of `size` more levers from `next` on whose most together is enough. */
  #choose(
    levers: readonly Lever[],
    chosen: readonly Lever[],
    next: number,
    size: number,
    missing: number,
  ): void {
    spend(this.#meter, 1);
    if (size === 0) {
      if (missing <= 0) this.#solve(chosen, missing + chosen.reduce((sum, lever) => sum + lever.most, 0));
      return;
    }
    for (let t = next; t <= levers.length - size; t++) {
      let most = 0;
      for (let s = t; s < t + size; s++) most += levers[s]!.most;
      if (most < missing) return;
      this.#choose(levers, [...chosen, levers[t]!], t + 1, size - 1, missing - levers[t]!.most);
    }
  }

  /** The least change with which these levers add what is missing. */
  #solve(levers: readonly Lever[], missing: number): void {
    const key = levers
      .map(({ feature }) => feature)
      .sort((a, b) => a - b)
      .join(" ");
    const cap = this.#options.menu
      ? (this.#menu.get(key)?.change ?? Number.POSITIVE_INFINITY)
      : (this.#best?.change ?? Number.POSITIVE_INFINITY);
    const accepts = (values: readonly number[]): boolean => this.#reaches(this.#row(levers, values));
    const found = cheapest(levers, missing, this.#slack, cap, accepts, this.#meter);
    const { values, cost: change, exact } = found;
    if (!exact) this.#whole = false;
    if (!values) return;
    const features = levers.map(({ feature }) => feature).sort((a, b) => a - b);
    const way = { features, change, z: this.#row(levers, values) };
    if (this.#options.menu) this.#menu.set(key, way);
    if (!this.#best || change < this.#best.change) this.#best = way;
    if (this.#menu.size > (this.#options.keep ?? MOST_LISTED)) throw SPENT;
  }

  #row(levers: readonly Lever[], values: readonly number[]): Float64Array {
    const z = this.#x.slice();
    levers.forEach(({ feature }, q) => {
      z[feature] = values[q]!;
    });
    return z;
  }

  /** Each number may go on to its end: the sum grows with it, and is enough for certain where the plan's own is. */
  #ranges({ features, z }: LeverSet): SafeRange[] {
    const sure = this.#ways.find(({ intercept, terms, sure: enough }) => {
      const sum = terms.reduce((total, term, k) => total + added(term, z[k]!), intercept);
      return sum >= enough;
    });
    if (!sure) return [];
    return features.flatMap((feature) => {
      const [from, up] = [z[feature]!, z[feature]! > this.#x[feature]!];
      const { slope } = sure.terms[feature]!;
      const { missing = [] } = this.#study.constraints.schema.features[feature]!;
      const gap = missing.includes(this.#x[feature]!) || missing.includes(from);
      if (gap || !(slope * (from - this.#x[feature]!) > 0)) return [];
      const end = up ? sure.legal[feature]!.below(Infinity) : sure.legal[feature]!.above(-Infinity);
      return [{ feature, from, to: end, open: true }];
    });
  }

  #result(outcome: ExactPlan["outcome"], size: number, levers: readonly Lever[]): ExactPlan {
    const best = this.#best;
    const menu = [...this.#menu.values()].sort((a, b) => a.change - b.change);
    const { editable } = this.#study.constraints;
    const some = new Set(menu.flatMap(({ features }) => features));
    const able = new Set(levers.map(({ feature }) => feature));
    const helps = (k: number): boolean => (this.#options.menu ? some.has(k) : able.has(k));
    return {
      outcome,
      atLeast: size,
      fewest: outcome === "found" && size === (best?.features.length ?? 0),
      least: outcome === "found" && this.#whole,
      ...(best ?? { features: [], change: 0, z: this.#x.slice() }),
      ...(this.#options.menu ? { menu } : {}),
      useless: best && this.#whole ? [...this.#x.keys()].filter((k) => editable[k] && !helps(k)) : [],
      ranges: best ? this.#ranges(best) : [],
      effort: this.#meter.used,
      modelRows: this.#asked,
    };
  }
}
