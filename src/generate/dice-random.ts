import type { Random } from "../num/random.ts";
import { whole } from "../train/options.ts";
import type { Generated, Task } from "./contract.ts";
import { choose, type DiceWeights, lossOf, WEIGHT_RULES } from "./dice/objective.ts";
import { POSTHOC_RULES, type PosthocOptions, smallChanges, sparsen } from "./dice/posthoc.ts";
import { Distinct } from "./distinct.ts";
import { draw } from "./moves.ts";
import { generatorOptions, openRun, type Run, SEARCH_RULES, type SearchOptions } from "./run.ts";
import { candidatesOf, type Row, type Search, searchRows } from "./search.ts";

export interface DiceRandomOptions extends SearchOptions, DiceWeights, PosthocOptions {
  /** Copies of x that are changed at random. Default 1000. */
  readonly samples?: number;
}

const RULES = { ...SEARCH_RULES, ...WEIGHT_RULES, ...POSTHOC_RULES, samples: whole(1000, 1, 1e6) };
type Settings = ReturnType<typeof settingsOf>;

const settingsOf = (options: DiceRandomOptions) => generatorOptions("dice-random", options, RULES);

/**
 * DiCE's random search (Mothilal, Sharma and Tan 2020): in round t every copy of x has t features at values
 * drawn uniformly from what is permitted, until `count` copies are at the target; of these the best by
 * distance, share of changed features and difference from each other are kept, and small changes undone.
 * Every round changes one more feature, so that the fewest changes that random draws find are used.
 */
export async function diceRandom(task: Task, options: DiceRandomOptions, random: Random): Promise<Generated> {
  const settings = settingsOf(options);
  const run = openRun("dice-random", task, settings, options);
  return searchRows(run, random, async () => {
    const small = await smallChanges(run, settings);
    return (row) => search(run, row, settings, small);
  });
}

function* search(run: Run, row: Row, settings: Settings, small: Float64Array): Search {
  const { samples, count } = settings;
  const { moves } = row;
  const copies = Array.from({ length: samples }, () => row.x.slice());
  const used = new Uint8Array(samples * moves.length);
  const seen = new Distinct();
  seen.add(row.x);
  const found: Float64Array[] = [];
  for (let round = 0; round < moves.length && found.length < count; round++) {
    copies.forEach((copy, c) => {
      changeOne(run, row, copy, used.subarray(c * moves.length, (c + 1) * moves.length));
    });
    found.push(...candidatesOf(yield { rows: seen.matrix(copies, row.x.length) }));
  }
  if (found.length === 0) {
    return {
      rows: [],
      why: `none of ${samples} random changes of up to ${moves.length} features reaches the target`,
    };
  }
  const losses = found.map((z) => lossOf(run, row, z, settings));
  const chosen = choose(run, found, losses, settings.diversityWeight, count).map((j) => found[j]!);
  return { rows: yield* sparsen(run, row, chosen, small, settings.posthoc) };
}

/** Gives one feature that was not touched yet a permitted value. */
function changeOne(run: Run, row: Row, copy: Float64Array, used: Uint8Array): void {
  const { moves, random } = row;
  let m = random.int(moves.length);
  while (used[m]) m = (m + 1) % moves.length;
  used[m] = 1;
  const move = moves[m]!;
  copy[move.k] = draw(run.constraints, move, row.x[move.k]!, random);
}
