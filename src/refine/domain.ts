import { openModel } from "../model/contract.ts";
import { invertLink } from "../model/link.ts";
import { linearMargin } from "../search/inside.ts";
import type { LinearStructure, Matrix } from "../types.ts";
import type { Problem, RefineOptions } from "./contract.ts";

/** Margins closer than this to an edge may be on either side of it, where the structure does not say more. */
const EDGE = 1e-9;

/**
 * The least number of edits with which *any* legal values bring a row of a linear model to its target: the
 * margin is a sum over players, so the players are sorted by the most they can contribute and taken until the
 * edge is reached. A lower bound that needs no references; Infinity when no edits suffice. Undefined where the
 * model is not linear in one margin or no domain is given.
 */
export function modelBound(problem: Problem): ((row: number) => number) | undefined {
  const { mix, options, rule } = problem;
  const { domain } = options;
  const structure = mix.inside?.structures[0];
  const { conditions } = mix.reach;
  if (!domain || !conditions || structure?.kind !== "linear" || mix.inside!.structures.length > 1)
    return undefined;
  const slop = Math.max(EDGE, 2 * (structure.tolerance ?? 0));
  return (row) => {
    let least = 0;
    for (const { sign, value } of conditions) {
      const edge = invertLink(structure.link, value + sign * rule.minMargin);
      const now = linearMargin(structure, problem.pairs[row]!.pair.from);
      const gains = gainsOf(problem, structure, row, sign, domain);
      least = Math.max(least, editsFor(sign * (edge - now) - slop, gains));
    }
    return least;
  };
}

/** How many of the largest gains add up to `missing`. */
function editsFor(missing: number, gains: Float64Array): number {
  const falling = gains.toSorted().reverse();
  let [sum, count] = [0, 0];
  while (sum < missing && count < falling.length && falling[count]! > 0) sum += falling[count++]!;
  return sum >= missing ? count : Number.POSITIVE_INFINITY;
}

/** The most each player can add to sign · margin. */
function gainsOf(
  { x, mix, players, options }: Problem,
  structure: LinearStructure,
  row: number,
  sign: number,
  domain: NonNullable<RefineOptions["domain"]>,
): Float64Array {
  const { cols } = x.rows;
  const from = x.rows.data.subarray(row * cols, (row + 1) * cols);
  const { encode } = openModel(mix.model, cols, mix.groups);
  const marginWith = (column: number, value: number): number => {
    const data = from.slice();
    data[column] = value;
    const encoded: Matrix = encode({ data, rows: 1, cols });
    return linearMargin(structure, encoded.data);
  };
  const { allowed } = options;
  return Float64Array.from(mix.groups, (columns, p) => {
    if (allowed && !allowed[row * players + p]) return 0;
    return columns.reduce((sum, column) => {
      const now = marginWith(column, from[column]!);
      let best = 0;
      for (const value of candidates(options, domain, column, from[column]!)) {
        const open = value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY;
        const gain = open
          ? endless(value, sign, marginWith, column, from[column]!)
          : sign * (marginWith(column, value) - now);
        if (gain > best) best = gain;
      }
      return sum + best;
    }, 0);
  });
}

/** The ends of a range, or the values of a list; a margin is extreme at one of them. */
function candidates(
  options: RefineOptions,
  domain: NonNullable<RefineOptions["domain"]>,
  column: number,
  from: number,
): number[] {
  const { values, min, max } = domain(column, from);
  const mayMiss = options.allows?.(column, from, Number.NaN) ?? true;
  return [...(values ?? [min, max]), ...(mayMiss ? [Number.NaN] : [])];
}

/** What an open end of a range can add: everything or nothing, by the slope. */
function endless(
  end: number,
  sign: number,
  marginWith: (column: number, value: number) => number,
  column: number,
  from: number,
): number {
  const at = Number.isNaN(from) ? 0 : from;
  const slope = marginWith(column, at + 1) - marginWith(column, at);
  return sign * slope * end > 0 ? Number.POSITIVE_INFINITY : 0;
}
