import { hasLevels } from "../data/schema.ts";
import { type Axis, cellOf, nextUp } from "./axis.ts";
import type { ExactStudy } from "./contract.ts";
import { type Legal, legalNumbers } from "./legal.ts";

/**
 * The legal values of one number on one side of x, the nearest first: place p = 1, 2, … has value[p], weighs
 * cost[p], and lies in cell[p].
 */
export interface Side {
  readonly up: boolean;
  readonly count: number;
  readonly value: Float64Array;
  readonly cost: Float64Array;
  readonly cell: Int32Array;
  /** Places in cells up to c (up), or from c on (down): interval [a, b] of cells is the places first(a, b) … last(a, b). */
  readonly until: Int32Array;
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
  return "until" in move;
}

/** What one feature of one row may become. */
export interface Moves {
  /** Cell of x. */
  readonly at: number;
  readonly sides: readonly Side[];
  readonly points: readonly Point[];
}

export function firstPlace(side: Side, low: number, high: number): number {
  return (side.up ? (low > 0 ? side.until[low - 1]! : 0) : side.until[high + 1]!) + 1;
}

export function lastPlace(side: Side, low: number, high: number): number {
  return side.up ? side.until[high]! : side.until[low]!;
}

/** Values of one number that are listed one by one where a rule or a derived column reads it. */
const MOST_VALUES = 4096;

/** The legal values of each cell: what does not depend on the row. */
export interface CellValues {
  readonly legal: Legal;
  /** Least and greatest legal value of each cell, NaN where it has none. */
  readonly first: Float64Array;
  readonly last: Float64Array;
  /** All legal values, where they matter beyond their cells. */
  readonly all: Float64Array | undefined;
}

export function cellValues(study: ExactStudy, axis: Axis, k: number, fine: boolean): CellValues {
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
  return { legal, first, last, all: fine ? legal.list(MOST_VALUES) : undefined };
}

/** All moves of feature k from x. */
export function movesOf(
  study: ExactStudy,
  axis: Axis,
  values: CellValues | undefined,
  k: number,
  x: number,
): Moves {
  const { constraints } = study;
  const feature = constraints.schema.features[k]!;
  const at = cellOf(axis, x);
  const frozen = { at, sides: [], points: [] };
  if (!constraints.editable[k]) return frozen;
  const codes = feature.missing ?? [];
  const gap = Number.isNaN(x) || codes.includes(x);
  if (gap && !feature.editMissing) return frozen;
  const points: Point[] = [];
  if (feature.editMissing) {
    for (const value of [Number.NaN, ...codes]) {
      if (!Object.is(value, x)) points.push({ cell: cellOf(axis, value), value, cost: 1 });
    }
  }
  if (hasLevels(feature)) {
    const ordered = feature.kind === "ordinal" && !Number.isNaN(x);
    for (const v of constraints.domain(k, x).values ?? []) {
      if (v !== x)
        points.push({ cell: v, value: v, cost: ordered ? study.weights[k]! * Math.abs(v - x) : 1 });
    }
    points.sort((a, b) => a.cost - b.cost);
    return { at, sides: [], points };
  }
  const from = gap ? Number.NaN : x;
  const sides = [];
  if (feature.direction !== "down" || gap) sides.push(sideOf(study, axis, values!, k, from, true));
  if (feature.direction !== "up" && !gap) sides.push(sideOf(study, axis, values!, k, from, false));
  if (!axis.masked) return { at, sides: sides.filter((side) => side.count > 0), points };
  for (const side of sides) {
    for (let p = 1; p <= side.count; p++)
      points.push({ cell: side.cell[p]!, value: side.value[p]!, cost: side.cost[p]! });
  }
  points.sort((a, b) => a.cost - b.cost);
  return { at, sides: [], points };
}

function sideOf(study: ExactStudy, axis: Axis, values: CellValues, k: number, x: number, up: boolean): Side {
  const tolerance = study.constraints.schema.features[k]!.tolerance ?? 0;
  const room = 1 + Math.max(axis.cells, values.all?.length ?? 0);
  const value = new Float64Array(room);
  const cost = new Float64Array(room);
  const cell = new Int32Array(room);
  const gap = Number.isNaN(x);
  let count = 0;
  const add = (v: number, c: number): void => {
    if (Number.isNaN(v) || (!gap && Math.abs(v - x) <= tolerance)) return;
    count++;
    value[count] = v;
    cell[count] = c;
    cost[count] = gap ? 1 : study.weights[k]! * Math.abs(v - x);
  };
  if (values.all) {
    const list = up ? values.all : values.all.toReversed();
    for (const v of list) if (gap || (up ? v > x : v < x)) add(v, cellOf(axis, v));
  } else {
    const at = gap ? -1 : cellOf(axis, x);
    for (let c = at + (up ? 1 : -1); c >= 0 && c < axis.cells; c += up ? 1 : -1) {
      const near = up ? values.first[c]! : values.last[c]!;
      add(tolerance > 0 && !gap ? beyond(values, near, x, tolerance, up, c) : near, c);
    }
  }
  const until = new Int32Array(axis.cells + 2);
  for (let p = 1; p <= count; p++) until[cell[p]!]!++;
  if (up) for (let c = 1; c <= axis.cells; c++) until[c]! += until[c - 1]!;
  else for (let c = axis.cells - 1; c >= 0; c--) until[c]! += until[c + 1]!;
  return { up, count, value, cost, cell, until };
}

/** The legal value of a cell nearest to x that is not the same as x. */
function beyond(
  { legal, first, last }: CellValues,
  near: number,
  x: number,
  tolerance: number,
  up: boolean,
  c: number,
): number {
  let v =
    Math.abs(near - x) > tolerance ? near : up ? legal.above(x + tolerance) : legal.below(x - tolerance);
  while (Math.abs(v - x) <= tolerance) v = up ? legal.above(nextUp(v)) : legal.below(-nextUp(-v));
  return v >= first[c]! && v <= last[c]! ? v : Number.NaN;
}
