import type {
  ExactOptions,
  ExactPlan,
  ExactSearch,
  ExactStudy,
  Leaves,
  LeverSet,
  SafeRange,
  Way,
} from "./contract.ts";
import { type Meter, SPENT } from "./meter.ts";
import { findNeeds, type Option, optionsOf } from "./needs.ts";
import { type Found, OrthantSearch, valuesAt } from "./orthant.ts";
import { safePlaces } from "./ranges.ts";
import { type CellValues, cellValues, isSide, movesOf } from "./row.ts";
import { SetSearch } from "./sets.ts";

/** Leaves looked at for one row: some seconds. */
const EFFORT = 2_000_000_000;

/** One way to the target, opened for search. */
interface OpenWay {
  readonly leaves: Leaves;
  readonly floor: Float64Array;
  readonly sure: Float64Array;
  readonly values: readonly (CellValues | undefined)[];
}

/** The search over models whose margins are sums over leaves. */
export function leafSearch(study: ExactStudy, flatten: (way: Way) => Leaves): ExactSearch {
  const ways = study.ways.map((way): OpenWay => {
    const leaves = flatten(way);
    const values = leaves.axes.map((axis, k) =>
      axis.levels ? undefined : cellValues(study, axis, k, false),
    );
    const floor = Float64Array.from(way, ({ edge, allowance }) => edge - allowance);
    const sure = Float64Array.from(way, (demand) => demand.sure);
    return { leaves, floor, sure, values };
  });
  return { plan: (x, options = {}) => new RowSearch(study, ways, x, options).plan() };
}

/** One way as one row sees it. */
interface RowWay {
  readonly options: readonly (Option | undefined)[];
  /** Features that can move. */
  readonly movable: number;
  readonly sets: SetSearch;
  readonly orthants: OrthantSearch;
  readonly open: OpenWay;
}

class RowSearch {
  readonly #study: ExactStudy;
  readonly #x: Float64Array;
  readonly #options: ExactOptions;
  readonly #meter: Meter;
  readonly #ways: readonly RowWay[];
  readonly #row: Float64Array;
  #best: Found | undefined;
  #bestWay: RowWay | undefined;
  #asked = 1;
  #menu = new Map<string, Found>();
  readonly #met = new Set<number>();

  constructor(study: ExactStudy, ways: readonly OpenWay[], x: Float64Array, options: ExactOptions) {
    this.#study = study;
    this.#x = x;
    this.#options = options;
    this.#row = x.slice();
    this.#meter = { used: 0, limit: options.effort ?? EFFORT, pulse: options.pulse, next: 0 };
    this.#ways = ways.map((way) => this.#open(way));
  }

  #open(open: OpenWay): RowWay {
    const { leaves, values, floor } = open;
    const moves = leaves.axes.map((axis, k) => movesOf(this.#study, axis, values[k], k, this.#x[k]!));
    const options = optionsOf(moves);
    const needs = findNeeds(leaves, moves, options, new Uint8Array(moves.length));
    return {
      open,
      options,
      movable: new Set(options.flatMap((option) => (option ? [option.feature] : []))).size,
      sets: new SetSearch(leaves, needs, options, floor, this.#meter),
      orthants: new OrthantSearch(leaves, needs, floor, this.#meter, this),
    };
  }

  /** The model's own word on x with these values. */
  accepts(features: readonly number[], values: ArrayLike<number>): boolean {
    const row = this.#row;
    features.forEach((k, q) => {
      row[k] = values[q]!;
    });
    this.#asked++;
    const fits = this.#study.reaches(row);
    for (const k of features) row[k] = this.#x[k]!;
    return fits;
  }

  plan(): ExactPlan {
    if (this.#study.reaches(this.#x)) return this.#result("found", 0, true);
    const most = Math.min(this.#options.maxEdits ?? 254, Math.max(...this.#ways.map((way) => way.movable)));
    let size = 1;
    try {
      if (!this.#ways.some((way) => way.sets.possible())) return this.#result("none", 1, true);
      for (; size <= most; size++) {
        for (const way of this.#ways) this.#level(way, size);
        if (this.#best) return this.#result("found", size, true);
      }
    } catch (error) {
      if (error !== SPENT) throw error;
      return this.#result(this.#best ? "found" : "open", size, false);
    }
    const all = this.#options.maxEdits === undefined;
    return this.#result(all ? "none" : "open", size, true);
  }

  /** All plans of `size` edits along one way. */
  #level(way: RowWay, size: number): void {
    const open = way.sets.run(size).map(({ options }) => options.map((o) => way.options[o]!));
    for (const options of open) for (const { feature } of options) this.#met.add(feature);
    for (const options of open) {
      const key = options
        .map(({ feature }) => feature)
        .sort((a, b) => a - b)
        .join(" ");
      const cap = (this.#options.menu ? this.#menu.get(key) : this.#best)?.cost ?? Number.POSITIVE_INFINITY;
      if (options.reduce((sum, { least }) => sum + least, 0) >= cap) continue;
      const found = way.orthants.run(options, cap);
      if (!found) continue;
      if (this.#options.menu) this.#menu.set(key, found);
      if (this.#best && found.cost >= this.#best.cost) continue;
      this.#best = found;
      this.#bestWay = way;
    }
  }

  #result(outcome: ExactPlan["outcome"], size: number, whole: boolean): ExactPlan {
    const best = this.#best;
    const menu = [...this.#menu.values()].sort((a, b) => a.cost - b.cost).map((found) => this.#lever(found));
    const helpful = this.#options.menu ? new Set(menu.flatMap(({ features }) => features)) : this.#met;
    const useless =
      this.#x.length > 0 && whole && best ? [...this.#x.keys()].filter((k) => !helpful.has(k)) : [];
    return {
      outcome,
      atLeast: size,
      fewest: outcome === "found" && (size === 0 || best !== undefined),
      least: outcome === "found" && whole,
      ...(best ? this.#lever(best) : { z: this.#x.slice(), features: [], change: 0 }),
      ...(this.#options.menu ? { menu } : {}),
      useless: useless.filter((k) => this.#study.constraints.editable[k]),
      ranges: this.#ranges(),
      effort: this.#meter.used,
      modelRows: this.#asked,
    };
  }

  /** How far the plan's numbers may go on beyond their planned values. */
  #ranges(): SafeRange[] {
    const [best, way] = [this.#best, this.#bestWay];
    if (!best || !way) return [];
    const far = safePlaces(way.orthants.around(best), best.places, way.open.sure);
    let r = 0;
    return best.moves.flatMap((move, q) => {
      if (!isSide(move)) return [];
      const [near, end, feature] = [best.places[r]!, far[r++]!, best.features[q]!];
      const { all, first, last } = way.open.values[feature]!;
      const cell = move.cell[end]!;
      const to = all ? move.value[end]! : (move.up ? last : first)[cell]!;
      return [{ feature, from: move.value[near]!, to, open: end === move.count }];
    });
  }

  #lever({ features, moves, places, cost }: Found): LeverSet {
    const z = this.#x.slice();
    const values = valuesAt(moves, places);
    features.forEach((k, q) => {
      z[k] = values[q]!;
    });
    return { features: features.toSorted((a, b) => a - b), change: cost, z };
  }
}
