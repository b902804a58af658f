import type { Work } from "../budget.ts";
import { ColaError, isColaError, isLimit } from "../errors.ts";
import type { Mixtures } from "../search/mixtures.ts";
import { type Context, pauseWhenDue } from "./context.ts";
import { fallback } from "./fallback.ts";
import { boxLevel, insideLevel } from "./levels.ts";
import { type Rule, rounded } from "./option.ts";
import { type Found, type RowProblem, Search } from "./search.ts";

/**
 * min Σ_{k∈S} cost_k subject to x_S at the target, over the mixtures of x with each of its references: sizes
 * |S| = 1, 2, 3, … are exhausted over all references of a row before the next, so the first size that
 * succeeds is proven least (with unequal costs: until no larger set can be cheaper). Forests are read from
 * tables of small sets, then from the cube or by branch and bound; linear models by branch and bound; black
 * boxes in one batch per size over all rows. A row that outgrows its effort keeps the bound it has and a plan
 * found greedily. One result per task; a task's result does not depend on the others. Progress is counted from
 * `before` rows done of `total`.
 */
export async function fewest(
  mix: Mixtures,
  tasks: readonly RowProblem[],
  rule: Rule,
  work: Work,
  [before, total]: readonly [number, number] = [0, tasks.length],
): Promise<Found[]> {
  const state = { done: 0 };
  const context: Context = { mix, rule, work, progress: () => [before + state.done, total] };
  const searches = tasks.map((task) => new Search(task, context));
  try {
    if (mix.inside) await oneByOne(context, searches, state);
    else await together(context, searches, state);
  } catch (error) {
    if (isColaError(error) && error.code === "ABORTED") throw abortedAfter(error, before + state.done, total);
    if (!isLimit(error)) throw error;
    for (const search of searches) if (!search.complete) search.error ??= error;
  }
  return searches.map((search) => search.found());
}

/** What an abort leaves behind, said in the error. */
export function abortedAfter(error: ColaError, done: number, total: number): ColaError {
  return new ColaError(
    "ABORTED",
    `stopped by its AbortSignal after ${done} of ${total} rows.`,
    { ...error.details, done, total },
    error.cause,
  );
}

async function oneByOne(
  context: Context,
  searches: readonly Search[],
  state: { done: number },
): Promise<void> {
  for (const search of searches) {
    while (!closed(search) && search.nodes > 0) {
      search.truncated = !(await insideLevel(search, search.size)) || search.truncated;
      if (search.truncated && !search.best) break;
      search.size++;
    }
    if (!search.complete) await fallback(search);
    search.forget();
    state.done++;
    context.work.report(...context.progress());
    await pauseWhenDue(context);
  }
}

async function together(
  context: Context,
  searches: readonly Search[],
  state: { done: number },
): Promise<void> {
  const large: Search[] = [];
  let open = searches.filter((search) => !closed(search));
  for (let size = 1; open.length > 0; size++) {
    large.push(...open.filter((search) => search.count(size) > search.effort));
    open = open.filter((search) => search.count(size) <= search.effort);
    await boxLevel(context, open, size);
    for (const search of open) search.size++;
    open = open.filter((search) => !closed(search));
    state.done = searches.length - open.length - large.length;
    context.work.report(...context.progress());
  }
  for (const search of large) {
    await fallback(search);
    state.done++;
  }
}

/** Is nothing left to find? Larger sets cost at least Σ of the smallest costs. */
function closed(search: Search): boolean {
  const { best, size, task } = search;
  const dearer = best !== undefined && rounded(search.leastCost(size)) > rounded(best.cost);
  search.complete = dearer || size > Math.min(task.maxEdits, search.maxSize);
  return search.complete;
}
