import { rowOf } from "../num/matrix.ts";
import type { Answer, Question } from "./ask.ts";
import { Distinct } from "./distinct.ts";
import { moveTo } from "./moves.ts";
import type { Run } from "./run.ts";
import { candidatesOf, type Row } from "./search.ts";
import type { Unlike } from "./space.ts";

/**
 * Walks from x to ever farther references at the target, moves each through the constraints (a cell it may
 * not take keeps x's value) and gathers those that are still at the target: at most `count`, of the `tries`
 * nearest, nearest first.
 */
export function* walk(
  run: Run,
  row: Row,
  others: Unlike,
  count: number,
  tries: number,
): Generator<Question, Float64Array[], Answer> {
  const place = others.place(row.x);
  const seen = new Distinct();
  seen.add(row.x);
  const found: Float64Array[] = [];
  const end = Math.min(tries, others.rows.rows);
  let near: Int32Array = new Int32Array(0);
  for (let from = 0, to = Math.min(end, count); from < end && found.length < count; ) {
    const farther = Math.min(end, 2 * to + 4);
    // The nearest are the first of more of them, and most rows need the second step too: one scan serves both.
    if (near.length < to) near = others.index.nearest(place, farther).index;
    const moved = Array.from(near.subarray(from, to), (j) => moveTo(run, row.x, rowOf(others.rows, j)));
    found.push(...candidatesOf(yield { rows: seen.matrix(moved, row.x.length) }));
    from = to;
    to = farther;
  }
  return found.slice(0, count);
}

/** Why a walk found nothing. */
export function whyNone(others: Unlike, tries: number): string {
  if (others.rows.rows === 0) return "no reference row is at the target";
  const tried = Math.min(tries, others.rows.rows);
  return `none of the ${tried} nearest references at the target is still there once the constraints hold`;
}
