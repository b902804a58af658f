import { rowOf } from "../num/matrix.ts";
import type { Random } from "../num/random.ts";
import { number, type Rule, whole } from "../train/options.ts";
import type { Answer } from "./ask.ts";
import type { Generated, Task } from "./contract.ts";
import { choose, type DiceWeights, lossOf, WEIGHT_RULES } from "./dice/objective.ts";
import { POSTHOC_RULES, type PosthocOptions, smallChanges, sparsen } from "./dice/posthoc.ts";
import { Distinct } from "./distinct.ts";
import { draw, moveTo } from "./moves.ts";
import { generatorOptions, openRun, type Run, SEARCH_RULES, type SearchOptions } from "./run.ts";
import { type Row, type Search, searchRows } from "./search.ts";
import { metricSpace, type Unlike, unlike } from "./space.ts";

export interface DiceGeneticOptions extends SearchOptions, DiceWeights, PosthocOptions {
  /** Rows alive at a time. Default: the larger of 20 and 10·count. */
  readonly population?: number;
  /** Generations, at most. Default 100. */
  readonly generations?: number;
  /** Generations without a better best row after which the search ends. Default 5. */
  readonly patience?: number;
  /** How much better counts as better. Default 0.01. */
  readonly tolerance?: number;
}

const population: Rule<number | undefined> = { ...whole(20, 2, 1e5), fallback: undefined };
const RULES = {
  ...SEARCH_RULES,
  ...WEIGHT_RULES,
  ...POSTHOC_RULES,
  posthoc: { ...POSTHOC_RULES.posthoc, fallback: "binary" as const },
  population,
  generations: whole(100, 1),
  patience: whole(5, 1),
  tolerance: number(0.01, 0),
};
type Settings = ReturnType<typeof settingsOf>;

function settingsOf(options: DiceGeneticOptions) {
  const given = generatorOptions("dice-genetic", options, RULES);
  return { ...given, population: given.population ?? Math.max(20, 10 * given.count) };
}

/** Far above any loss of a valid row. */
const INVALID = 1e7;
/** Shares of a child's genes: from either parent, x's own value, else a fresh draw. */
const FIRST = 0.4;
const SECOND = 0.8;
const OWN = 0.9;

/**
 * DiCE's genetic search: a population of edits of x, started from the nearest references at the target and
 * from random changes, each generation the better half mating gene by gene. A row's loss is the hinge of
 * its score plus proximityWeight · distance + sparsityWeight · share of changes; which `count` rows lead the
 * population and are returned is decided with the diversity term.
 */
export async function diceGenetic(
  task: Task,
  options: DiceGeneticOptions,
  random: Random,
): Promise<Generated> {
  const settings = settingsOf(options);
  const run = openRun("dice-genetic", task, settings, options);
  return searchRows(run, random, async () => {
    const small = await smallChanges(run, settings);
    const others = await unlike(run, metricSpace(run.metric));
    return (row) => search(run, row, others, settings, small);
  });
}

interface Member {
  readonly z: Float64Array;
  readonly valid: boolean;
  readonly loss: number;
}

function* search(run: Run, row: Row, others: Unlike, settings: Settings, small: Float64Array): Search {
  const { count, patience, tolerance } = settings;
  const size = settings.population;
  const seen = new Distinct();
  let members: Member[] = [];
  let fresh = founders(run, row, others, size);
  let best = Number.POSITIVE_INFINITY;
  let still = 0;
  for (let generation = 0; generation < settings.generations && still < patience; generation++) {
    const answer = yield { rows: seen.matrix(fresh, row.x.length) };
    members = survivors(run, [...members, ...membersOf(run, row, answer, settings)], settings);
    const leader = members[Math.min(count, members.length) - 1];
    const ready = leader?.valid && best - leader.loss <= tolerance;
    still = ready ? still + 1 : 0;
    best = Math.min(best, leader?.loss ?? best);
    fresh = Array.from({ length: size }, () => mate(run, row, members));
  }
  const valid = members.filter((member) => member.valid).slice(0, count);
  if (valid.length === 0)
    return { rows: [], why: `no row of ${settings.generations} generations is at the target` };
  return {
    rows: yield* sparsen(
      run,
      row,
      valid.map(({ z }) => z),
      small,
      settings.posthoc,
    ),
  };
}

/** Half nearest references moved through the constraints, half x with one to three random changes. */
function founders(run: Run, row: Row, others: Unlike, size: number): Float64Array[] {
  const near = others.index.nearest(others.place(row.x), size >> 1).index;
  const moved = Array.from(near, (j) => moveTo(run, row.x, rowOf(others.rows, j)));
  const changed = Array.from({ length: size - moved.length }, () => {
    const z = row.x.slice();
    for (const m of row.random.sample(row.moves.length, Math.min(row.moves.length, 1 + row.random.int(3)))) {
      const move = row.moves[m]!;
      z[move.k] = draw(run.constraints, move, row.x[move.k]!, row.random);
    }
    return z;
  });
  return [...moved, ...changed];
}

/** Invalid rows lose to every valid one; among themselves how far they are, relative to x, counts too. */
function membersOf(run: Run, row: Row, answer: Answer, settings: Settings): Member[] {
  return Array.from({ length: answer.rows.rows }, (_, t) => {
    const z = rowOf(answer.rows, t).slice();
    const valid = answer.valid[t] === 1;
    const slack = answer.slack[t]!;
    const short =
      slack > Number.NEGATIVE_INFINITY ? Math.min(4, -slack / Math.max(-row.slack, 1e-12)) : Infinity;
    const loss = (valid ? 0 : INVALID + short) + lossOf(run, row, z, settings);
    return { z, valid, loss };
  }).filter(({ loss }) => loss < Number.POSITIVE_INFINITY);
}

/** The `count` best with regard to their diversity lead, the others follow by loss. */
function survivors(run: Run, all: readonly Member[], settings: Settings): Member[] {
  const members = [...all].sort((a, b) => a.loss - b.loss).slice(0, settings.population);
  const rows = members.map(({ z }) => z);
  const losses = members.map(({ loss }) => loss);
  const lead = choose(run, rows, losses, settings.diversityWeight, settings.count);
  return [...lead.map((j) => members[j]!), ...members.filter((_, j) => !lead.includes(j))];
}

function mate(run: Run, row: Row, members: readonly Member[]): Float64Array {
  const { x, moves, random } = row;
  const half = Math.max(1, members.length >> 1);
  const first = members.length > 0 ? members[random.int(half)]!.z : x;
  const second = members.length > 0 ? members[random.int(half)]!.z : x;
  const child = x.slice();
  for (const move of moves) {
    const { k } = move;
    const u = random.next();
    if (u < FIRST) child[k] = first[k]!;
    else if (u < SECOND) child[k] = second[k]!;
    else if (u >= OWN) child[k] = draw(run.constraints, move, x[k]!, random);
  }
  return child;
}
