import { ColaError } from "../errors.ts";
import { mean, median, quantileSorted, sorted } from "./stats.ts";

/** W1(a, b) = ∫ |F_a(t) − F_b(t)| dt. */
export function w1(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return w1Sorted(sorted(a), sorted(b));
}

/** W2²(a, b) = min over couplings of Σ p (a − b)², reached by pairing quantiles. */
export function w2Squared(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return w2SquaredSorted(sorted(a), sorted(b));
}

/**
 * MMD²(a, b) = mean k(a, a′) + mean k(b, b′) − 2 mean k(a, b), k(u, v) = e^(−γ(u−v)²), diagonals included
 * (the biased V-statistic, no square root).
 */
export function mmd(a: ArrayLike<number>, b: ArrayLike<number>, gamma = 1): number {
  const [n, m] = [a.length, b.length];
  const [left, right] = [sorted(a), sorted(b)];
  const within = kernelSum(left, left, gamma) / n ** 2 + kernelSum(right, right, gamma) / m ** 2;
  return within - (2 * kernelSum(left, right, gamma)) / (n * m);
}

/** |mean a − mean b|. */
export function meanGap(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return Math.abs(mean(sorted(a)) - mean(sorted(b)));
}

/** |median a − median b|, the average of the two middle values for even sizes. */
export function medianGap(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return Math.abs(median(a) - median(b));
}

/** The divergence, or PREDICT_OVERFLOW where it is not a number: of 1e300 and 0, W2² would be 1e600. */
export function finiteDivergence(name: DivergenceName, value: number): number {
  if (Number.isFinite(value)) return value;
  throw new ColaError(
    "PREDICT_OVERFLOW",
    `divergence: ${name} of these scores is beyond the range of numbers; rescale the scores, or take another divergence.`,
    { divergence: name },
  );
}

/** D(a, b) while values of a move one at a time. */
export interface RunningDivergence {
  move(from: number, to: number): void;
  value(): number;
}

/** Starts at D(a, b). A move costs O(n), or O(n + m) kernels for `mmd`; a value O(n + m) or less. */
export function runningDivergence(
  name: DivergenceName,
  a: ArrayLike<number>,
  b: ArrayLike<number>,
): RunningDivergence {
  const { move, value } = TABLE[name].running(sorted(a), sorted(b));
  return { move, value: a.length * b.length === 0 ? value : () => finiteDivergence(name, value()) };
}

function runningMean(left: Float64Array, right: Float64Array): RunningDivergence {
  const goal = mean(right);
  let sum = mean(left) * left.length;
  return {
    move(from, to) {
      sum += to - from;
    },
    value: () => Math.abs(sum / left.length - goal),
  };
}

function runningMmd(left: Float64Array, right: Float64Array): RunningDivergence {
  const [n, m] = [left.length, right.length];
  let within = kernelSum(left, left, 1);
  let across = kernelSum(left, right, 1);
  const fixed = kernelSum(right, right, 1);
  return {
    move(from, to) {
      within -= 2 * kernelSum([from], left, 1) - 1;
      across += kernelSum([to], right, 1) - kernelSum([from], right, 1);
      moveSorted(left, from, to);
      within += 2 * kernelSum([to], left, 1) - 1;
    },
    value: () => within / n ** 2 + fixed / m ** 2 - (2 * across) / (n * m),
  };
}

/** Σ_i Σ_j e^(−γ(a_i − b_j)²). */
function kernelSum(a: ArrayLike<number>, b: ArrayLike<number>, gamma: number): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) {
    for (let j = 0; j < b.length; j++) sum += Math.exp(-gamma * (a[i]! - b[j]!) ** 2);
  }
  return sum;
}

function w1Sorted(a: Float64Array, b: Float64Array): number {
  const [n, m] = [a.length, b.length];
  let [i, j, sum] = [0, 0, 0];
  let at = Math.min(a[0]!, b[0]!);
  while (i < n || j < m) {
    const takeA = j === m || (i < n && a[i]! <= b[j]!);
    const next = takeA ? a[i]! : b[j]!;
    sum += Math.abs(i / n - j / m) * (next - at);
    at = next;
    if (takeA) i++;
    else j++;
  }
  return sum;
}

function w2SquaredSorted(a: Float64Array, b: Float64Array): number {
  const [n, m] = [a.length, b.length];
  let [i, j, sum] = [0, 0, 0];
  // Whole units keep the masses exact: a value of a has m of the n·m units, a value of b has n.
  let [left, right] = [m, n];
  while (i < n && j < m) {
    const units = Math.min(left, right);
    sum += units * (a[i]! - b[j]!) ** 2;
    left -= units;
    right -= units;
    if (left === 0) {
      i++;
      left = m;
    }
    if (right === 0) {
      j++;
      right = n;
    }
  }
  return sum / (n * m);
}

