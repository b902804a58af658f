import type { Axis, Leaves } from "./contract.ts";
import type { Found } from "./orthant.ts";
import { isSide, type Move, type Moves } from "./row.ts";

/** A value of one feature: x's own (no move), or a place of a move. */
export interface Choice {
  readonly feature: number;
  readonly cell: number;
  readonly value: number;
  readonly cost: number;
  readonly move: Move | undefined;
  readonly place: number;
}

/** A choice that is an edit. */
type Edit = Choice & { readonly move: Move };

/**
 * What one feature may be: choices by their cells, in which leaves take intervals, with a gap apart; or, where leaves
 * take sets, choices by their bits.
 */
export interface Dimension {
  readonly feature: number;
  readonly bits: boolean;
  readonly choices: readonly Choice[];
  readonly gap: Choice | undefined;
}

/** What feature k may be; nothing where it cannot move. `missing`: the cell of a gap. */
export function dimensionOf(
  { at, sides, points }: Moves,
  k: number,
  x: number,
  { masked, cells: missing }: Axis,
): Dimension[] {
  if (sides.length === 0 && points.length === 0) return [];
  const all: Choice[] = [{ feature: k, cell: at, value: x, cost: 0, move: undefined, place: 0 }];
  for (const move of sides) {
    for (let place = 1; place <= move.count; place++) {
      const [cell, value, cost] = [move.cell[place]!, move.value[place]!, move.cost[place]!];
      all.push({ feature: k, cell, value, cost, move, place });
    }
  }
  for (const point of points) all.push({ feature: k, ...point, move: point, place: 0 });
  if (masked) return [{ feature: k, bits: true, choices: all, gap: undefined }];
  const choices = all
    .filter(({ cell }) => cell !== missing)
    .sort((a, b) => a.cell - b.cell || a.cost - b.cost);
  return [{ feature: k, bits: false, choices, gap: all.find(({ cell }) => cell === missing) }];
}

export const allBits = (count: number): number => 2 ** count - 1;

/** The leaves that choices can come to, each with the choices it takes. */
export class LeafChoices {
  count = 0;
  /** The leaf of the model; of dimension r, at j · size + r, choices low … high and the gap, or the bits `low`. */
  leaf = new Int32Array(0);
  low = new Int32Array(0);
  high = new Int32Array(0);
  gaps = new Uint8Array(0);
  readonly #leaves: Leaves;
  readonly #loose: Uint8Array;
  #dimensions: readonly Dimension[] = [];

  /** @param loose 1 for derived columns, which may be anything here */
  constructor(leaves: Leaves, loose: Uint8Array) {
    this.#leaves = leaves;
    this.#loose = loose;
  }

  /** @param at cells of a row, where features that do not move stay */
  lay(dimensions: readonly Dimension[], at: readonly number[]): void {
    const { start, feature, tree } = this.#leaves;
    const size = dimensions.length;
    this.#dimensions = dimensions;
    if (this.leaf.length < tree.length) this.leaf = new Int32Array(tree.length);
    if (this.low.length < tree.length * size) {
      this.low = new Int32Array(tree.length * size);
      this.high = new Int32Array(tree.length * size);
      this.gaps = new Uint8Array(tree.length * size);
    }
    const place = new Int32Array(at.length).fill(-1);
    dimensions.forEach((own, r) => {
      place[own.feature] = r;
    });
    this.count = 0;
    for (let l = 0; l < tree.length; l++) {
      const o = this.count * size;
      dimensions.forEach(({ bits, choices, gap }, r) => {
        this.low[o + r] = bits ? allBits(choices.length) : 0;
        this.high[o + r] = choices.length - 1;
        this.gaps[o + r] = gap ? 1 : 0;
      });
      let open = true;
      for (let e = start[l]!; open && e < start[l + 1]!; e++) {
        const k = feature[e]!;
        if (this.#loose[k]) continue;
        open = place[k]! < 0 ? this.#takes(e, k, at[k]!) : this.#enter(e, k, o + place[k]!, place[k]!);
      }
      if (open) this.leaf[this.count++] = l;
    }
  }

  /** Is a cell of feature k what entry e of a leaf wants? */
  #takes(e: number, k: number, cell: number): boolean {
    const { axes, low, high, missing, masks } = this.#leaves;
    if (axes[k]!.masked) return ((masks[low[e]! + (cell >> 5)]! >>> (cell & 31)) & 1) === 1;
    return cell === axes[k]!.cells ? missing[e] === 1 : cell >= low[e]! && cell <= high[e]!;
  }

  /** The choices of dimension r that entry e takes, written at o; false where it takes none. */
  #enter(e: number, k: number, o: number, r: number): boolean {
    const { bits, choices, gap } = this.#dimensions[r]!;
    let [first, last, taken] = [choices.length, -1, 0];
    for (let c = 0; c < choices.length; c++) {
      if (!this.#takes(e, k, choices[c]!.cell)) continue;
      if (first > c) first = c;
      last = c;
      if (bits) taken |= 1 << c;
    }
    this.low[o] = bits ? taken : first;
    this.high[o] = last;
    this.gaps[o] = gap && this.#takes(e, k, gap.cell) ? 1 : 0;
    return last >= 0 || this.gaps[o] === 1;
  }
}

/** A plan without the edits it can do without, those that change most first, each number as near to x as it may be. */
export function smaller(all: readonly Edit[], accepts: (chosen: readonly Edit[]) => boolean): Found {
  let chosen = all;
  for (const own of all.toSorted((a, b) => b.cost - a.cost)) {
    const without = chosen.filter(({ feature }) => feature !== own.feature);
    if (without.length > 0 && accepts(without)) chosen = without;
  }
  for (const own of chosen) {
    const { move } = own;
    for (let place = 1; isSide(move) && place < own.place; place++) {
      const nearer = { ...own, place, value: move.value[place]!, cost: move.cost[place]! };
      const next = chosen.map((one) => (one.feature === own.feature ? nearer : one));
      if (!accepts(next)) continue;
      chosen = next;
      break;
    }
  }
  return {
    features: chosen.map(({ feature }) => feature),
    moves: chosen.map(({ move }) => move),
    places: chosen.filter(({ move }) => isSide(move)).map(({ place }) => place),
    values: chosen.map(({ value }) => value),
    cost: chosen.reduce((sum, { cost }) => sum + cost, 0),
  };
}
