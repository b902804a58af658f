import { squaredDistance } from "../data/metric.ts";
import { rowOf } from "../num/matrix.ts";
import type { Random } from "../num/random.ts";
import { whole } from "../train/options.ts";
import type { Answer } from "./ask.ts";
import type { Generated, Task } from "./contract.ts";
import { choose, WEIGHT_RULES } from "./dice/objective.ts";
import { Distinct } from "./distinct.ts";
import { type Grid, gridsOf, valuesOf } from "./grid.ts";
import { generatorOptions, openRun, type Run, SEARCH_RULES, type SearchOptions } from "./run.ts";
import { candidatesOf, type Row, type Search, searchRows } from "./search.ts";

export interface DirectOptions extends SearchOptions {
  /** Values tried per feature with a range. Default 32. */
  readonly values?: number;
  /** Partial plans carried from one size to the next. Default 16. */
  readonly beam?: number;
  /** Values of each feature, best first, a partial plan is extended by. Default 6. */
  readonly branch?: number;
  /** Edits per row, at most. Default: no limit. */
  readonly maxEdits?: number;
  /** Weight of how different several counterfactuals are. Default 1. */
  readonly diversityWeight?: number;
}

const RULES = {
  ...SEARCH_RULES,
  values: whole(32, 2, 1e5),
  beam: whole(16, 1, 1e5),
  branch: whole(6, 1, 1e5),
  maxEdits: whole(2 ** 31 - 1, 1),
  diversityWeight: WEIGHT_RULES.diversityWeight,
};
type Settings = ReturnType<typeof settingsOf>;

const settingsOf = (options: DirectOptions) => generatorOptions("direct", options, RULES);

/**
 * Sparse search without references: all single edits in one batch, then all pairs that extend the best of
 * them, then triples, …, until some reach the target; of these the nearest. A feature's values are its levels,
 * else training values, for tree ensembles one per stretch between thresholds. One edit is searched
 * completely (up to `values`), more by beam search.
 */
export async function direct(task: Task, options: DirectOptions, random: Random): Promise<Generated> {
  const settings = settingsOf(options);
  const run = openRun("direct", task, settings, options);
  return searchRows(run, random, async () => {
    const grids = await gridsOf(run, settings.values);
    return (row) => search(run, row, grids, settings);
  });
}

/** Feature k set to a value, and the slack of x with this edit alone. */
interface Single {
  readonly k: number;
  readonly value: number;
  readonly slack: number;
}

function* search(run: Run, row: Row, grids: readonly (Grid | undefined)[], settings: Settings): Search {
  const { x, moves } = row;
  const edits = moves.flatMap((move) =>
    valuesOf(run.constraints, grids[move.k], move, x[move.k]!).map((value) => ({ k: move.k, value })),
  );
  const seen = new Distinct();
  let answer = yield {
    rows: seen.matrix(
      edits.map(({ k, value }) => x.with(k, value)),
      x.length,
    ),
  };
  const found = candidatesOf(answer);
  const singles = bestSingles(edits, answer, settings.branch);
  const sizes = Math.min(settings.maxEdits, moves.length);
  for (let size = 2; size <= sizes && found.length < settings.count; size++) {
    const beam = bestRows(run, row, answer, settings.beam);
    const longer = beam.flatMap((z) => extend(run, x, z, singles));
    answer = yield { rows: seen.matrix(longer, x.length) };
    found.push(...candidatesOf(answer));
  }
  if (found.length === 0)
    return { rows: [], why: `no plan of up to ${sizes} edits that was tried reaches the target` };
  const losses = found.map((z) => Math.sqrt(squaredDistance(run.metric, x, z)));
  const chosen = choose(run, found, losses, settings.diversityWeight, settings.count);
  return { rows: chosen.map((j) => found[j]!) };
}

/** The `branch` values of each feature that alone go farthest, farthest first. */
function bestSingles(
  edits: readonly { readonly k: number; readonly value: number }[],
  answer: Answer,
  branch: number,
): Single[] {
  const byFeature = new Map<number, Single[]>();
  edits.forEach(({ k, value }, t) => {
    const singles = byFeature.get(k) ?? [];
    singles.push({ k, value, slack: answer.slack[t]! });
    byFeature.set(k, singles);
  });
  return [...byFeature.values()].flatMap((singles) =>
    singles.sort((a, b) => farther(a.slack, b.slack)).slice(0, branch),
  );
}

/** Orders by slack, largest first; rows the model failed on come last. */
function farther(a: number, b: number): number {
  const [left, right] = [Number.isNaN(a) ? -Infinity : a, Number.isNaN(b) ? -Infinity : b];
  return left === right ? 0 : right - left;
}

/** The rows of an answer that go farthest, of equal ones the nearest. */
function bestRows(run: Run, row: Row, answer: Answer, beam: number): Float64Array[] {
  const order = Array.from(answer.slack, (slack, t) => ({
    t,
    slack,
    distance: squaredDistance(run.metric, row.x, rowOf(answer.rows, t)),
  }));
  order.sort((a, b) => farther(a.slack, b.slack) || a.distance - b.distance || a.t - b.t);
  return order.slice(0, beam).map(({ t }) => rowOf(answer.rows, t).slice());
}

/** z with one more feature edited. */
function extend(run: Run, x: Float64Array, z: Float64Array, singles: readonly Single[]): Float64Array[] {
  return singles
    .filter(({ k }) => run.constraints.same(k, x[k]!, z[k]!))
    .map(({ k, value }) => z.with(k, value));
}
