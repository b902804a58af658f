import { rowOf, sameValue } from "../num/matrix.ts";
import type { Pair } from "../search/inside.ts";
import type { Matrix } from "../types.ts";

/**
 * One pair (x_i, r_j) as a cooperative game: v(T) = f(r on T, x elsewhere) for sets T of the players that
 * differ and may move. Everything else holds x.
 */
export interface Game extends Pair {
  /** Row of r. */
  readonly reference: number;
  /** Does editing all players give r_j itself? */
  readonly whole: boolean;
  /** v(∅) = f(x_i). */
  start: number;
  /** v(all players). */
  end: number;
  /** φ of each player of the pair. */
  readonly phi: Float64Array;
  /** Standard errors, where sampled. */
  sigma?: Float64Array;
}

/** Rows as the table has them and as the model reads them, numbered. */
export interface AttributedRows {
  readonly rows: Matrix;
  readonly encoded: Matrix;
  /** For each row the first one equal to it. */
  readonly first: Int32Array;
}

/** The game of row i of x and row j of r; `allowed` flags the players that may move (default: all). */
export function gameOf(
  x: AttributedRows,
  i: number,
  r: AttributedRows,
  j: number,
  players: readonly (readonly number[])[],
  allowed?: ArrayLike<number>,
): Game {
  const from = rowOf(x.encoded, i);
  const to = rowOf(r.encoded, j);
  const moving = movingPlayers(from, to, players, allowed);
  const columns = moving.map((u) => players[u]!);
  let moved = 0;
  for (const own of columns) for (const c of own) if (differs(from, to, c)) moved++;
  return {
    reference: j,
    x: rowOf(x.rows, i),
    r: rowOf(r.rows, j),
    from,
    to,
    players: new Int32Array(moving),
    columns,
    whole: moved === gaps(from, to),
    start: 0,
    end: 0,
    phi: new Float64Array(moving.length),
  };
}

/** Players with a column that differs and who may move, ascending. */
export function movingPlayers(
  from: Float64Array,
  to: Float64Array,
  players: readonly (readonly number[])[],
  allowed?: ArrayLike<number>,
): number[] {
  const moving: number[] = [];
  for (let u = 0; u < players.length; u++) {
    if (allowed && !allowed[u]) continue;
    const own = players[u]!;
    for (let s = 0; s < own.length; s++) {
      if (!differs(from, to, own[s]!)) continue;
      moving.push(u);
      break;
    }
  }
  return moving;
}

function differs(from: Float64Array, to: Float64Array, column: number): boolean {
  return !sameValue(from[column]!, to[column]!);
}

function gaps(from: Float64Array, to: Float64Array): number {
  let count = 0;
  for (let c = 0; c < from.length; c++) if (differs(from, to, c)) count++;
  return count;
}

/** x with the players flagged taken from r, as the model reads it. */
export function hybridOf(game: Game, edited: ArrayLike<number>): Float64Array {
  const row = game.from.slice();
  for (let u = 0; u < edited.length; u++) {
    if (edited[u]) for (const c of game.columns[u]!) row[c] = game.to[c]!;
  }
  return row;
}
