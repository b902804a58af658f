import { fromRows, rowOf } from "../num/matrix.ts";
import type { Random } from "../num/random.ts";
import { number, oneOf, type Rule, whole } from "../train/options.ts";
import type { Answer, Question } from "./ask.ts";
import { type Bins, binsOf, costOf } from "./bins.ts";
import type { Generated, Task } from "./contract.ts";
import { coverageOf } from "./coverage.ts";
import { bytesKey, Distinct } from "./distinct.ts";
import { along, type Direction, directionText, drawDirection, thresholds } from "./globe/direction.ts";
import { greedyCover, type Screened, screen } from "./globe/screen.ts";
import { affectedOnly, type GroupPlan, searchGroup, settled, turnedRound } from "./group.ts";
import { generatorOptions, openRun, type Run, SEARCH_RULES, type SearchOptions } from "./run.ts";
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
  const given = generatorOptions("globe-ce", options, RULES);
  const authors = given.preset === "authors";
  return {
    ...given,
    directions: authors ? 1 : given.directions,
    samples: given.samples ?? (authors ? n : 300),
    screen: given.screen ?? (authors ? n : 100),
  };
}

/** Scalars a drawn direction is tried at. */
const SCREEN = [1, 4, 16];
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
  if (settings.preset === "ours")
    return searchGroup(run, random, (rows) => plan(run, rows, settings, random));
  const turned = turnedRound(run);
  return affectedOnly(
    await searchGroup(turned, random, (rows) => authorsPlan(turned, rows, settings, random)),
  );
}

async function plan(run: Run, rows: readonly Row[], settings: Settings, random: Random): Promise<GroupPlan> {
  const bins = binsOf(run.constraints, run.references, settings.bins);
  const { tried, screened, limit } = await screenDrawn(run, bins, rows, settings, random, SCREEN);
  const chosen = greedyCover(screened, settings.directions);
  const directions = chosen.map(({ direction }) => direction);
  return {
    limit,
    search: (row) =>
      limit
        ? settled(seenFor(run, chosen, row, tried.indexOf(row)), limit.message)
        : search(run, bins, row, directions, settings),
    details: (generated) => ({
      directions: chosen.map((one) => report(run, one, tried.length)),
      directionsTried: screened.length,
      ...coverageOf(run, bins, generated),
    }),
  };
}

/** Their best direction, by coverage, then cost, as it was drawn: x + δ for every affected row. */
async function authorsPlan(
  run: Run,
  rows: readonly Row[],
  settings: Settings,
  random: Random,
): Promise<GroupPlan> {
  const bins = binsOf(run.constraints, run.x, settings.bins);
  const { tried, screened, limit } = await screenDrawn(run, bins, rows, settings, random, [1]);
  const best = screened.reduce((a, b) =>
    b.reached > a.reached || (b.reached === a.reached && b.meanCost < a.meanCost) ? b : a,
  );
  return {
    limit,
    search: (row) => settled([complete(run, along(run, best.direction, row, 1))], ""),
    details: () => ({
      directions: [report(run, best, tried.length)],
      directionsTried: screened.length,
      affected: rows.length,
      coverage: best.reached / tried.length,
      meanCost: best.reached > 0 ? best.meanCost : null,
    }),
  };
}

/** Draws the directions and tries them on some of the rows; half of a limit on scored rows is left over. */
async function screenDrawn(
  run: Run,
  bins: readonly Bins[],
  rows: readonly Row[],
  settings: Settings,
  random: Random,
  scalars: readonly number[],
) {
  const source = random.split("globe-ce", "directions");
  const some = random.split("globe-ce", "screen").sample(rows.length, Math.min(rows.length, settings.screen));
  const tried = Array.from(some.slice().sort(), (i) => rows[i]!);
  const left = (run.limits.modelRows ?? Number.POSITIVE_INFINITY) - run.work.modelRows;
  const affordable = Math.floor(left / 2 / (tried.length * scalars.length * run.reach.outputs.length));
  const count = Math.min(settings.samples, Math.max(1, affordable));
  const drawn = Array.from({ length: count }, (_, t) => drawDirection(run, bins, settings, source.split(t)));
  return { tried, ...(await screen(run, bins, tried, drawn, scalars)) };
}

const report = (run: Run, { direction, reached, meanCost }: Screened, tried: number): object => ({
  text: directionText(run.constraints.schema, direction),
  delta: direction.delta.map((own) => (own ? Array.from(own) : null)),
  /** Share of the rows it was tried on that it takes to the target, and what that costs them. */
  coverage: reached / tried,
  meanCost: reached > 0 ? meanCost : null,
});

/** What is known of a row when a limit ends the work: its cheapest row seen while screening. */
function seenFor(run: Run, chosen: readonly Screened[], row: Row, i: number): Float64Array[] {
  const mine = chosen.filter(({ cost }) => i >= 0 && Number.isFinite(cost[i]));
  const best = mine.toSorted((a, b) => a.cost[i]! - b.cost[i]!)[0];
  return best ? [complete(run, along(run, best.direction, row, best.scalar[i]!))] : [];
}

const complete = (run: Run, z: Float64Array): Float64Array =>
  run.constraints.complete({ data: z, rows: 1, cols: z.length }).data;

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
function* least(
  run: Run,
  row: Row,
  direction: Direction,
  rounds: number,
): Generator<Question, Float64Array | undefined, Answer> {
  /** The row as it was answered where it is at the target, undefined where it is not. */
  const known = new Map<string, Float64Array | undefined>([[bytesKey(row.x), undefined]]);
  let scalars = [...COARSE, ...thresholds(run, direction, row)].sort((a, b) => a - b);
  let best: { z: Float64Array; scalar: number } | undefined;
  let failed = 0;
  for (let round = 0; round <= rounds; round++) {
    const rows = scalars.map((scalar) => along(run, direction, row, scalar));
    const fresh = [...new Map(rows.map((z) => [bytesKey(z), z]))].filter(([key]) => !known.has(key));
    if (fresh.length === 0) break;
    const answer = yield { rows: fromRows(fresh.map(([, z]) => z)) };
    fresh.forEach(([key], t) => {
      known.set(key, answer.valid[t] ? rowOf(answer.rows, t).slice() : undefined);
    });
    const first = rows.findIndex((z) => known.get(bytesKey(z)));
    if (first >= 0) best = { z: known.get(bytesKey(rows[first]!))!, scalar: scalars[first]! };
    if (!best) return undefined;
    if (first !== 0) failed = scalars.at(first < 0 ? -1 : first - 1)!;
    const step = (best.scalar - failed) / PARTS;
    scalars = Array.from({ length: PARTS - 1 }, (_, t) => failed + (t + 1) * step);
  }
  return best?.z;
}
