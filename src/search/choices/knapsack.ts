import type { Work } from "../../budget.ts";
import { orderOf } from "../../num/order.ts";

/** What one row can become: choice t costs sizes[t] edits and scores values[t] (NaN: not to be had). Choice 0 is x. */
export interface Choices {
  readonly sizes: ArrayLike<number>;
  readonly values: Float64Array;
}

/** The same choices, worth the opposite. */
export function negated({ sizes, values }: Choices): Choices {
  return { sizes, values: values.map((v) => -v) };
}

/** The largest Σ values for every number of edits at once. */
export interface Largest {
  /** sum[C] = max Σ_i values_i over plans of at most C edits. */
  readonly sum: Float64Array;
  /** sum ≤ the true maximum ≤ bound. */
  readonly bound: Float64Array;
  /** A plan (choice of each row) that attains sum[C]. */
  plan(C: number): Int32Array;
}

/** Cells of the table of decisions above which the envelope stands in for the exact programme. */
const MAX_CELLS = 2 ** 26;

/** max Σ values subject to Σ sizes ≤ C for C = 0 … all edits or `maxTotal`: a multiple-choice knapsack. */
export async function largestSums(rows: readonly Choices[], maxTotal: number, work: Work): Promise<Largest> {
  const steps = rows.map(frontierOf);
  const useful = steps.reduce((sum, s) => sum + s.at(-1)!.size, 0);
  const total = Math.min(
    maxTotal,
    rows.reduce((sum, row) => sum + mostEdits(row), 0),
  );
  const fits = rows.length * (Math.min(useful, total) + 1) <= MAX_CELLS;
  return fits ? exact(steps, total, work) : envelope(steps, total);
}

function mostEdits({ sizes, values }: Choices): number {
  let most = 0;
  for (let t = 0; t < values.length; t++) if (!Number.isNaN(values[t]!) && sizes[t]! > most) most = sizes[t]!;
  return most;
}

/** A choice no smaller choice equals or beats. */
interface Step {
  readonly size: number;
  readonly value: number;
  readonly choice: number;
}

/** G(c) = max value with at most c edits, as its rising steps. */
function frontierOf({ sizes, values }: Choices): Step[] {
  // The best choice of each size: steps are made of those that last, not of every better one on the way.
  const best: number[] = [];
  for (let t = 0; t < values.length; t++) {
    const size = sizes[t]!;
    const known = best[size];
    if (values[t]! > (known === undefined ? Number.NEGATIVE_INFINITY : values[known]!)) best[size] = t;
  }
  const steps: Step[] = [];
  let most = Number.NEGATIVE_INFINITY;
  for (let size = 0; size < best.length; size++) {
    const choice = best[size];
    if (choice === undefined || !(values[choice]! > most)) continue;
    most = values[choice]!;
    steps.push({ size, value: most, choice });
  }
  return steps;
}

/** best_i(C) = max over steps of best_{i−1}(C − size) + value, row by row. */
async function exact(rows: readonly (readonly Step[])[], total: number, work: Work): Promise<Largest> {
  const taken: Uint8Array[] = [];
  let best = new Float64Array(total + 1);
  let next = new Float64Array(total + 1);
  let reach = 0;
  for (let i = 0; i < rows.length; i++) {
    if (work.due()) await work.pause(i, rows.length);
    const steps = rows[i]!;
    const wider = Math.min(total, reach + steps.at(-1)!.size);
    const took = new Uint8Array(wider + 1);
    best.fill(best[reach]!, reach + 1, wider + 1);
    next.fill(Number.NEGATIVE_INFINITY, 0, wider + 1);
    for (let t = 0; t < steps.length; t++) addStep(best, next, took, steps[t]!, t);
    taken.push(took);
    [best, next] = [next, best];
    reach = wider;
  }
  const sum = best.fill(best[reach]!, reach + 1);
  return { sum, bound: sum, plan: (C) => trace(rows, taken, Math.min(C, total)) };
}

/** rest[i][c]: the largest Σ values of rows i, i + 1, … with at most c edits. */
export function sumsOfRest(rows: readonly Choices[], total: number): Float64Array[] {
  const unused = new Uint8Array(total + 1);
  const rest: Float64Array[] = [new Float64Array(total + 1)];
  for (const row of rows.toReversed()) {
    const next = new Float64Array(total + 1).fill(Number.NEGATIVE_INFINITY);
    frontierOf(row).forEach((step, t) => {
      addStep(rest.at(-1)!, next, unused, step, t);
    });
    rest.push(next);
  }
  return rest.reverse();
}

