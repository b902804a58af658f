import type { Condition, LinearStructure } from "../types.ts";
import type { Moves } from "./kernels.ts";
import { edgeMargin, linkedBy, marginError } from "./rounding.ts";

/** A table column that may be edited, as the model sees it. */
interface Movable {
  /** Its encoded columns. */
  readonly own: readonly number[];
  /** Encoded rows with another value of it: the ends of its range, or a list. Beyond `open` ones it goes on. */
  readonly values: readonly { readonly cells: Float64Array; readonly open: boolean }[];
}

/**
 * The least number of edits with which *any* of these values bring a row to the target: the margin is a sum over
 * players, so the players are sorted by the most they can contribute and taken until the edge is reached. Infinity
 * when no edits suffice. Whatever the model's own rounding might add is granted to the edits (rounding.ts).
 */
export function leastEdits(
  structure: LinearStructure,
  conditions: readonly Condition[],
  minMargin: number,
  from: Float64Array,
  moves: Moves,
): number {
  const players = moves.players.map((columns) => columns.map((column) => movable(moves, column)));
  const linked = linkedBy([structure]);
  const { margins } = structure.kernels;
  const now = margins(structure, { data: from, rows: 1, cols: from.length })[0]!;
  const slop = marginError(
    structure,
    from.map((v) => Math.abs(v) || 0),
  );
  return conditions.reduce((least, condition) => {
    const { sign } = condition;
    const edge = edgeMargin(linked, condition, Math.max(0, minMargin));
    const gains = Float64Array.from(players, (columns) =>
      columns.reduce((sum, column) => sum + mostOf(structure, column, sign, from), 0),
    );
    return Math.max(least, editsFor(sign * (edge - now) - slop, gains));
  }, 0);
}

function movable(moves: Moves, column: number): Movable {
  const { row, encode, encoded } = moves;
  const cellsWith = (value: number): Float64Array => {
    const data = row.slice();
    data[column] = value;
    return encode({ data, rows: 1, cols: row.length }).data;
  };
  return {
    own: encoded[column]!,
    values: candidates(moves, column).map((value) => {
      const open = Math.abs(value) === Number.POSITIVE_INFINITY;
      return { open, cells: cellsWith(open ? Math.sign(value) * Number.MAX_VALUE : value) };
    }),
  };
}

/** The ends of a range, or the values of a list, and what stands for a missing value; a margin is extreme at one of them. */
function candidates({ row, domain, allows }: Moves, column: number): number[] {
  const from = row[column]!;
  const { values, min, max, missing = [] } = domain(column, from);
  const gaps = [Number.NaN, ...missing].filter((gap) => allows?.(column, from, gap) ?? true);
  return [...(values ?? [min, max]), ...gaps];
}

/** How many of the largest gains add up to `missing`, up to the rounding of their sum. */
function editsFor(missing: number, gains: Float64Array): number {
  const falling = gains.toSorted().reverse();
  const rounded = 1 + 2 * falling.length * Number.EPSILON;
  let [sum, count] = [0, 0];
  while (sum * rounded < missing && count < falling.length && falling[count]! > 0) sum += falling[count++]!;
  // A margin that is not a number proves nothing.
  return sum * rounded < missing ? Number.POSITIVE_INFINITY : count;
}

/** The most a column can add to sign · margin, with what the model's rounding of its values may add. */
function mostOf(
  structure: LinearStructure,
  { own, values }: Movable,
  sign: number,
  from: Float64Array,
): number {
  const columns = own.filter((c) => structure.weights[c] !== 0);
  return values.reduce((most, { cells, open }) => {
    const terms = columns.map((c) => sign * termOf(structure, c, from, cells));
    const gain = open ? endless(terms) : gainOf(structure, columns, terms, cells);
    return gain > most ? gain : most;
  }, 0);
}

function termOf(structure: LinearStructure, c: number, from: Float64Array, to: Float64Array): number {
  return structure.weights[c]! * (cellOf(structure, to[c]!) - cellOf(structure, from[c]!));
}

function gainOf(
  structure: LinearStructure,
  own: readonly number[],
  terms: readonly number[],
  then: Float64Array,
): number {
  const sizes = new Float64Array(then.length);
  for (const c of own) sizes[c] = Math.abs(then[c]!) || 0;
  const rounding = marginError(structure, sizes);
  if (rounding === Number.POSITIVE_INFINITY) return rounding;
  return terms.reduce((sum, term) => sum + term, rounding);
}

/** What an open end of a range can add: everything, unless every term falls all the way. */
function endless(terms: readonly number[]): number {
  return terms.every((term) => term <= 0) ? 0 : Number.POSITIVE_INFINITY;
}

/** A cell as the sum sees it: a gap is nothing to a model that skips it. */
export function cellOf({ skipsMissing }: LinearStructure, value: number): number {
  return skipsMissing && Number.isNaN(value) ? 0 : value;
}
