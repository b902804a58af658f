import { hasLevels } from "../data/schema.ts";
import { cellOf, nextUp } from "./axis.ts";
import { changeIn, isGap } from "./change.ts";
import type { Axis, ExactStudy } from "./contract.ts";
import { beyond, type Legal, legalNumbers } from "./legal.ts";

/**
 * The legal values of one number on one side of x, the nearest first: place p = 1, 2, … has value[p], weighs
 * cost[p], and lies in cell[p].
 */
export interface Side {
  readonly up: boolean;
  readonly count: number;
  readonly value: Float64Array;
  /** The legal value of the same place that is farthest from x. */
  readonly last: Float64Array;
  readonly cost: Float64Array;
  readonly cell: Int32Array;
  /** until[c] − before: places in cells up to c (up), or from c on (down); below 0 for cells on the other side of x. */
  readonly until: Int32Array;
  readonly before: number;
}

/** A single value a feature may take: a level, or missing. */
export interface Point {
  readonly cell: number;
  readonly value: number;
  readonly cost: number;
}

/** How a feature moves: along a side, or to a point. */
export type Move = Side | Point;

export function isSide(move: Move): move is Side {
  return (move as Side).until !== undefined;
}

/** The values of moves to points, and these of those along a side, one after the other. */
export function filled(moves: readonly Move[], values: readonly number[]): number[] {
  let r = 0;
  return moves.map((move) => (isSide(move) ? values[r++]! : move.value));
}

/** What one feature of one row may become. */
export interface Moves {
  /** Cell of x. */
  readonly at: number;
  readonly sides: readonly Side[];
  readonly points: readonly Point[];
}

/** Values of one number that are looked at one by one at most. */
const MOST_VALUES = 4096;

/** The legal values of each cell: what does not depend on the row. */
export interface CellValues {
  readonly legal: Legal;
  /** Least and greatest legal value of each cell, NaN where it has none. */
  readonly first: Float64Array;
  readonly last: Float64Array;
  /** A rule or a derived column reads the feature, so that values matter within their cells. */
  readonly read: boolean;
  /** All legal values, where they matter and cells are not intervals. */
  readonly all: Float64Array | undefined;
  /** The places of all cells with a legal value, upwards and downwards: those of a row's sides are the last of them. */
  readonly up: Places;
  readonly down: Places;
}

/** As in `Side`, but without a row. */
type Places = Pick<Side, "count" | "value" | "last" | "cell" | "until">;

export function cellValues(study: ExactStudy<unknown>, axis: Axis, k: number, read: boolean): CellValues {
  const legal = legalNumbers(study, k);
  const first = new Float64Array(axis.cells).fill(Number.NaN);
  const last = new Float64Array(axis.cells).fill(Number.NaN);
  for (let c = 0; c < axis.cells; c++) {
    const [from, to] = [
      c === 0 ? Number.NEGATIVE_INFINITY : nextUp(axis.cuts[c - 1]!),
      axis.cuts[c] ?? Number.POSITIVE_INFINITY,
    ];
    const [a, b] = [legal.above(from), legal.below(to)];
    if (a <= to) first[c] = a;
    if (b >= from) last[c] = b;
  }
  return {
    legal,
    first,
    last,
    read,
    all: read && axis.masked ? legal.list(MOST_VALUES) : undefined,
    up: placesOf(first, last, true),
    down: placesOf(last, first, false),
  };
}

/** @param near the legal value of each cell that is met first, NaN where it has none; `far`: the one met last */
function placesOf(near: Float64Array, far: Float64Array, up: boolean): Places {
  const cells = near.length;
  const [value, last] = [new Float64Array(cells + 1), new Float64Array(cells + 1)];
  const cell = new Int32Array(cells + 1);
  const until = new Int32Array(cells + 2);
  let count = 0;
  for (let t = 0; t < cells; t++) {
    const c = up ? t : cells - 1 - t;
    if (!Number.isNaN(near[c]!)) {
      count++;
      value[count] = near[c]!;
      last[count] = far[c]!;
      cell[count] = c;
    }
    until[c] = count;
  }
  return { count, value, last, cell, until };
}