/** next[c] = max(next[c], best[c − size] + value) as far as `took` goes. */
function addStep(best: Float64Array, next: Float64Array, took: Uint8Array, step: Step, t: number): void {
  const { size, value } = step;
  for (let c = size; c < took.length; c++) {
    const candidate = best[c - size]! + value;
    if (candidate <= next[c]!) continue;
    next[c] = candidate;
    took[c] = t;
  }
}

function trace(rows: readonly (readonly Step[])[], taken: readonly Uint8Array[], C: number): Int32Array {
  const plan = new Int32Array(rows.length);
  for (let i = rows.length - 1, left = C; i >= 0; i--) {
    const step = rows[i]![taken[i]![Math.min(left, taken[i]!.length - 1)]!]!;
    plan[i] = step.choice;
    left -= step.size;
  }
  return plan;
}

/**
 * Upper concave envelopes merged by slope: every breakpoint is an exact optimum, and between two of them the
 * straight line bounds it; edits left over there go to the next rises that fit. Linear memory, for groups
 * whose table of decisions would not fit.
 */
function envelope(rows: readonly (readonly Step[])[], total: number): Largest {
  const all: Rise[] = [];
  rows.forEach((steps, row) => {
    const corners = hull(steps);
    for (let t = 1; t < corners.length; t++) all.push(riseOf(row, corners[t - 1]!, corners[t]!));
  });
  // The steepest first, of those equally steep that of the first row.
  const rises = Array.from(orderOf(Float64Array.from(all, ({ slope }) => -slope)), (t) => all[t]!);
  const sum = new Float64Array(total + 1);
  const bound = new Float64Array(total + 1);
  const taken = new Int32Array(total + 1);
  let [at, t] = [0, 0];
  let value = rows.reduce((start, steps) => start + steps[0]!.value, 0);
  for (let C = 0; C <= total; C++) {
    for (; t < rises.length && at + rises[t]!.edits <= C; t++) {
      at += rises[t]!.edits;
      value += rises[t]!.gain;
    }
    sum[C] = value;
    if (C > at) for (const { gain } of fillers(rises, t, C - at)) sum[C]! += gain;
    bound[C] = t < rises.length ? value + (C - at) * rises[t]!.slope : value;
    taken[C] = t;
    if (C > 0 && sum[C]! < sum[C - 1]!) [sum[C], taken[C]] = [sum[C - 1]!, -1];
  }
  const plan = (given: number): Int32Array => {
    let C = Math.min(given, total);
    while (taken[C]! < 0) C--;
    const choice = Int32Array.from(rows, (steps) => steps[0]!.choice);
    const done = rises.slice(0, taken[C]!);
    const left = done.reduce((edits, rise) => edits - rise.edits, C);
    for (const { row, step } of [...done, ...fillers(rises, taken[C]!, left)]) choice[row] = step.choice;
    return choice;
  };
  return { sum, bound, plan };
}

/** Rises looked at for edits that are left over. */
const LOOK_AHEAD = 256;

/** The next rises that fit into `left` edits, each the next of its row. */
function fillers(rises: readonly Rise[], from: number, left: number): Rise[] {
  const found: Rise[] = [];
  const passed: number[] = [];
  for (let t = from, open = left; open > 0 && t < Math.min(rises.length, from + LOOK_AHEAD); t++) {
    const rise = rises[t]!;
    if (rise.edits > open || passed.includes(rise.row)) passed.push(rise.row);
    else {
      found.push(rise);
      open -= rise.edits;
    }
  }
  return found;
}

function riseOf(row: number, from: Step, step: Step): Rise {
  const [edits, gain] = [step.size - from.size, step.value - from.value];
  return { row, step, edits, gain, slope: gain / edits };
}

interface Rise {
  readonly row: number;
  readonly step: Step;
  readonly edits: number;
  readonly gain: number;
  readonly slope: number;
}

/** Corners of the upper concave envelope. */
function hull(steps: readonly Step[]): Step[] {
  const corners: Step[] = [];
  for (const step of steps) {
    while (corners.length > 1 && turns(corners.at(-2)!, corners.at(-1)!, step)) corners.pop();
    corners.push(step);
  }
  return corners;
}

/** Does b lie on or below the line from a to c? */
function turns(a: Step, b: Step, c: Step): boolean {
  return (b.value - a.value) * (c.size - a.size) <= (c.value - a.value) * (b.size - a.size);
}
