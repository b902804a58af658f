import { distinctRows } from "../model/mixtures.ts";
import type { Matrix } from "../types.ts";
import type { Game } from "./games.ts";

/** Scores of encoded rows. */
export type Ask = (rows: Matrix) => Promise<Float64Array>;

/**
 * Rows on their way to the model. `add` copies them in and says where their scores go; `flush` asks for all
 * of them at once, equal rows once, and delivers.
 */
export class HybridBatch {
  private readonly rows: Float64Array;
  private count = 0;
  private segments: { readonly into: Float64Array; readonly at: number; readonly count: number }[] = [];

  constructor(
    private readonly ask: Ask,
    private readonly cols: number,
    private readonly capacity: number,
    /** Can two rows be equal? */
    private readonly mayRepeat: boolean,
  ) {
    this.rows = new Float64Array(capacity * cols);
  }

  /** Rows [first, first + count) of `rows`; the score of row first + t goes to into[at + t]. */
  async add(rows: Float64Array, first: number, count: number, into: Float64Array, at: number): Promise<void> {
    const { cols } = this;
    for (let done = 0; done < count; ) {
      if (this.count === this.capacity) await this.flush();
      const some = Math.min(count - done, this.capacity - this.count);
      const from = (first + done) * cols;
      this.rows.set(rows.subarray(from, from + some * cols), this.count * cols);
      this.segments.push({ into, at: at + done, count: some });
      this.count += some;
      done += some;
    }
  }

  async flush(): Promise<void> {
    const { count, cols, segments } = this;
    if (count === 0) return;
    const scores = await this.scores({ data: this.rows.subarray(0, count * cols), rows: count, cols });
    let from = 0;
    for (const segment of segments) {
      segment.into.set(scores.subarray(from, from + segment.count), segment.at);
      from += segment.count;
    }
    this.count = 0;
    this.segments = [];
  }

  private async scores(rows: Matrix): Promise<Float64Array> {
    if (!this.mayRepeat) return this.ask(rows);
    const { distinct, place } = distinctRows(rows);
    const scores = await this.ask(distinct);
    return Float64Array.from(place, (t) => scores[t]!);
  }
}

/** Hybrids of consecutive sets: row t holds r on the players of the set `first` + t and x elsewhere. */
export interface HybridBlock {
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
