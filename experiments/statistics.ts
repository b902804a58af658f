import type { Random } from "../src/num/random.ts";
import { erf, mean, quantile } from "../src/num/stats.ts";

/** Pairs up to which the exact distribution of the signed ranks is used. */
const EXACT = 20;

/**
 * Two-sided Wilcoxon signed-rank test of paired differences: P(|W⁺ − E W⁺| at least as large) when signs are
 * fair. Zeros are dropped, ties share ranks. Exact up to 20 pairs, else the normal approximation.
 */
export function wilcoxon(differences: readonly number[]): { readonly n: number; readonly p: number } {
  const used = differences.filter((d) => d !== 0);
  const n = used.length;
  if (n === 0) return { n, p: 1 };
  const ranks = midRanks(used.map(Math.abs));
  const plus = used.reduce((sum, d, t) => sum + (d > 0 ? ranks[t]! : 0), 0);
  const centre = ranks.reduce((sum, r) => sum + r, 0) / 2;
  const off = Math.abs(plus - centre);
  if (n <= EXACT) return { n, p: exactTail(ranks, off) };
  const sd = Math.sqrt(ranks.reduce((sum, r) => sum + r * r, 0) / 4);
  return { n, p: 1 - erf(Math.max(0, off - 0.5) / sd / Math.SQRT2) };
}

function midRanks(values: readonly number[]): number[] {
  return values.map((v) => {
    const [below, equal] = values.reduce(([b, e], u) => [b + Number(u < v), e + Number(u === v)], [0, 0]);
    return below + (equal + 1) / 2;
  });
}

/** Share of the 2^n choices of signs whose W⁺ is at least `off` from its mean; ranks are doubled to be whole. */
function exactTail(ranks: readonly number[], off: number): number {
  const total = ranks.reduce((sum, r) => sum + 2 * r, 0);
  let ways = new Float64Array(total + 1);
  ways[0] = 1;
  for (const rank of ranks) {
    const next = ways.slice();
    for (let s = 2 * rank; s <= total; s++) next[s]! += ways[s - 2 * rank]!;
    ways = next;
  }
  let tail = 0;
  ways.forEach((count, s) => {
    if (Math.abs(s - total / 2) >= 2 * off - 1e-9) tail += count;
  });
  return tail / 2 ** ranks.length;
}

/** Holm's correction: adjusted p values in the order given. */
export function holm(ps: readonly number[]): number[] {
  const order = ps.map((_, t) => t).sort((a, b) => ps[a]! - ps[b]!);
  const adjusted = new Array<number>(ps.length);
  let least = 0;
  order.forEach((t, rank) => {
    least = Math.max(least, Math.min(1, (ps.length - rank) * ps[t]!));
    adjusted[t] = least;
  });
  return adjusted;
}

/** 95 % percentile interval of a statistic over items drawn with replacement. */
export function bootstrap<T>(
  items: readonly T[],
  statistic: (sample: readonly T[]) => number,
  random: Random,
  draws = 1000,
): readonly [number, number] {
  const values = Array.from({ length: draws }, () =>
    statistic(items.map(() => items[random.int(items.length)]!)),
  );
  return [quantile(values, 0.025), quantile(values, 0.975)];
}

/** mean a / mean b of paired values. */
export function ratioOfMeans(pairs: readonly (readonly [number, number])[]): number {
  return mean(pairs.map(([a]) => a)) / mean(pairs.map(([, b]) => b));
}