/** All moves of feature k from x. */
export function movesOf(
  study: ExactStudy<unknown>,
  axis: Axis,
  values: CellValues | undefined,
  k: number,
  x: number,
  among?: ArrayLike<number>,
): Moves {
  const { constraints } = study;
  const feature = constraints.schema.features[k]!;
  const at = cellOf(axis, x);
  const frozen = { at, sides: [], points: [] };
  if (!constraints.editable[k]) return frozen;
  const codes = feature.missing ?? [];
  const gap = isGap(feature, x);
  if (gap && !feature.editMissing) return frozen;
  const points: Point[] = [];
  const change = changeIn(study);
  const listed = among && Array.from(among);
  const point = (value: number, cell: number): void => {
    if (Object.is(value, x) || (listed && !listed.includes(value))) return;
    points.push({ cell, value, cost: change(k, x, value) });
  };
  if (feature.editMissing) for (const value of [Number.NaN, ...codes]) point(value, cellOf(axis, value));
  if (hasLevels(feature)) {
    for (const v of constraints.domain(k, x).values ?? []) point(v, v);
    points.sort((a, b) => a.cost - b.cost);
    return { at, sides: [], points };
  }
  const given = listed?.filter((v) => !isGap(feature, v) && constraints.allows(k, x, v));
  const places = (up: boolean): Side => sideOf(study, axis, values!, k, gap ? Number.NaN : x, up, given);
  const sides: Side[] = [];
  // From a code for a missing value all numbers are as much of a change; those nearest to the code come first.
  const above = gap && x > 0;
  if (gap ? !above : feature.direction !== "down") sides.push(places(true));
  if (gap ? above : feature.direction !== "up") sides.push(places(false));
  if (!axis.masked) return { at, sides: sides.filter((side) => side.count > 0), points };
  for (const side of sides) {
    for (let p = 1; p <= side.count; p++)
      points.push({ cell: side.cell[p]!, value: side.value[p]!, cost: side.cost[p]! });
  }
  points.sort((a, b) => a.cost - b.cost);
  return { at, sides: [], points };
}

/** The same moves where those along a side may lead to all legal values of it, as `all` tells them. */
export function unlisted(moves: readonly Move[], all: (q: number) => Moves): Move[] {
  return moves.map((move, q) => {
    if (!isSide(move)) return move;
    return all(q).sides.find(({ up }) => up === move.up) ?? move;
  });
}

/** Values of an edit upwards or downwards; from a gap, all of them. `given`: only these. */
function sideOf(
  study: ExactStudy<unknown>,
  axis: Axis,
  values: CellValues,
  k: number,
  x: number,
  up: boolean,
  given: readonly number[] | undefined,
): Side {
  const tolerance = study.constraints.schema.features[k]!.tolerance ?? 0;
  if (!given && !values.all && !values.read && tolerance === 0 && !Number.isNaN(x))
    return sharedSide(study, up ? values.up : values.down, k, x, up, cellOf(axis, x));
  const list = given ? Float64Array.from(new Set(given)).sort() : values.all;
  const room = 1 + Math.max(axis.cells, list?.length ?? 0);
  const [value, last, cost] = [new Float64Array(room), new Float64Array(room), new Float64Array(room)];
  const cell = new Int32Array(room);
  const gap = Number.isNaN(x);
  const change = changeIn(study);
  let count = 0;
  const add = (v: number, c: number, end: number): void => {
    if (Number.isNaN(v) || (!gap && Math.abs(v - x) <= tolerance)) return;
    count++;
    value[count] = v;
    last[count] = end;
    cell[count] = c;
    cost[count] = change(k, x, v);
  };
  if (list) {
    for (const v of up ? list : list.toReversed())
      if (gap || (up ? v > x : v < x)) add(v, cellOf(axis, v), v);
  } else {
    const at = gap ? (up ? -1 : axis.cells) : cellOf(axis, x);
    if (values.read && !gap) {
      const end = up ? values.last[at]! : values.first[at]!;
      const next = beyondIn(values, x, x, tolerance, up, at);
      if (up ? next > x : next < x) add(next, at, end);
    }
    for (let c = at + (up ? 1 : -1); c >= 0 && c < axis.cells; c += up ? 1 : -1) {
      const [near, far] = up ? [values.first[c]!, values.last[c]!] : [values.last[c]!, values.first[c]!];
      add(tolerance > 0 && !gap ? beyondIn(values, near, x, tolerance, up, c) : near, c, far);
    }
  }
  const until = new Int32Array(axis.cells + 2);
  for (let p = 1; p <= count; p++) until[cell[p]!]!++;
  if (up) for (let c = 1; c <= axis.cells; c++) until[c]! += until[c - 1]!;
  else for (let c = axis.cells - 1; c >= 0; c--) until[c]! += until[c + 1]!;
  return { up, count, value, last, cost, cell, until, before: 0 };
}

/** The places beyond cell `at`; only their costs are the row's own. */
function sharedSide(
  study: ExactStudy<unknown>,
  places: Places,
  k: number,
  x: number,
  up: boolean,
  at: number,
): Side {
  const before = places.until[at]!;
  const count = places.count - before;
  const value = places.value.subarray(before);
  const cost = new Float64Array(count + 1);
  const change = changeIn(study);
  for (let p = 1; p <= count; p++) cost[p] = change(k, x, value[p]!);
  const [last, cell] = [places.last.subarray(before), places.cell.subarray(before)];
  return { up, count, value, last, cost, cell, until: places.until, before };
}

/** The legal value of a cell nearest to x that is not the same as x. */
function beyondIn(
  { legal, first, last }: CellValues,
  near: number,
  x: number,
  tolerance: number,
  up: boolean,
  c: number,
): number {
  const v = Math.abs(near - x) > tolerance ? near : beyond(legal, x, tolerance, up);
  return v >= first[c]! && v <= last[c]! ? v : Number.NaN;
}
