import type { Legal } from "../exact/legal.ts";
import type { Matrix } from "../types.ts";

/** Rows that somebody wants to know about, and for each of them whether it is a plan. */
type Asking<T> = Generator<readonly Float64Array[], T, readonly boolean[]>;

/** One row on its way from a plan towards x. */
export interface Way {
  readonly x: Float64Array;
  /** Features that are not derived columns. */
  readonly players: readonly number[];
  /** Legal numbers of each feature; undefined for levels. */
  readonly legal: readonly (Legal | undefined)[];
  same(k: number, a: number, b: number): boolean;
  change(z: Float64Array): number;
}

/** Values tried at once, and how often the stretch between two of them is looked into. */
const PARTS = 4;
const ROUNDS = 5;
/** Values beyond a planned number that are tried. */
const BEYOND = 8;

/** Features in which z differs from x. */
export function editedIn({ x, same, players }: Way, z: Float64Array): number[] {
  return players.filter((k) => !same(k, x[k]!, z[k]!));
}

const isNumber = ({ x, legal }: Way, z: Float64Array, k: number): boolean =>
  legal[k] !== undefined && !Number.isNaN(x[k]!) && !Number.isNaN(z[k]!);

/**
 * The plan with edits given back that it does not need, those that change most first, and its numbers moved back towards
 * x: all together, then one by one. Nothing is taken for a plan that was not asked about.
 */
export function* settled(way: Way, from: Float64Array): Asking<Float64Array> {
  let z = from;
  for (;;) {
    const edited = editedIn(way, z);
    if (edited.length < 2) break;
    const fewer = edited.map((k) => z.with(k, way.x[k]!)).sort((a, b) => way.change(a) - way.change(b));
    const fits = yield fewer;
    const next = fewer.find((_, t) => fits[t]);
    if (!next) break;
    z = next;
  }
  const numbers = (): number[] => editedIn(way, z).filter((k) => isNumber(way, z, k));
  if (numbers().length > 1) z = yield* along(way, z, numbers());
  const size = (k: number): number => way.change(z) - way.change(z.with(k, way.x[k]!));
  for (const k of numbers().sort((a, b) => size(b) - size(a) || a - b)) z = yield* along(way, z, [k]);
  return z;
}

/** The plan with these numbers as far back towards x as is found: where it holds and, next to that, does not. */
function* along(way: Way, from: Float64Array, numbers: readonly number[]): Asking<Float64Array> {
  let z = from;
  let [near, far] = [0, 1];
  for (let round = 0; round < ROUNDS; round++) {
    const shares = Array.from({ length: PARTS - 1 }, (_, t) => near + ((t + 1) / PARTS) * (far - near));
    const rows = shares.map((share) => between(way, from, numbers, share));
    const fits = yield rows;
    const t = rows.findIndex((row, at) => fits[at] && way.change(row) < way.change(z));
    if (t >= 0) z = rows[t]!;
    const last = t < 0 ? rows.length : t;
    [near, far] = [last === 0 ? near : shares[last - 1]!, t < 0 ? far : shares[t]!];
  }
  return z;
}

/** Some numbers of z a share of the way from x to it, at the next legal value beyond. */
function between(
  { x, legal, same }: Way,
  z: Float64Array,
  numbers: readonly number[],
  share: number,
): Float64Array {
  const row = z.slice();
  for (const k of numbers) {
    const [from, to] = [x[k]!, z[k]!];
    const at = from + share * (to - from);
    const value = to > from ? legal[k]!.above(at) : legal[k]!.below(at);
    const inside = to > from ? value <= to : value >= to;
    row[k] = inside && !same(k, from, value) ? value : to;
  }
  return row;
}

/** How far a planned number may go on, as far as tried. */
export interface TriedRange {
  readonly feature: number;
  readonly from: number;
  readonly to: number;
  readonly open: boolean;
}

/** For each edited number how far it may go on away from x, the others at either end of their own ranges. */
export function* triedRanges(way: Way, z: Float64Array): Asking<TriedRange[]> {
  const ranges: TriedRange[] = [];
  for (const k of editedIn(way, z).filter((one) => isNumber(way, z, one))) {
    const values = beyond(way, z, k);
    const corners = ranges.reduce<readonly Float64Array[]>(
      (rows, { feature, to }) =>
        rows.flatMap((row) => (row[feature] === to ? [row] : [row, row.with(feature, to)])),
      [z],
    );
    const rows = values.flatMap((value) => corners.map((row) => row.with(k, value)));
    const fits = rows.length > 0 ? yield rows : [];
    const bad = values.findIndex((_, t) => corners.some((_, c) => !fits[t * corners.length + c]));
    const count = bad < 0 ? values.length : bad;
    ranges.push({ feature: k, from: z[k]!, to: count === 0 ? z[k]! : values[count - 1]!, open: bad < 0 });
  }
  return ranges;
}

/** Legal values from the planned one to the end of the column, evenly, the last one first among those kept apart. */
function beyond({ x, legal }: Way, z: Float64Array, k: number): number[] {
  const up = z[k]! > x[k]!;
  const end = up ? legal[k]!.below(Number.POSITIVE_INFINITY) : legal[k]!.above(Number.NEGATIVE_INFINITY);
  const values = Array.from({ length: BEYOND }, (_, t) => {
    const at = z[k]! + ((t + 1) / BEYOND) * (end - z[k]!);
    return up ? legal[k]!.below(at) : legal[k]!.above(at);
  });
  return [...new Set(values)].filter((v) => (up ? v > z[k]! : v < z[k]!));
}

/** Lets many ask at once: every round all their rows are answered together. */
export async function answered<T>(
  all: readonly Asking<T>[],
  cols: number,
  answer: (rows: Matrix, owners: readonly number[]) => Promise<readonly boolean[]>,
): Promise<T[]> {
  const done = new Array<T>(all.length);
  let live = all.map((asking, a) => ({ a, asking, step: asking.next() }));
  for (;;) {
    for (const { a, step } of live) if (step.done) done[a] = step.value;
    live = live.filter(({ step }) => !step.done);
    if (live.length === 0) return done;
    const asked = live.flatMap(({ a, step }) =>
      (step.value as readonly Float64Array[]).map((row) => ({ a, row })),
    );
    const data = new Float64Array(asked.length * cols);
    for (const [i, { row }] of asked.entries()) data.set(row, i * cols);
    const fits = await answer(
      { data, rows: asked.length, cols },
      asked.map(({ a }) => a),
    );
    let from = 0;
    live = live.map(({ a, asking, step }) => {
      const count = (step.value as readonly Float64Array[]).length;
      const own = fits.slice(from, from + count);
      from += count;
      return { a, asking, step: asking.next(own) };
    });
  }
}
