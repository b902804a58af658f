import { startWork, type Work } from "../budget.ts";
import { finiteRow } from "../couple/finite-row.ts";
import { checkWhole, isColaError } from "../errors.ts";
import { asModel } from "../model/contract.ts";
import { reachOf } from "../model/target.ts";
import { checkMatrix, checkSameCols, rowOf } from "../num/matrix.ts";
import { once } from "../num/once.ts";
import { type MixtureOptions, mixtures } from "../search/mixtures.ts";
import type { Cost, Matrix, Model, ModelLike, Reach, Target, WorkOptions } from "../types.ts";
import { checkCandidates, contentOrder, nearestOf } from "./nearest.ts";
import type { Rule } from "./option.ts";
import { type Plan, type PlanRequest, plans } from "./plans.ts";
import { allowedOf, type RuleOptions, ruleOf } from "./rule.ts";

export interface BestOptions extends WorkOptions, MixtureOptions, RuleOptions {
  readonly target: Target;
  /** References searched for each row, the nearest. Default 32. */
  readonly candidates?: number;
  /** References to search for a row instead of the nearest; an empty list asks for the nearest. */
  readonly among?: readonly (readonly number[])[];
  /** What near means; default: `distance`. */
  readonly cost?: Cost;
  /** Most edits of a row. Default: none. */
  readonly maxEdits?: number;
  /** Which player of which row may move (rows × players). Default: all. */
  readonly allowed?: ArrayLike<number>;
}

/** A row's plan and the references it was looked for among, nearest first. */
export interface Match extends Plan {
  readonly candidates: readonly number[];
}

const owner = "match.best";

/**
 * For each row of x the reference of the pool from which the fewest edits reach the target: min over j of
 * |S| subject to (r_j on S, x_i elsewhere) at the target. The nearest `candidates` references are searched
 * and named; among plans of equal size `prefer` decides, the nearest reference standing in for the proposal.
 * A row without a plan keeps its nearest reference. A row's match does not depend on the other rows.
 */
export async function best(model: ModelLike, x: Matrix, r: Matrix, options: BestOptions): Promise<Match[]> {
  checkMatrix(owner, "x", x);
  checkMatrix(owner, "r", r);
  checkSameCols(owner, x, r);
  if (options.among) checkCandidates(`${owner}: among`, options.among, r.rows);
  const known = asModel(model);
  return bestKernel(known, x, r, reachOf(known, options.target), options);
}

/** `best` of tables that are known to fit; `order` gives that of the references by content. */
export async function bestKernel(
  model: Model,
  x: Matrix,
  r: Matrix,
  reach: Reach,
  options: Omit<BestOptions, "target"> & { readonly order?: () => Int32Array },
): Promise<Match[]> {
  const { candidates = 32, maxEdits = Number.POSITIVE_INFINITY } = options;
  checkWhole(owner, "candidates", candidates, 1);
  const work = startWork("match", options);
  const mix = mixtures(model, x.cols, reach, work, options);
  const rule = ruleOf(owner, options, mix.groups.length);
  const allowed = allowedOf(owner, options.allowed, x.rows, mix.groups.length);
  const near = await nearest(x, r, Math.min(candidates, r.rows), options, rule, work);
  const asks = near.map((references, row): PlanRequest => {
    const cap = references.length > 0 ? rule.distance(rowOf(x, row), rowOf(r, references[0]!)) : 0;
    const flags = allowed(row);
    return { row, references, cap, maxEdits, ...(flags ? { allowed: flags } : {}) };
  });
  const found = await plans(mix, mix.side(x), mix.side(r), asks, rule, work);
  return found.map((plan, i) => ({ ...plan, candidates: asks[i]!.references }));
}

/** The nearest references of every row; none for the rows a time limit left over. */
async function nearest(
  x: Matrix,
  r: Matrix,
  count: number,
  {
    cost,
    among,
    order = once(() => contentOrder(r)),
  }: Pick<BestOptions, "cost" | "among"> & { readonly order?: () => Int32Array },
  rule: Rule,
  work: Work,
): Promise<number[][]> {
  const costsOf = once(() => new Float64Array(r.rows));
  const lists: number[][] = Array.from({ length: x.rows }, () => []);
  try {
    for (let i = 0; i < x.rows; i++) {
      if (among?.[i]?.length) {
        lists[i] = [...among[i]!];
        continue;
      }
      const costs = costsOf();
      if (cost) finiteRow("match.best", cost, i, costs);
      else for (let j = 0; j < r.rows; j++) costs[j] = rule.distance(rowOf(x, i), rowOf(r, j));
      lists[i] = nearestOf(costs, order(), count);
      if (work.due()) await work.pause(i, x.rows);
    }
  } catch (error) {
    if (!isColaError(error) || error.code !== "LIMIT_TIME") throw error;
  }
  return lists;
}
