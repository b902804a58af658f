import { rowOf, takeRows } from "../num/matrix.ts";
import type { Random } from "../num/random.ts";
import { oneOf, type Rule, whole } from "../train/options.ts";
import type { WorkOptions } from "../types.ts";
import type { Generated, Task } from "./contract.ts";
import { compareRows } from "./distinct.ts";
import { generatorOptions, openRun, type Run, SEARCH_RULES } from "./run.ts";
import { type Row, type Search, searchRows } from "./search.ts";
import { rankSpace, type Unlike, unlike } from "./space.ts";
import { walk, whyNone } from "./walk.ts";

export interface KnnOptions extends WorkOptions {
  /** `own`: each row gets its nearest references. `pooled`: n rows drawn from all neighbours. Default `own`. */
  readonly mode?: "own" | "pooled";
  /** Neighbours of each row. Default 1, or 50 when pooled. */
  readonly neighbours?: number;
  /** References tried per row while the constraints spoil the nearer ones. Default 1000. */
  readonly tries?: number;
  /** Names of the features that may change. Default: all the constraints let change. */
  readonly vary?: readonly string[];
}

const count: Rule<number | undefined> = { ...whole(1, 1, 1e6), fallback: undefined };
const RULES = {
  vary: SEARCH_RULES.vary,
  mode: oneOf<"own" | "pooled">("own", "pooled"),
  neighbours: count,
  tries: whole(1000, 1),
};

/**
 * The nearest reference rows of the desired class: L1 distance between empirical mid-ranks, a mismatch of
 * levels counting 1. With `pooled` the neighbours of all rows are thrown together and as many rows as there
 * are factual ones are drawn from them, without pairs (the group setting of the paper).
 */
export async function knn(task: Task, options: KnnOptions, random: Random): Promise<Generated> {
  const given = generatorOptions("knn", options, RULES);
  const settings = { ...given, neighbours: given.neighbours ?? (given.mode === "pooled" ? 50 : 1) };
  const run = openRun("knn", task, settings, options);
  const prepare = async (): Promise<(row: Row) => Search> => {
    const others = await unlike(run, await rankSpace(run.constraints.schema, run.references, run.side));
    return (row) => search(run, row, others, settings);
  };
  const own = await searchRows(run, random, prepare, true);
  return settings.mode === "own" ? own : pool(own, task.x.rows, random.split("knn", "pool"));
}

function* search(
  run: Run,
  row: Row,
  others: Unlike,
  settings: { readonly neighbours: number; readonly tries: number },
): Search {
  const tries = Math.max(settings.tries, settings.neighbours);
  const rows = yield* walk(run, row, others, settings.neighbours, tries);
  return rows.length > 0 ? { rows } : { rows, why: whyNone(others, tries) };
}

/** Draws n rows without replacement from the pool, which is sorted first: the order of x does not matter. */
function pool({ rows, report }: Generated, n: number, random: Random): Generated {
  const order = Int32Array.from({ length: rows.rows }, (_, j) => j).sort((a, b) =>
    compareRows(rowOf(rows, a), rowOf(rows, b)),
  );
  const drawn = random.sample(order.length, Math.min(n, order.length));
  return {
    rows: takeRows(
      rows,
      drawn.map((t) => order[t]!),
    ),
    report,
  };
}
