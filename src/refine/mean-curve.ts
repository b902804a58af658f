import type { Work } from "../budget.ts";
import { approach, type Pick, pickOf } from "./closest.ts";
import { type Choices, type Largest, largestSums } from "./knapsack.ts";
import { type Sums, sumLayers } from "./layers.ts";

/** The least |mean f(z) − mean y*| for every number of edits at once. */
export interface MeanCurve {
  /** value[C] is attained with at most C edits; bound ≤ optimum ≤ value. */
  readonly value: Float64Array;
  readonly bound: Float64Array;
  /** A plan (choice of each row) that attains value[C]. */
  plan(C: number): Int32Array;
}

/** Certified gap, as a share of the divergence of x. */
const SHARE = 1e-4;
/** Cells, relative to the scores, that keep floating-point twins of one sum together. */
const TWINS = 1e-11;
/** Sums kept of one half of the rows. */
const CAP = 2 ** 16;
/** Budgets without progress after which exchanges are given up. */
const STUCK = 4;

/** The two-sided problem past the crossing: Σ values as near to `target` as C edits allow. */
interface Closing {
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
  readonly picks: Map<number, Pick>;
}

/**
 * min over plans of |Σ_i values_i / n − goal| subject to Σ sizes ≤ C, for C = 0 … maxTotal. As long as the best
 * sum stays short of the goal it is the largest sum (knapsack.ts), which is exact; scores that must fall are
 * negated. Past the crossing the problem is two-sided: exchanges find a plan near the goal, and where that
 * leaves more than 1e-4 of D(f(x), y*), the sums themselves are enumerated, exactly or on a grid whose
 * rounding is part of the bound.
 */
export async function meanCurve(
  rows: readonly Choices[],
  goal: number,
  maxTotal: number,
  work: Work,
): Promise<MeanCurve> {
  const n = rows.length;
  const start = rows.reduce((sum, row) => sum + row.values[0]!, 0);
  const sign = n * goal >= start ? 1 : -1;
  const signed =
    sign > 0 ? rows : rows.map(({ sizes, values }) => ({ sizes, values: values.map((v) => -v) }));
  const target = sign * n * goal;
  const largest = await largestSums(signed, maxTotal, work);
  const crossed = largest.sum.findIndex((sum) => sum >= target);
  const closing: Closing = {
    rows: signed,
    target,
    crossing: crossed < 0 ? largest.sum.length : crossed,
    largest,
    enough: SHARE * (target - sign * start),
    value: largest.sum.map((sum) => Math.abs(target - sum)),
    bound: largest.bound.map((sum) => Math.max(0, target - sum)),
    picks: new Map(),
  };
  await close(closing, work);
  const { value, bound, picks } = closing;
  return {
    value: value.map((v) => v / n),
    bound: bound.map((b) => b / n),
    plan: (C) => {
      const at = Math.min(C, value.length - 1);
      return picks.get(at)?.plan ?? largest.plan(at);
    },
  };
}

/** Fills value, bound and picks from the crossing on. */
async function close(closing: Closing, work: Work): Promise<void> {
  const { rows, target, crossing, largest, enough, value, bound, picks } = closing;
  const off = (pick: Pick): number => Math.abs(pick.sum - target);
  let best = pickOf(rows, largest.plan(Math.max(0, crossing - 1)));
  for (let C = crossing, stuck = 0; C < value.length; C++) {
    if (work.due()) await work.pause(C, value.length);
    const starts = off(best) > enough && stuck < STUCK ? [pickOf(rows, largest.plan(C)), best] : [];
    const before = best;
    for (const start of starts) {
      const pick = approach(rows, start, target, C, enough / 1000);
      if (off(pick) < off(best)) best = pick;
    }
    stuck = best === before ? stuck + 1 : 0;
    value[C] = off(best);
    bound[C] = 0;
    picks.set(C, best);
  }
  if (crossing < value.length && value[crossing]! > enough) await enumerate(closing, work);
}

/**
 * The nearest sums from all sums of two halves of the rows, on the finest grid that fits: of the pairs (a, b) with
 * at most C edits, the one whose a + b is nearest to the target, up to the rounding of both halves.
 */
async function enumerate(closing: Closing, work: Work): Promise<void> {
  const { rows, target, crossing, enough, value, bound, picks } = closing;
  const order = rows
    .map((_, i) => i)
    .sort((a, b) => rows[b]!.values.length - rows[a]!.values.length || a - b);
  const sides = [0, 1].map((half) => order.filter((_, t) => t % 2 === half));
  const halves = await finestHalves(closing, sides, work);
  if (!halves) return;
  const [left, right] = halves as [Sums, Sums];
  const classes = byEdits(left);
  for (let C = crossing; C < value.length && value[C]! > enough; C++) {
    if (work.due()) await work.pause(C, value.length);
    const [a, b] = nearestPair(left, classes, right, target, C);
    const found = Math.abs(left.sum[a]! + right.sum[b]! - target);
    bound[C] = Math.max(0, Math.min(value[C]!, found) - left.error - right.error);
    if (found >= value[C]!) continue;
    const plan = new Int32Array(rows.length);
    [left.plan(a), right.plan(b)].forEach((part, half) => {
      part.forEach((choice, t) => {
        plan[sides[half]![t]!] = choice;
      });
    });
    const pick = pickOf(rows, plan);
    for (let later = C; later < value.length && found < value[later]!; later++) {
      value[later] = Math.abs(pick.sum - target);
      picks.set(later, pick);
    }
  }
}

async function finestHalves(
  { rows, value, enough }: Closing,
  sides: readonly (readonly number[])[],
  work: Work,
): Promise<Sums[] | undefined> {
  const scale = rows.reduce(
    (most, row) => row.values.reduce((m, v) => Math.max(m, Math.abs(v) || 0), most),
    0,
  );
  const grid = enough / (2 * rows.length);
  for (const width of [TWINS * scale, grid, 4 * grid, 16 * grid]) {
    const halves: Sums[] = [];
    for (const side of sides) {
      const sums = await sumLayers(
        side.map((i) => rows[i]!),
        value.length - 1,
        Math.max(width, Number.MIN_VALUE),
        CAP,
        work,
      );
      if (sums) halves.push(sums);
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
