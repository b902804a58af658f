import { openModelKernel } from "../model/contract.ts";
import { edgeMargin, linkedBy, marginError } from "../model/rounding.ts";
import { linearMargin, linearTerm } from "../search/inside.ts";
import type { LinearStructure } from "../types.ts";
import type { Problem, RefineOptions } from "./contract.ts";

type Domain = NonNullable<RefineOptions["domain"]>;

/**
 * The least number of edits with which *any* legal values bring a row of a linear model to its target: the
 * margin is a sum over players, so the players are sorted by the most they can contribute and taken until the
 * edge is reached. A lower bound that needs no references; Infinity when no edits suffice. Undefined where the
 * model is not linear in one margin or no domain is given. Whatever the model's own rounding might add is
 * granted to the edits (model/rounding.ts).
 */
export function modelBound(problem: Problem): ((row: number) => number) | undefined {
  const { mix, options, rule } = problem;
  const { domain } = options;
  const structure = mix.inside?.structures[0];
  const { conditions } = mix.reach;
  if (!domain || !conditions || structure?.kind !== "linear" || mix.inside!.structures.length > 1)
    return undefined;
  const linked = linkedBy([structure]);
  return (row) => {
    const { from } = problem.pairs[row]!.pair;
    const now = linearMargin(structure, from);
    const slop = marginError(structure, sizesOf(from));
    let least = 0;
    for (const condition of conditions) {
      const { sign } = condition;
      const edge = edgeMargin(linked, condition, Math.max(0, rule.minMargin));
      const gains = gainsOf(problem, structure, row, sign, domain);
      least = Math.max(least, editsFor(sign * (edge - now) - slop, gains));
    }
    return least;
  };
}

function sizesOf(cells: Float64Array): Float64Array {
  return cells.map((v) => Math.abs(v) || 0);
}

/** How many of the largest gains add up to `missing`, but for the rounding of their sum. */
function editsFor(missing: number, gains: Float64Array): number {
  const falling = gains.toSorted().reverse();
  const rounded = 1 + 2 * falling.length * Number.EPSILON;
  let [sum, count] = [0, 0];
  while (sum * rounded < missing && count < falling.length && falling[count]! > 0) sum += falling[count++]!;
  // A margin that is not a number proves nothing.
  return sum * rounded < missing ? Number.POSITIVE_INFINITY : count;
}

/** The most each player can add to sign · margin, with what the model's rounding of its values may add. */
function gainsOf(
  { x, mix, players, options }: Problem,
  structure: LinearStructure,
  row: number,
  sign: number,
  domain: Domain,
): Float64Array {
  const { cols } = x.rows;
  const from = x.rows.data.subarray(row * cols, (row + 1) * cols);
  const { encode, players: encoded } = openModelKernel(mix.model, cols);
  const cellsWith = (column: number, value: number): Float64Array => {
    const data = from.slice();
    data[column] = value;
    return encode({ data, rows: 1, cols }).data;
  };
  const { allowed } = options;
  return Float64Array.from(mix.groups, (columns, p) => {
    if (allowed && !allowed[row * players + p]) return 0;
    return columns.reduce((sum, column) => {
      const now = cellsWith(column, from[column]!);
      const own = encoded[column]!.filter((c) => structure.weights[c] !== 0);
      let best = 0;
      for (const value of candidates(options, domain, column, from[column]!)) {
        const open = Math.abs(value) === Number.POSITIVE_INFINITY;
        const then = cellsWith(column, open ? Math.sign(value) * Number.MAX_VALUE : value);
        const terms = own.map((c) => sign * linearTerm(structure, c, now, then));
        const gain = open ? endless(terms) : gainOf(structure, own, terms, then);
        if (gain > best) best = gain;
      }
      return sum + best;
    }, 0);
  });
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

/** The ends of a range, or the values of a list; a margin is extreme at one of them. */
function candidates(options: RefineOptions, domain: Domain, column: number, from: number): number[] {
  const { values, min, max } = domain(column, from);
  const mayMiss = options.allows?.(column, from, Number.NaN) ?? true;
  return [...(values ?? [min, max]), ...(mayMiss ? [Number.NaN] : [])];
}
