import type { Work } from "../../budget.ts";
import { type Pick, pickOf } from "./closest.ts";
import { type Choices, type Largest, negated, sumsOfRest } from "./knapsack.ts";
import { type Sums, sumLayers } from "./layers.ts";

/** The two-sided problem past the crossing: Σ values as near to `target` as C edits allow. */
export interface Closing {
  readonly rows: readonly Choices[];
  readonly target: number;
  readonly crossing: number;
  readonly largest: Largest;
  /** Distance of Σ from the target that is near enough. */
  readonly enough: number;
  /** |Σ − target| attained and bounded, for every C. */
  readonly value: Float64Array;
  readonly bound: Float64Array;
  /** Plans that are not those of the largest sum. */
  readonly picks: (Pick | undefined)[];
}

/** Cells, relative to the scores, that keep floating-point twins of one sum together. */
const TWINS = 1e-11;
/** Sums kept of one half of the rows, and for one budget. */
const CAPS = { half: 2 ** 15, one: 2 ** 16 } as const;

/**
 * For all budgets at once, where sums are few (small groups, scores on a lattice or in clusters): all sums of
 * two halves of the rows, then for every C the pair (a, b) of at most C edits whose a + b is nearest to the
 * target, up to the rounding of both halves. False where that does not fit.
 */
export async function enumerateAll(closing: Closing, work: Work): Promise<boolean> {
  const { rows, target, crossing, enough, value, bound } = closing;
  const order = rows
    .map((_, i) => i)
    .sort((a, b) => rows[b]!.values.length - rows[a]!.values.length || a - b);
  const sides = [0, 1].map((half) => order.filter((_, t) => t % 2 === half));
  const halves = await halvesOf(closing, sides, work);
  if (!halves) return false;
  const [left, right] = halves as [Sums, Sums];
  const classes = byEdits(left);
  for (let C = crossing; C < value.length; C++) {
    if (value[C]! <= enough / 1000) continue;
    if (work.due()) await work.pause(C, value.length);
    const [a, b] = nearestPair(left, classes, right, target, C);
    const found = Math.abs(left.sum[a]! + right.sum[b]! - target);
    bound[C] = Math.max(0, Math.min(value[C]!, found) - left.error - right.error);
    const plan = new Int32Array(rows.length);
    [left.plan(a), right.plan(b)].forEach((part, half) => {
      part.forEach((choice, t) => {
        plan[sides[half]![t]!] = choice;
      });
    });
    improve(closing, C, plan);
  }
  return true;
}

/** Takes a plan of at most C edits for C and all budgets beyond where it comes nearer. */
export function improve({ rows, target, value, picks }: Closing, C: number, plan: Int32Array): void {
  const pick = pickOf(rows, plan);
  const off = Math.abs(pick.sum - target);
  for (let later = C; later < value.length && off < value[later]!; later++) {
    value[later] = off;
    picks[later] = pick;
  }
}

async function halvesOf(
  { rows, value, enough }: Closing,
  sides: readonly (readonly number[])[],
  work: Work,
): Promise<Sums[] | undefined> {
  const scale = rows.reduce(
    (most, row) => row.values.reduce((m, v) => Math.max(m, Math.abs(v) || 0), most),
    0,
  );
  for (const width of [TWINS * (scale || 1), enough / (2 * rows.length)]) {
    const halves: Sums[] = [];
    for (const side of sides) {
      const part = side.map((i) => rows[i]!);
      const sums = await sumLayers(part, width, CAPS.half, work, (_, edits) => edits < value.length);
      if (!sums) break;
      halves.push(sums);
    }
    if (halves.length === 2) return halves;
  }
  return undefined;
}

/** Entries of each number of edits, by rising sum. */
function byEdits({ sum, edits }: Sums): Map<number, number[]> {
  const classes = new Map<number, number[]>();
  for (let t = 0; t < sum.length; t++) {
    if (classes.has(edits[t]!)) classes.get(edits[t]!)!.push(t);
    else classes.set(edits[t]!, [t]);
  }
  return classes;
}

function nearestPair(
  left: Sums,
  classes: ReadonlyMap<number, readonly number[]>,
  right: Sums,
  target: number,
  C: number,
): [number, number] {
  let best: [number, number] = [0, 0];
  let distance = Number.POSITIVE_INFINITY;
  for (const [edits, members] of classes) {
    let b = right.sum.length - 1;
    for (let a = 0; a < members.length && b >= 0; ) {
      const off = left.sum[members[a]!]! + right.sum[b]! - target;
      const fits = edits + right.edits[b]! <= C;
      if (fits && Math.abs(off) < distance) {
        distance = Math.abs(off);
        best = [members[a]!, b];
      }
      if (off > 0 || !fits) b--;
      else a++;
    }
  }
  return best;
}

/**
 * For one budget: the sums of at most C edits that could still come nearer to the target than what is known. A
 * partial sum is dropped when the rows to come cannot lift it, or lower it, into that window. On the finest
 * grid that fits.
 */
export async function enumerateOne(closing: Closing, C: number, work: Work): Promise<void> {
  const { rows, target, enough, value, bound } = closing;
  const most = sumsOfRest(rows, C);
  const least = sumsOfRest(rows.map(negated), C);
  const grid = enough / (2 * rows.length);
  for (const width of [grid, 8 * grid]) {
    const window = value[C]! + rows.length * width;
    const useful = (done: number, edits: number, sum: number): boolean =>
      edits <= C &&
      sum + most[done]![C - edits]! >= target - window &&
      sum - least[done]![C - edits]! <= target + window;
    const sums = await sumLayers(rows, width, CAPS.one, work, useful);
    if (!sums) continue;
    let near = 0;
    for (let t = 1; t < sums.sum.length; t++) {
      if (Math.abs(sums.sum[t]! - target) < Math.abs(sums.sum[near]! - target)) near = t;
    }
    const found = sums.sum.length > 0 ? Math.abs(sums.sum[near]! - target) : value[C]!;
    bound[C] = Math.max(0, Math.min(value[C]!, found) - sums.error);
    if (sums.sum.length > 0) improve(closing, C, sums.plan(near));
    return;
  }
}
