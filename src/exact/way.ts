import { Attainable } from "./attain.ts";
import { cellOf } from "./axis.ts";
import type { Between, BetweenRules } from "./between.ts";
import type { ExactStudy, Leaves, Way } from "./contract.ts";
import type { Meter } from "./meter.ts";
import { Needs } from "./needs.ts";
import type { OpenSets } from "./open-sets.ts";
import { type Option, optionsOf } from "./options.ts";
import { type Asked, type Found, OrthantSearch } from "./orthant.ts";
import type { SafeRange } from "./plan.ts";
import { safeRanges } from "./ranges.ts";
import { type CellValues, cellValues, isSide, type Moves, movesOf, unlisted } from "./row.ts";
import { SetSearch } from "./sets.ts";

/** For each feature the only values an edit may lead to. */
export type Among = readonly (ArrayLike<number> | undefined)[] | undefined;

/** One way to the target, opened for search; it turns from row to row. */
export interface OpenWay {
  /** The ways in which features of this row may move. */
  open(x: Float64Array, among: Among, meter: Meter, asked: Asked): readonly (Option | undefined)[];
  /** Sets of so many options with plans of less change than `cap` and a cost up to `budget`, as far as bounds can tell; at most `keep`. */
  sets(size: number, cap: number, budget: number, keep?: number): OpenSets;
  /** Can any legal values of all features together meet the demands, as far as bounds can tell? */
  possible(): boolean;
  /** Some plan, of whatever change and number of edits; that there is none; or neither, after `most` leaves. */
  attain?(most: number): Found | "none" | "open";
  /** The plan of least change below `cap` that moves exactly these. */
  run(options: readonly Option[], cap: number): Found | undefined;
  /** Was every box of this row settled? */
  readonly whole: boolean;
  ranges(plan: Found, between: Between | undefined): SafeRange[];
}

/** Places of one feature that are kept for further rows. */
const MOST_KNOWN = 1 << 16;

/** A way told by sums over leaves. */
class LeafWay implements OpenWay {
  readonly #study: ExactStudy;
  readonly #way: Way;
  readonly #leaves: Leaves;
  /** What sums must reach to be looked at, and to be sure of. */
  readonly #floor: Float64Array;
  readonly #sure: Float64Array;
  readonly #values: readonly (CellValues | undefined)[];
  /** What features may become, by their values: those of the rows before. */
  readonly #known: readonly Map<number, Moves>[];
  readonly #needs: Needs;
  readonly #sets: SetSearch;
  readonly #orthants: OrthantSearch;
  readonly #attainable: Attainable;
  #x: Float64Array = new Float64Array(0);
  #among: Among;
  #meter!: Meter;
  #asked!: Asked;

  constructor(
    study: ExactStudy,
    way: Way,
    leaves: Leaves,
    values: readonly (CellValues | undefined)[],
    read: Uint8Array,
  ) {
    this.#floor = Float64Array.from(way, ({ edge, allowance }) => edge - allowance);
    const { features } = study.constraints.schema;
    this.#study = study;
    this.#way = way;
    this.#leaves = leaves;
    this.#values = values;
    this.#known = features.map(() => new Map());
    this.#sure = Float64Array.from(way, (demand) => demand.sure);
    const loose = Uint8Array.from(features, (feature) => (feature.derived ? 1 : 0));
    this.#needs = new Needs(leaves, loose);
    this.#attainable = new Attainable(leaves, this.#floor, loose);
    this.#sets = new SetSearch(this.#needs, this.#floor);
    this.#orthants = new OrthantSearch(leaves, this.#floor, values, read);
  }

  open(x: Float64Array, among: Among, meter: Meter, asked: Asked): readonly (Option | undefined)[] {
    this.#x = x;
    this.#among = among;
    this.#meter = meter;
    this.#asked = asked;
    this.#turnTo(x);
    const { axes } = this.#leaves;
    const at = Int32Array.from(axes, (axis, k) => cellOf(axis, x[k]!));
    const options = optionsOf(axes.map((_, k) => this.#moves(k, x[k]!, among?.[k])));
    this.#needs.open(at, options, meter);
    this.#sets.open(options, this.#study.costs, meter);
    this.#orthants.open(at, meter, asked);
    return options;
  }

  #moves(k: number, x: number, among: ArrayLike<number> | undefined): Moves {
    const axis = this.#leaves.axes[k]!;
    const find = (): Moves => movesOf(this.#study, axis, this.#values[k], k, x, among);
    // −0 and 0 are one key.
    if (among || Object.is(x, -0)) return find();
    const known = this.#known[k]!;
    let own = known.get(x);
    if (!own) {
      own = find();
      if (known.size * axis.cells < MOST_KNOWN) known.set(x, own);
    }
    return own;
  }

  /** Edges that are a row's own, set for it. */
  #turnTo(x: Float64Array): void {
    this.#way.forEach(({ edgeAt, allowance }, c) => {
      if (!edgeAt) return;
      this.#floor[c] = edgeAt(x) - allowance;
      this.#sure[c] = edgeAt(x) + allowance;
    });
  }

  sets(size: number, cap: number, budget: number, keep?: number): OpenSets {
    return this.#sets.run(size, cap, budget, keep);
  }

  possible(): boolean {
    return this.#sets.possible();
  }

  attain(most: number): Found | "none" | "open" {
    const moves = this.#leaves.axes.map((_, k) => this.#moves(k, this.#x[k]!, this.#among?.[k]));
    return this.#attainable.run(this.#x, moves, this.#asked, this.#meter, most);
  }

  run(options: readonly Option[], cap: number): Found | undefined {
    return this.#orthants.run(options, cap);
  }

  get whole(): boolean {
    return this.#orthants.whole;
  }

  /** Over all legal values, also where the plan's own had to be among some. */
  ranges(plan: Found, between: Between | undefined): SafeRange[] {
    const { features } = plan;
    const moves = unlisted(plan.moves, (q) => this.#moves(features[q]!, this.#x[features[q]!]!, undefined));
    const sides = moves.filter(isSide);
    const listed = plan.moves.filter(isSide);
    const places = sides.map(({ until, before }, r) => until[listed[r]!.cell[plan.places[r]!]!]! - before);
    return safeRanges({ ...plan, moves, places }, this.#orthants, this.#sure, between);
  }
}

/** Undefined where a rule reads a column that cannot be searched value by value. */
export function leafWay(
  study: ExactStudy,
  way: Way,
  leaves: Leaves,
  between: BetweenRules | undefined,
): OpenWay | undefined {
  const read = between?.read ?? new Uint8Array(leaves.axes.length);
  const values = leaves.axes.map((axis, k) =>
    axis.levels ? undefined : cellValues(study, axis, k, read[k] === 1),
  );
  const many = values.some((own, k) => own && !own.all && read[k] === 1 && leaves.axes[k]!.masked);
  return many ? undefined : new LeafWay(study, way, leaves, values, read);
}
