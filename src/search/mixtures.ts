import type { Work } from "../budget.ts";
import type { ColaError } from "../errors.ts";
import { type OpenModel, openModelKernel } from "../model/contract.ts";
import { type Scorer, scorerKernel } from "../model/scorer.ts";
import { slackOf } from "../model/slack.ts";
import { distinctRows } from "../num/distinct.ts";
import { rowOf, sameValue } from "../num/matrix.ts";
import type { Inside, Matrix, Model, Reach } from "../types.ts";
import { insideOf, type Pair } from "./inside.ts";

export interface MixtureOptions {
  /** Table columns of each player. Default: every column is a player. Columns of none keep x's value. */
  readonly groups?: readonly (readonly number[])[];
  /** Are two values of a column the same? Default: equal, or both missing. */
  readonly same?: (column: number, a: number, b: number) => boolean;
  /** May a column be edited from one value to the other? Default: always. */
  readonly allows?: (column: number, from: number, to: number) => boolean;
  /** Rows with their derived columns recomputed. Default: as they are. */
  readonly complete?: (rows: Matrix) => Matrix;
  /** Rows sent to the model in one call. */
  readonly batchRows?: number;
}

/** Table rows and the columns the model's structure reads, of the rows that are looked at. */
export interface EncodedRows {
  readonly rows: Matrix;
  encoded(row: number): Float64Array;
}

/** The row that takes r's values for some members of a pair. */
export interface Mixture {
  readonly pair: Pair;
  readonly members: ArrayLike<number>;
}

/** Scores of table rows by the real model; rows it failed on are NaN and named. */
export interface Scored {
  readonly primary: Float64Array;
  readonly slack: Float64Array;
  readonly failures: ReadonlyMap<number, ColaError>;
}

/** Scores of the mixtures x_S = (r on S, x elsewhere) of rows x and r, S a set of players. */
export interface Mixtures {
  readonly model: Model;
  readonly reach: Reach;
  /** Table columns of each player. */
  readonly groups: readonly (readonly number[])[];
  side(rows: Matrix): EncodedRows;
  /** `allowed`: one flag per player of row i. */
  pair(x: EncodedRows, i: number, r: EncodedRows, j: number, allowed?: ArrayLike<number>): Pair;
  /** One completed table row per mixture. */
  rows(of: readonly Mixture[]): Matrix;
  /** Asks the real model. Equal rows are asked once. */
  score(rows: Matrix): Promise<Scored>;
  /** The fast paths, where the model shows its inside. */
  readonly inside: Inside | undefined;
}

/** The mixtures of rows with `cols` table columns under a target. Scoring charges `work`. */
export function mixtures(
  model: Model,
  cols: number,
  reach: Reach,
  work: Work,
  options: MixtureOptions = {},
): Mixtures {
  const groups = options.groups ?? Array.from({ length: cols }, (_, k) => [k]);
  const open = openModelKernel(model, cols, groups);
  const inside = options.complete ? undefined : insideOf(open.model, reach);
  const ask = scorerKernel(
    model,
    work,
    options.batchRows === undefined ? {} : { batchRows: options.batchRows },
  );
  const complete = options.complete ?? ((rows) => rows);
  return {
    model,
    reach,
    groups,
    inside,
    side: (rows) => ({ rows, encoded: inside ? encodedWhenAsked(open, rows) : (i) => rowOf(rows, i) }),
    pair: (x, i, r, j, allowed) => pairOf(open, groups, options, x, i, r, j, allowed),
    rows: (of) => complete(hybrids(groups, cols, of)),
    score: (rows) => scoreDistinct(ask, reach, rows),
  };
}

/** Encodes a row when it is first asked for: of many references a row is compared with few. */
function encodedWhenAsked(open: OpenModel, rows: Matrix): EncodedRows["encoded"] {
  const known = new Map<number, Float64Array>();
  return (i) => {
    let row = known.get(i);
    if (!row) {
      row = open.encode({ data: rowOf(rows, i), rows: 1, cols: rows.cols }).data;
      known.set(i, row);
    }
    return row;
  };
}

function pairOf(
  open: OpenModel,
  groups: readonly (readonly number[])[],
  options: MixtureOptions,
  x: EncodedRows,
  i: number,
  r: EncodedRows,
  j: number,
  allowed?: ArrayLike<number>,
): Pair {
  const { same = (_, a, b) => sameValue(a, b), allows = () => true } = options;
  const [a, b] = [rowOf(x.rows, i), rowOf(r.rows, j)];
  const players: number[] = [];
  groups.forEach((columns, p) => {
    if (allowed && !allowed[p]) return;
    const moved = columns.filter((c) => !same(c, a[c]!, b[c]!));
    if (moved.length > 0 && moved.every((c) => allows(c, a[c]!, b[c]!))) players.push(p);
  });
  return {
    x: a,
    r: b,
    from: x.encoded(i),
    to: r.encoded(j),
    players: Int32Array.from(players),
    columns: players.map((p) => open.players[p]!),
  };
}

/** One table row per mixture. */
export function hybrids(
  groups: readonly (readonly number[])[],
  cols: number,
  of: readonly Mixture[],
): Matrix {
  const data = new Float64Array(of.length * cols);
  of.forEach(({ pair, members }, t) => {
    data.set(pair.x, t * cols);
    for (let s = 0; s < members.length; s++) {
      for (const c of groups[pair.players[members[s]!]!]!) data[t * cols + c] = pair.r[c]!;
    }
  });
  return { data, rows: of.length, cols };
}

async function scoreDistinct(ask: Scorer, reach: Reach, rows: Matrix): Promise<Scored> {
  const { distinct, place } = distinctRows(rows);
  const { shown: main, slack, failures: failed } = await slackOf(ask, distinct, reach);
  const failures = new Map<number, ColaError>();
  place.forEach((t, i) => {
    if (failed.has(t)) failures.set(i, failed.get(t)!);
  });
  return {
    primary: Float64Array.from(place, (t) => main[t]!),
    slack: Float64Array.from(place, (t) => slack[t]!),
    failures,
  };
}
