import type { Between } from "./between.ts";
import { Boxes } from "./boxes.ts";
import type { Leaves } from "./contract.ts";
import { Laying } from "./lay.ts";
import { LeafBounds } from "./leaf-bounds.ts";
import type { Meter } from "./meter.ts";
import type { Option } from "./options.ts";
import type { Orthant } from "./place.ts";
import { type CellValues, filled, isSide, type Move } from "./row.ts";
import { type Dimension, ValueBoxes, type Verdict } from "./values.ts";

/** A plan: how each feature moves, to which value and, for those that move along a side, how far. */
export interface Found {
  readonly features: readonly number[];
  readonly moves: readonly Move[];
  readonly places: readonly number[];
  readonly values: readonly number[];
  readonly cost: number;
}

/** What a search asks of the row it is about. */
export interface Asked {
  /** Is the row with these values at the target, and legal? */
  accepts(features: readonly number[], values: readonly number[]): Verdict;
  /** What it counts when feature k becomes a value. */
  change(k: number, value: number): number;
  readonly between: Between | undefined;
}

/** The least change with which exactly the features of a set, moved as its options say, reach the target. */
export class OrthantSearch {
  readonly #laying: Laying;
  readonly #boxes: Boxes;
  readonly #bounds: LeafBounds;
  readonly #values = new ValueBoxes();
  readonly #floor: Float64Array;
  readonly #cells: readonly (CellValues | undefined)[];
  readonly #read: Uint8Array;
  #meter!: Meter;
  #asked!: Asked;
  #features: readonly number[] = [];
  #best = Number.POSITIVE_INFINITY;
  #found: Found | undefined;

  /** @param read 1 for features that rules or derived columns read */
  constructor(
    leaves: Leaves,
    floor: Float64Array,
    cells: readonly (CellValues | undefined)[],
    read: Uint8Array,
  ) {
    this.#floor = floor;
    this.#cells = cells;
    this.#read = read;
    this.#laying = new Laying(leaves);
    this.#boxes = new Boxes(floor);
    this.#bounds = new LeafBounds(leaves, floor);
  }

  /** Turns to another row, by its cells. */
  open(at: Int32Array, meter: Meter, asked: Asked): void {
    this.#meter = meter;
    this.#asked = asked;
    this.#laying.open(at, meter);
    this.#boxes.open(meter);
    this.#values.open(meter);
  }

  /** Was every box of this row settled? */
  get whole(): boolean {
    return this.#values.whole;
  }

  /** The plan of least change below `cap`. */
  run(options: readonly Option[], cap: number): Found | undefined {
    this.#best = cap;
    this.#found = undefined;
    this.#features = options.map((option) => option.feature);
    if (this.#asked.between?.focus(this.#features) === false) return undefined;
    this.#turn(options, [], 0);
    return this.#found;
  }

  /** Takes each option's moves in turn. */
  #turn(options: readonly Option[], moves: readonly Move[], cost: number): void {
    if (moves.length === options.length) {
      this.#search(moves);
      return;
    }
    for (const move of options[moves.length]!.moves) {
      const least = cost + (isSide(move) ? move.cost[1]! : move.cost);
      if (least < this.#best) this.#turn(options, [...moves, move], least);
    }
  }

  /** The orthant of a plan: its leaves until the next set is searched. */
  around({ features, moves }: Found): Orthant {
    const { between } = this.#asked;
    between?.focus(features);
    return this.#laying.lay(features, moves, between?.columns ?? [], Number.POSITIVE_INFINITY);
  }

  /** The legal number at v, or the next one towards `end`, which is legal. */
  legalTowards(k: number, v: number, end: number): number {
    const { legal } = this.#cells[k]!;
    return end < v ? legal.below(v) : legal.above(v);
  }

  /** Whether leaves of that orthant meet what derived columns may be in the box they follow at the time. */
  meets(orthant: Orthant): ((j: number) => boolean) | undefined {
    const { between } = this.#asked;
    if (!between || between.columns.length === 0) return undefined;
    const bounds = this.#bounds.open(orthant, this.#laying.ids, between, this.#meter);
    return (j) => bounds.meets(j);
  }

  #search(moves: readonly Move[]): void {
    const { between } = this.#asked;
    const orthant = this.#laying.lay(this.#features, moves, between?.columns ?? [], this.#best);
    if (!this.#enough(orthant)) return;
    if (between && !between.free) {
      this.#among(orthant, moves, between);
      return;
    }
    const found = this.#boxes.run(orthant, this.#best, (places) =>
      this.#asked.accepts(this.#features, valuesAt(moves, places)),
    );
    if (!found) return;
    this.#best = found.cost;
    const values = valuesAt(moves, found.places);
    this.#found = { features: this.#features, moves, values, ...found };
  }

  /** Where rules or derived columns read what moves. */
  #among(orthant: Orthant, moves: readonly Move[], between: Between): void {
    const features = this.#features;
    const dimensions = moves.flatMap((move, q): Dimension[] => {
      const feature = features[q]!;
      if (!isSide(move)) {
        between.set(feature, move.value, move.value);
        return [];
      }
      const change = (value: number): number => this.#asked.change(feature, value);
      const { legal } = this.#cells[feature]!;
      return [{ feature, side: move, legal, read: this.#read[feature] === 1, change }];
    });
    const bounds = this.#bounds.open(orthant, this.#laying.ids, between, this.#meter);
    const found = this.#values.run(dimensions, orthant.cost, bounds, between, this.#best, (values) =>
      this.#asked.accepts(features, filled(moves, values)),
    );
    if (!found) return;
    this.#best = found.cost;
    this.#found = { features, moves, ...found, values: filled(moves, found.values) };
  }

  /** Do the sums of the trees' maxima reach every edge? */
  #enough({ tree, value, base, count }: Orthant): boolean {
    for (let c = 0; c < this.#floor.length; c++) {
      const own = value[c]!;
      let sum = base[c]!;
      let [at, top] = [-1, 0];
      for (let j = 0; j < count; j++) {
        if (tree[j] !== at) {
          sum += top;
          top = own[j]!;
          at = tree[j]!;
        } else if (own[j]! > top) top = own[j]!;
      }
      if (!(sum + top >= this.#floor[c]!)) return false;
    }
    return true;
  }
}

/** The values of moves at places. */
function valuesAt(moves: readonly Move[], places: readonly number[]): number[] {
  let r = 0;
  return moves.map((move) => (isSide(move) ? move.value[places[r++]!]! : move.value));
}
