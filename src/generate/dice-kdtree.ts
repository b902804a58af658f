import { squaredDistance } from "../data/metric.ts";
import type { Random } from "../num/random.ts";
import { number, whole } from "../train/options.ts";
import type { Generated, Task } from "./contract.ts";
import { choose, WEIGHT_RULES } from "./dice/objective.ts";
import { POSTHOC_RULES, type PosthocOptions, smallChanges, sparsen } from "./dice/posthoc.ts";
import { generatorOptions, openRun, type Run, SEARCH_RULES, type SearchOptions } from "./run.ts";
import { editsOf, type Row, type Search, searchRows } from "./search.ts";
import { metricSpace, type Unlike, unlike } from "./space.ts";
import { walk, whyNone } from "./walk.ts";

export interface DiceKdtreeOptions extends SearchOptions, PosthocOptions {
  /** Weight of the number of changes against the distance when neighbours are ranked. Default 1. */
  readonly sparsityWeight?: number;
  /** Weight of how different several counterfactuals are. Default 1. */
  readonly diversityWeight?: number;
  /** References tried per row while the constraints spoil the nearer ones. Default 1000. */
  readonly tries?: number;
}

const RULES = {
  ...SEARCH_RULES,
  ...POSTHOC_RULES,
  sparsityWeight: number(1, 0, 1e6),
  diversityWeight: WEIGHT_RULES.diversityWeight,
  tries: whole(1000, 1),
};
type Settings = ReturnType<typeof settingsOf>;

const settingsOf = (options: DiceKdtreeOptions) => generatorOptions("dice-kdtree", options, RULES);

/**
 * DiCE's search among real rows: of the 10·count nearest references at the target (mixed metric) those with
 * the least distance + sparsityWeight · changes, both scaled to [0, 1] over these neighbours. A neighbour is
 * moved through the constraints instead of being thrown away.
 */
export async function diceKdtree(task: Task, options: DiceKdtreeOptions, random: Random): Promise<Generated> {
  const settings = settingsOf(options);
  const run = openRun("dice-kdtree", task, settings, options);
  return searchRows(run, random, async () => {
    const small = await smallChanges(run, settings);
    const others = await unlike(run, metricSpace(run.metric));
    return (row) => search(run, row, others, settings, small);
  });
}

function* search(run: Run, row: Row, others: Unlike, settings: Settings, small: Float64Array): Search {
  const { count, tries, sparsityWeight, diversityWeight } = settings;
  const found = yield* walk(run, row, others, 10 * count, tries);
  if (found.length === 0) return { rows: [], why: whyNone(others, tries) };
  const distance = unit(found.map((z) => Math.sqrt(squaredDistance(run.metric, row.x, z))));
  const edits = unit(found.map((z) => editsOf(run, row.x, z)));
  const losses = distance.map((d, j) => d + sparsityWeight * edits[j]!);
  const chosen = choose(run, found, losses, diversityWeight, count).map((j) => found[j]!);
  return { rows: yield* sparsen(run, row, chosen, small, settings.posthoc) };
}

/** Values moved and scaled into [0, 1]. */
function unit(values: readonly number[]): number[] {
  const low = Math.min(...values);
  const range = Math.max(...values) - low || 1;
  return values.map((v) => (v - low) / range);
}
