import { number, oneOf, type Rule, resolveOptions, whole } from "../model/options.ts";
import type { Random } from "../num/random.ts";
import { binsOf, type Bins, costOf } from "./bins.ts";
import type { Generated, Task } from "./contract.ts";
import { coverageOf } from "./coverage.ts";
import { Distinct } from "./distinct.ts";
import { along, type Direction, directionText, drawDirection, thresholds } from "./globe/direction.ts";
import { greedyCover, type Screened, screen } from "./globe/screen.ts";
import { affectedOnly, type GroupPlan, searchGroup, settled, turnedRound } from "./group.ts";
import { openRun, type Run, SEARCH_RULES, type SearchOptions } from "./run.ts";
import type { Row, Search } from "./search.ts";

export interface GlobeCeOptions extends SearchOptions {
  /** `authors`: their direction (rows at the target are moved away), one direction, no scaling. */
  readonly preset?: "ours" | "authors";
  /** Directions kept. Default 3. */
  readonly directions?: number;
  /** Directions drawn. Default 300; authors as many as there are rows in x. */
  readonly samples?: number;
  /** Features of a direction. Default 5. */
  readonly features?: number;
  /** Cost of going along a direction once: bins moved and levels switched. Default 2. */
  readonly magnitude?: number;
  /** U^power for each part of a direction. Default 1. */
  readonly power?: number;
  /** Bins that measure cost. Default 10. */
  readonly bins?: number;
  /** Affected rows the drawn directions are tried on, at most. Default 100; authors all. */
  readonly screen?: number;
  /** Rounds that narrow down the least scalar of a row. Default 3. */
  readonly refine?: number;
}

const perhaps = (rule: Rule<number>): Rule<number | undefined> => ({ ...rule, fallback: undefined });
const RULES = {
  ...SEARCH_RULES,
  preset: oneOf<"ours" | "authors">("ours", "authors"),
  directions: whole(3, 1, 1000),
  samples: perhaps(whole(300, 1, 1e6)),
  features: whole(5, 1, 10_000),
  magnitude: number(2, 1e-6, 1e6),
  power: number(1, 0, 100),
  bins: whole(10, 2, 1000),
  screen: perhaps(whole(100, 1, 1e6)),
  refine: whole(3, 0, 30),
};
type Settings = ReturnType<typeof settingsOf>;

function settingsOf(options: GlobeCeOptions, n: number) {
  const given = resolveOptions("globe-ce", options, RULES);
  const authors = given.preset === "authors";
  return {
    ...given,
    directions: authors ? 1 : given.directions,
    samples: given.samples ?? (authors ? n : 300),
    screen: given.screen ?? (authors ? n : 100),
  };
}

/** Scalars a drawn direction is tried at. */
const SCREEN = [1, 2, 4];
/** Scalars a row is first tried at, 1/16 to 64 by half powers of two. */
const COARSE = Array.from({ length: 21 }, (_, t) => 2 ** ((t - 8) / 2));
/** Parts the interval before the first success is cut into, per round. */
const PARTS = 8;

/**
 * GLOBE-CE (Ley, Mishra and Magazzeni 2023): a few directions for the whole group, each row going along them
 * as far as it must: z_i = x_i + k_iδ with the least k_i that reaches the target. Directions are drawn at
 * random and chosen by greedy cover. The least scalar is sought upwards on a grid that contains the scalars at
 * which a level switches, then narrowed down between the last failure and the first success.
 */
export async function globeCe(task: Task, options: GlobeCeOptions, random: Random): Promise<Generated> {
  const settings = settingsOf(options, task.x?.rows ?? 0);
  const run = openRun("globe-ce", task, settings, options);
  if (settings.preset === "ours") return searchGroup(run, random, (rows) => plan(run, rows, settings, random));
  const turned = turnedRound(run);
  return affectedOnly(await searchGroup(turned, random, (rows) => authorsPlan(turned, rows, settings, random)));
}

async function plan(run: Run, rows: readonly Row[], settings: Settings, random: Random): Promise<GroupPlan> {
  const bins = binsOf(run.constraints, run.references, settings.bins);
  const { screened, limit } = await screenDrawn(run, bins, rows, settings, random, SCREEN);
  const chosen = greedyCover(screened, settings.directions);
  return {
    limit,
    search: (row) =>
      limit ? settled([], limit.message) : search(run, bins, row, chosen.map((c) => c.direction), settings),
    details: (generated) => ({
      directions: chosen.map((c) => report(run, c)),
      ...coverageOf(run, bins, generated),
    }),
  };
}

function screenDrawn(
  run: Run,
  bins: readonly Bins[],
  rows: readonly Row[],
  settings: Settings,
  random: Random,
  scalars: readonly number[],
) {
  const source = random.split("globe-ce", "directions");
  const drawn = Array.from({ length: settings.samples }, (_, t) =>
    drawDirection(run, bins, settings, source.split(t)),
  );
  const some = random.split("globe-ce", "screen").sample(rows.length, Math.min(rows.length, settings.screen));
  const tried = Array.from(some.sort(), (i) => rows[i]!);
  return screen(run, bins, tried, drawn, scalars);
}

/** The cheapest row of each direction, cheapest first, at most `count`. */
function* search(
  run: Run,
  bins: readonly Bins[],
  row: Row,
  directions: readonly Direction[],
  settings: Settings,
): Search {
  const found: { z: Float64Array; cost: number }[] = [];
  for (const direction of directions) {
    const z = yield* least(run, row, direction, settings.refine);
    if (z) found.push({ z, cost: costOf(run.constraints, bins, row.x, z) });
  }
  found.sort((a, b) => a.cost - b.cost);
  const seen = new Distinct();
  const rows = found.map(({ z }) => z).filter((z) => seen.add(z));
  const why = `none of the ${directions.length} directions takes it to the target at any scalar tried`;
  return rows.length > 0 ? { rows: rows.slice(0, settings.count) } : { rows, why };
}

/** The row at the least scalar found, or undefined. */
function* least(run: Run, row: Row, direction: Direction, rounds: number): Generator<Ask, Float64Array | undefined, Answer> {
  let scalars = [...COARSE, ...thresholds(run, direction, row)].sort((a, b) => a - b);
  let found: Float64Array | undefined;
  let below = 0;
  for (let round = 0; round <= rounds; round++) {
    const seen = new Distinct();
    seen.add(found ?? row.x);
    const fresh = scalars.map((scalar) => ({ scalar, z: along(run, direction, row, scalar) })).filter(({ z }) => seen.add(z));
    if (fresh.length === 0) break;
    const answer = yield { rows: fromRows(fresh.map(({ z }) => z)) };
    const first = answer.valid.indexOf(1);
    if (first >= 0) found = rowOf(answer.rows, first).slice();
    else if (round === 0) break;
    const high = first >= 0 ? fresh[first]!.scalar : scalars.at(-1)! + (scalars[1]! - scalars[0]!);
    below = first > 0 ? fresh[first - 1]!.scalar : first < 0 ? fresh.at(-1)!.scalar : below;
    scalars = Array.from({ length: PARTS - 1 }, (_, t) => below + ((t + 1) * (high - below)) / PARTS);
  }
  return found;
}
