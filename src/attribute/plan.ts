import type { Conditionals } from "../couple/rows.ts";
import { rowOf } from "../num/matrix.ts";
import { type AttributedRows, type Game, gameOf, movingPlayers } from "./games.ts";
import type { Pace } from "./pace.ts";
import { type Means, type Space, spaceOf } from "./space.ts";

/** What is to be attributed: the rows, their weighed references and who plays. */
export interface AttributionProblem {
  readonly x: AttributedRows;
  readonly r: AttributedRows;
  readonly weights: Conditionals;
  /** Encoded columns of each player. */
  readonly players: readonly (readonly number[])[];
  /** n × players flags. */
  readonly allowed: ArrayLike<number> | undefined;
  readonly pace: Pace;
}

/** Equal rows, and their games by (first equal) reference. */
export interface RowGroup {
  readonly rows: readonly number[];
  readonly games: ReadonlyMap<number, Game>;
  /** x_i as the model reads it. */
  readonly row: Float64Array;
  /** f(x_i). */
  start: number;
}

/** Games built at a time; a row's own games stay together. */
const CHUNK = 1024;

/** The space of each row: its own with `each`, else that of the largest game. */
export async function spacesOf(task: AttributionProblem, means: Means): Promise<Space[]> {
  const n = task.x.encoded.rows;
  const settled = spaceOf(means, 0);
  if (spaceOf(means, task.players.length) === settled) return new Array<Space>(n).fill(settled);
  const largest = new Int32Array(n);
  for (let i = 0; i < n; i++) largest[i] = await largestGame(task, i);
  const most = largest.reduce((a, b) => Math.max(a, b), 0);
  return Array.from(largest, (k) => spaceOf(means, means.settings.space === "each" ? k : most));
}

async function largestGame(task: AttributionProblem, i: number): Promise<number> {
  const { x, r, weights, players, pace } = task;
  const flags = flagsOf(task, i);
  let most = 0;
  for (let e = weights.start[i]!; e < weights.start[i + 1]!; e++) {
    const to = rowOf(r.encoded, weights.cols[e]!);
    most = Math.max(most, movingPlayers(rowOf(x.encoded, i), to, players, flags).length);
    if (pace.due()) await pace.pause();
  }
  return most;
}

/** The rows of one space in groups, so many at a time that they have about CHUNK games. */
export async function* chunksOf(
  task: AttributionProblem,
  spaces: readonly (Space | undefined)[],
  space: Space,
): AsyncGenerator<RowGroup[]> {
  let chunk: RowGroup[] = [];
  let games = 0;
  for (const rows of equalRows(task, spaces, space)) {
    const own = await gamesOf(task, rows);
    chunk.push({ rows, games: own, row: rowOf(task.x.encoded, rows[0]!), start: 0 });
    games += own.size;
    if (games < CHUNK) continue;
    yield chunk;
    chunk = [];
    games = 0;
  }
  if (chunk.length > 0) yield chunk;
}

function equalRows(
  task: AttributionProblem,
  spaces: readonly (Space | undefined)[],
  space: Space,
): Iterable<number[]> {
  const groups = new Map<string | number, number[]>();
  for (const [i, own] of spaces.entries()) {
    if (own !== space) continue;
    const flags = flagsOf(task, i);
    const key = flags ? `${task.x.first[i]}/${flags.join("")}` : task.x.first[i]!;
    const rows = groups.get(key);
    if (rows) rows.push(i);
    else groups.set(key, [i]);
  }
  return groups.values();
}

async function gamesOf(task: AttributionProblem, rows: readonly number[]): Promise<Map<number, Game>> {
  const { x, r, weights, players, pace } = task;
  const flags = flagsOf(task, rows[0]!);
  const games = new Map<number, Game>();
  for (const i of rows) {
    for (let e = weights.start[i]!; e < weights.start[i + 1]!; e++) {
      const j = r.first[weights.cols[e]!]!;
      if (!games.has(j)) games.set(j, gameOf(x, i, r, j, players, flags));
      if (pace.due()) await pace.pause();
    }
  }
  return games;
}

function flagsOf({ allowed, players }: AttributionProblem, i: number): number[] | undefined {
  return allowed && players.map((_, u) => (allowed[i * players.length + u] ? 1 : 0));
}
