import { squaredDistance } from "../data/metric.ts";
import { fromRows, rowOf } from "../num/matrix.ts";
import type { Random } from "../num/random.ts";
import { mean } from "../num/stats.ts";
import { oneOf, whole } from "../train/options.ts";
import type { Answer, Question } from "./ask.ts";
import type { Generated, Task } from "./contract.ts";
import { generatorOptions, openRun, type Run, SEARCH_RULES, type SearchOptions } from "./run.ts";
import { type Row, type Search, searchRows } from "./search.ts";
import { rangeSpace, type Unlike, unlike } from "./space.ts";
import { walk, whyNone } from "./walk.ts";

export interface NiceOptions extends SearchOptions {
  /**
   * What a step towards the neighbour should gain most of: nothing (`none`: take the neighbour as it is), the
   * score (`sparsity`), the score per distance gone (`proximity`), or the score at places where references at
   * the target are near (`plausibility`). Default `sparsity`.
   */
  readonly reward?: "none" | "sparsity" | "proximity" | "plausibility";
  /** References tried per row while the constraints spoil the nearer ones. Default 1000. */
  readonly tries?: number;
}

const RULES = {
  ...SEARCH_RULES,
  reward: oneOf<"sparsity" | "none" | "proximity" | "plausibility">(
    "sparsity",
    "none",
    "proximity",
    "plausibility",
  ),
  tries: whole(1000, 1),
};
type Settings = ReturnType<typeof settingsOf>;

const settingsOf = (options: NiceOptions) => generatorOptions("nice", options, RULES);

/** Neighbours whose mean distance says how plausible a row is. */
const DENSITY_NEIGHBOURS = 5;

/**
 * NICE (Brughmans, Leyman and Martens 2023): from x towards its nearest unlike neighbour (heterogeneous
 * distance), one feature at a time, always the one with the largest reward, until the row is at the target.
 * The neighbour itself is at the target, so the walk always ends. Where the paper asks an auto-encoder for
 * plausibility, the mean distance to the five nearest references at the target is used.
 */
export async function nice(task: Task, options: NiceOptions, random: Random): Promise<Generated> {
  const settings = settingsOf(options);
  const run = openRun("nice", task, settings, options);
  return searchRows(run, random, async () => {
    const others = await unlike(run, rangeSpace(run.constraints.schema, run.references));
    return (row) => search(run, row, others, settings);
  });
}

function* search(run: Run, row: Row, others: Unlike, settings: Settings): Search {
  const { count, tries, reward } = settings;
  const goals = yield* walk(run, row, others, count, tries);
  if (goals.length === 0) return { rows: [], why: whyNone(others, tries) };
  if (reward === "none") return { rows: goals };
  const rows: Float64Array[] = [];
  for (const goal of goals) rows.push(yield* approach(run, row, goal, rewardOf(run, row, others, reward)));
  return { rows };
}

/** Value of going from z (slack s) to the candidate (slack t). */
type Reward = (z: Float64Array, s: number, candidate: Float64Array, t: number) => number;

function rewardOf(run: Run, row: Row, others: Unlike, reward: NiceOptions["reward"]): Reward {
  if (reward === "sparsity") return (_, s, __, t) => t - s;
  if (reward === "proximity") {
    const far = (z: Float64Array): number => Math.sqrt(squaredDistance(run.metric, row.x, z));
    return (z, s, candidate, t) => perUnit(t - s, far(candidate) - far(z));
  }
  const sparseness = (z: Float64Array): number =>
    mean(others.index.nearest(others.place(z), DENSITY_NEIGHBOURS).distance);
  return (_, s, candidate, t) => perUnit(t - s, sparseness(candidate));
}

/** A gain is worth more the less it costs, a loss the more it is spread. */
function perUnit(gain: number, cost: number): number {
  return gain > 0 ? gain / Math.max(cost, 1e-9) : gain;
}

function* approach(
  run: Run,
  row: Row,
  goal: Float64Array,
  reward: Reward,
): Generator<Question, Float64Array, Answer> {
  let z = row.x;
  let slack = row.slack;
  for (;;) {
    const open = row.moves.map(({ k }) => k).filter((k) => !run.constraints.same(k, z[k]!, goal[k]!));
    if (open.length <= 1) return goal;
    const answer = yield { rows: fromRows(open.map((k) => z.with(k, goal[k]!))) };
    let best = -1;
    let most = Number.NEGATIVE_INFINITY;
    for (let t = 0; t < open.length; t++) {
      const value = reward(z, slack, rowOf(answer.rows, t), answer.slack[t]!);
      if (value > most) [best, most] = [t, value];
    }
    if (best < 0) return goal;
    z = rowOf(answer.rows, best).slice();
    slack = answer.slack[best]!;
    if (answer.valid[best] === 1) return z;
  }
}