/** Replaces one value of a sorted array and keeps it sorted. */
function moveSorted(values: Float64Array, from: number, to: number): void {
  let at = lowerBound(values, from);
  const end = lowerBound(values, to);
  if (end > at) {
    values.copyWithin(at, at + 1, end);
    at = end - 1;
  } else {
    values.copyWithin(end + 1, end, at);
    at = end;
  }
  values[at] = to;
}

/** First place whose value is not below v. */
function lowerBound(values: Float64Array, v: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle]! < v) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A distance that only rounding keeps from 0. */
const ZERO = 1e-12;

/** The effect 1 − after/before of two divergences; null where there was nothing to reach. */
export function effectOf(before: number, after: number): number | null {
  return before <= ZERO ? null : 1 - after / before;
}

/** A group goal is reached within this of what it allows. */
export const GOAL_TOLERANCE = 1e-9;

/**
 * A divergence of two 0/1 samples as a function of the gap between their means: D itself, and how large the gap may be
 * where `kept` of the D of the gap `start` may be left.
 */
interface OfLabels {
  of(gap: number): number;
  allowed(kept: number, start: number): number;
}

/** W1, W2² and MeanD of labels are the gap itself. */
const GAP: OfLabels = { of: (gap) => gap, allowed: (kept, start) => kept * start + GOAL_TOLERANCE };

/** MMD² of two 0/1 samples whose means differ by one; otherwise it is this times the square of the gap. */
const LABEL_MMD = 2 * (1 - Math.exp(-1));
const SQUARED_GAP: OfLabels = {
  of: (gap) => LABEL_MMD * gap * gap,
  allowed: (kept, start) => Math.sqrt(kept * start ** 2 + GOAL_TOLERANCE / LABEL_MMD),
};

type Value = (a: ArrayLike<number>, b: ArrayLike<number>) => number;

interface Entry {
  readonly value: Value;
  /** D(left, right) of sorted samples while values of the first move. */
  running(left: Float64Array, right: Float64Array): RunningDivergence;
  /** What it is of labels; undefined where that is not an increasing function of the gap between the means. */
  readonly labels?: OfLabels;
  /** Of scores it is the gap between the means, too. */
  readonly gapOfScores?: true;
}

/** Every divergence, a row for each; evaluate/divergence.ts has its words, and what it is of weighted samples. */
const ROWS = {
  w1: { value: w1, running: afresh(w1Sorted), labels: GAP },
  transport: { value: w2Squared, running: afresh(w2SquaredSorted), labels: GAP },
  mmd: { value: mmd, running: runningMmd, labels: SQUARED_GAP },
  mean: { value: meanGap, running: runningMean, labels: GAP, gapOfScores: true },
  median: { value: medianGap, running: afresh(medianSorted) },
} satisfies Readonly<Record<string, Entry>>;

export type DivergenceName = keyof typeof ROWS;

const TABLE: Readonly<Record<DivergenceName, Entry>> = ROWS;

/** Runs by computing D again from samples that are kept sorted. */
function afresh(value: (left: Float64Array, right: Float64Array) => number): Entry["running"] {
  return (left, right) => ({
    move: (from, to) => moveSorted(left, from, to),
    value: () => value(left, right),
  });
}

function medianSorted(left: Float64Array, right: Float64Array): number {
  return Math.abs(quantileSorted(left, 0.5) - quantileSorted(right, 0.5));
}

/** D(a, b) by name; `transport` is W2². Sums run over sorted values, so the order of a sample changes no bit. */
export const divergences: Readonly<Record<DivergenceName, Value>> = mapped(TABLE, ({ value }, name) => {
  // Of no scores there is no divergence.
  return (a, b) => (a.length * b.length === 0 ? Number.NaN : finiteDivergence(name, value(a, b)));
});

function mapped<K extends string, A, B>(
  table: Readonly<Record<K, A>>,
  make: (one: A, name: K) => B,
): Record<K, B> {
  const entries = Object.entries(table) as [K, A][];
  return Object.fromEntries(entries.map(([name, one]) => [name, make(one, name)])) as Record<K, B>;
}

/** D as a function of MeanD, where it is one. */
export function ofMeanGap(name: DivergenceName, on: "score" | "label"): OfLabels | undefined {
  const { labels, gapOfScores } = TABLE[name];
  return on === "label" || gapOfScores ? labels : undefined;
}
