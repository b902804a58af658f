import { openModelKernel } from "../model/contract.ts";
import type { Problem, RefineOptions } from "./contract.ts";

type Domain = NonNullable<RefineOptions["domain"]>;

/**
 * The least number of edits with which *any* legal values bring a row to its target (model/linear-least.ts): a lower
 * bound that needs no references; Infinity when no edits suffice. Undefined where the model is not linear in one
 * margin or no domain is given.
 */
export function modelBound(problem: Problem): ((row: number) => number) | undefined {
  const { x, mix, players, options, rule } = problem;
  const { domain, allowed } = options;
  const [structure, ...more] = mix.inside?.structures ?? [];
  const { conditions } = mix.reach;
  if (!domain || !conditions || structure?.kind !== "linear" || more.length > 0) return undefined;
  const { leastEdits } = structure.kernels;
  if (!leastEdits) return undefined;
  const { cols, data } = x.rows;
  const { encode, players: encoded } = openModelKernel(mix.model, cols);
  return (row) => {
    const from = data.subarray(row * cols, (row + 1) * cols);
    const cellsWith = (column: number, value: number): Float64Array => {
      const cells = from.slice();
      cells[column] = value;
      return encode({ data: cells, rows: 1, cols }).data;
    };
    const movable = mix.groups.map((columns, p) =>
      (allowed && !allowed[row * players + p] ? [] : columns).map((column) => ({
        own: encoded[column]!,
        values: candidates(options, domain, column, from[column]!).map((value) => {
          const open = Math.abs(value) === Number.POSITIVE_INFINITY;
          return { open, cells: cellsWith(column, open ? Math.sign(value) * Number.MAX_VALUE : value) };
        }),
      })),
    );
    return leastEdits(structure, conditions, rule.minMargin, problem.pairs[row]!.pair.from, movable);
  };
}

/** The ends of a range, or the values of a list, and what stands for a missing value; a margin is extreme at one of them. */
function candidates(options: RefineOptions, domain: Domain, column: number, from: number): number[] {
  const { values, min, max, missing = [] } = domain(column, from);
  const gaps = [Number.NaN, ...missing].filter((gap) => options.allows?.(column, from, gap) ?? true);
  return [...(values ?? [min, max]), ...gaps];
}
