import type { Explanation } from "../../../src/index.ts";
import type { Study } from "./study.ts";

/** Is a group that is called valid at its goal, D(f(z), y*) ≤ (1 − level)·D(f(x), y*), by the scores told? */
export function groupReaches({ goal }: Study, { rows }: Explanation): boolean {
  if (goal.kind !== "group" || !rows.some(({ valid }) => valid)) return true;
  const { divergence = "w1", on = "score", threshold = 0.5, level = 1, desired = [] } = goal;
  const known = rows.filter(({ before, after }) => before !== null && after !== null);
  const scale = (v: number): number => (on === "score" ? v : Number(v > threshold));
  const wanted = Array.from(desired, scale);
  const D = (scores: readonly (number | null)[]): number =>
    DIVERGENCES[divergence]!(
      scores.map((v) => scale(v!)).sort((a, b) => a - b),
      wanted.sort((a, b) => a - b),
    );
  const [start, end] = [D(known.map(({ before }) => before)), D(known.map(({ after }) => after))];
  return end <= (1 - level) * start + 1e-9 * Math.max(1, start) + 1e-9;
}

type Divergence = (a: readonly number[], b: readonly number[]) => number;

/** Of sorted lists. */
const DIVERGENCES: Readonly<Record<string, Divergence>> = {
  w1: (a, b) => overQuantiles(a, b, (gap) => Math.abs(gap)),
  transport: (a, b) => overQuantiles(a, b, (gap) => gap * gap),
  mean: (a, b) => Math.abs(mean(a) - mean(b)),
  median: (a, b) => Math.abs(median(a) - median(b)),
};

/** ∫ cost(F⁻¹ − G⁻¹) over a grid on which both quantile functions are constant. */
function overQuantiles(a: readonly number[], b: readonly number[], cost: (gap: number) => number): number {
  const steps = a.length * b.length;
  let sum = 0;
  for (let t = 0; t < steps; t++) sum += cost(a[Math.floor(t / b.length)]! - b[Math.floor(t / a.length)]!);
  return sum / steps;
}

function mean(list: readonly number[]): number {
  return list.reduce((sum, v) => sum + v, 0) / list.length;
}

function median(list: readonly number[]): number {
  const half = list.length >> 1;
  return list.length % 2 === 1 ? list[half]! : (list[half - 1]! + list[half]!) / 2;
}
