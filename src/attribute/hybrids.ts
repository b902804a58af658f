import { distinctRows } from "../num/distinct.ts";
import type { Matrix } from "../types.ts";
import type { Game } from "./games.ts";

/** Scores of encoded rows. */
export type ScoreRows = (rows: Matrix) => Promise<Float64Array>;

/** Rows on their way to the model. */
export interface HybridBatch {
  /** Copies rows [first, first + count) of `rows` in; the score of row first + t goes to into[at + t]. */
  add(rows: Float64Array, first: number, count: number, into: Float64Array, at: number): Promise<void>;
  /** Asks for all rows at once, equal rows once, and delivers. */
  flush(): Promise<void>;
}

/** A batch of at most `capacity` rows of `cols` cells; `mayRepeat`: can two rows be equal? */
export function hybridBatch(ask: ScoreRows, cols: number, capacity: number, mayRepeat: boolean): HybridBatch {
  const held = new Float64Array(capacity * cols);
  let filled = 0;
  let segments: { readonly into: Float64Array; readonly at: number; readonly count: number }[] = [];
  const flush = async (): Promise<void> => {
    if (filled === 0) return;
    const rows = { data: held.subarray(0, filled * cols), rows: filled, cols };
    const scores = mayRepeat ? await askOnce(ask, rows) : await ask(rows);
    let from = 0;
    for (const { into, at, count } of segments) {
      into.set(scores.subarray(from, from + count), at);
      from += count;
    }
    filled = 0;
    segments = [];
  };
  return {
    flush,
    async add(rows, first, count, into, at) {
      for (let done = 0; done < count; ) {
        if (filled === capacity) await flush();
        const some = Math.min(count - done, capacity - filled);
        const from = (first + done) * cols;
        held.set(rows.subarray(from, from + some * cols), filled * cols);
        segments.push({ into, at: at + done, count: some });
        filled += some;
        done += some;
      }
    },
  };
}

/** Scores of rows of which equal ones are asked once. */
async function askOnce(ask: ScoreRows, rows: Matrix): Promise<Float64Array> {
  const { distinct, place } = distinctRows(rows);
  const scores = await ask(distinct);
  return Float64Array.from(place, (t) => scores[t]!);
}

/** Hybrids of consecutive sets: row t holds r on the players of the set `first` + t and x elsewhere. */
interface HybridBlock {
  readonly first: number;
  readonly rows: Matrix;
}

/** Players whose sets make one block. */
const BLOCK_PLAYERS = 8;
/** Rows of the largest block. */
export const BLOCK_ROWS = 2 ** BLOCK_PLAYERS;

/**
 * All 2^k hybrids of x and r in ascending order of the set, block by block, each written over the one
 * before (into `space` where given: BLOCK_ROWS rows). A block grows by doubling: the rows so far, once more
 * with the next player's columns from r.
 */
export function* hybridBlocks(
  x: Float64Array,
  r: Float64Array,
  columns: readonly (readonly number[])[],
  space?: Float64Array,
): Generator<HybridBlock> {
  const low = columns.slice(0, BLOCK_PLAYERS);
  const high = columns.slice(BLOCK_PLAYERS);
  const cols = x.length;
  const count = 1 << low.length;
  const data = space?.subarray(0, count * cols) ?? new Float64Array(count * cols);
  const rows = { data, rows: count, cols };
  for (let set = 0; set < 1 << high.length; set++) {
    rows.data.set(x);
    for (const [u, own] of high.entries()) {
      if ((set >>> u) & 1) for (const c of own) rows.data[c] = r[c]!;
    }
    for (const [u, own] of low.entries()) double(rows.data, (1 << u) * cols, cols, own, r);
    yield { first: set * count, rows };
  }
}

function double(
  data: Float64Array,
  cells: number,
  cols: number,
  columns: readonly number[],
  r: Float64Array,
): void {
  data.copyWithin(cells, 0, cells);
  for (const c of columns) {
    const value = r[c]!;
    for (let at = cells + c; at < 2 * cells; at += cols) data[at] = value;
  }
}

/**
 * Can hybrids of different games be equal? Not when some column tells the games apart: its values in one
 * game are in no other.
 */
export function mayRepeat(games: readonly Game[]): boolean {
  if (games.length < 2) return false;
  const cols = games[0]!.from.length;
  for (let c = 0; c < cols; c++) if (tellsApart(games, c)) return false;
  return true;
}

function tellsApart(games: readonly Game[], column: number): boolean {
  const seen = new Set<number>();
  for (const { from, to } of games) {
    const a = from[column]!;
    const b = to[column]!;
    if (seen.has(a) || seen.has(b)) return false;
    seen.add(a).add(b);
  }
  return true;
}
