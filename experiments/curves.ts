import { divergences } from "../src/num/divergence.ts";
import { mean, sd } from "../src/num/stats.ts";
import { type Divergence, LEVELS } from "./methods.ts";
import type { Counts } from "./runs.ts";

/** D of a method against C: mean and half width of the band over the runs. */
export interface Curve {
  readonly C: readonly number[];
  readonly D: Readonly<
    Record<Divergence, { readonly mean: readonly number[]; readonly half: readonly number[] }>
  >;
}

/** Edits per row at which a level of the effect (by OT on labels) is reached. */
export interface LevelResult {
  readonly level: number;
  /** Mean over the runs that reach it of the first C / n, its half width, and the share of runs that do. */
  readonly firstHit: number | null;
  readonly half: number | null;
  readonly reached: number;
  /** First C / n at which the mean curve reaches it. */
  readonly meanCurve: number | null;
}

/** Points kept of a curve. */
const POINTS = 160;
const TOLERANCE = 1e-9;
const NAMES = { OT: "transport", MMD: "mmd", MeanD: "mean", MedianD: "median" } as const;

/** D between n labels of which `ones` are 1 and the labels `desired`, for every number of ones. */
export function byOnes(n: number, desired: Float64Array): Readonly<Record<Divergence, Float64Array>> {
  const of = (name: Divergence): Float64Array =>
    Float64Array.from({ length: n + 1 }, (_, ones) => {
      const a = Float64Array.from({ length: n }, (_, i) => Number(i < ones));
      return Math.max(0, divergences[NAMES[name]](a, desired));
    });
  return { OT: of("OT"), MMD: of("MMD"), MeanD: of("MeanD"), MedianD: of("MedianD") };
}

export function curveOf({ at, counts }: Counts, table: ReturnType<typeof byOnes>, multiplier: number): Curve {
  const step = Math.ceil(at.length / POINTS);
  const kept = Array.from(at, (_, c) => c).filter((c) => c % step === 0 || c === at.length - 1);
  const band = (name: Divergence) => {
    const values = kept.map((c) => counts.map((run) => table[name][run[c]!]!));
    return {
      mean: values.map((v) => rounded(mean(v))),
      half: values.map((v) => rounded((multiplier * sd(v)) / Math.sqrt(v.length))),
    };
  };
  return {
    C: kept.map((c) => at[c]!),
    D: { OT: band("OT"), MMD: band("MMD"), MeanD: band("MeanD"), MedianD: band("MedianD") },
  };
}

/** Where the levels of the effect are reached, by both rules. */
export function levelsOf(
  { at, counts }: Counts,
  divergence: Float64Array,
  n: number,
  multiplier: number,
): LevelResult[] {
  const start = divergence[counts[0]![0]!]!;
  const means = Array.from(at, (_, c) => mean(counts.map((run) => divergence[run[c]!]!)));
  return LEVELS.map((level) => {
    const enough = (1 - level) * start + TOLERANCE;
    const hits = counts
      .map((run) => run.findIndex((ones) => divergence[ones]! <= enough))
      .filter((c) => c >= 0);
    const edits = hits.map((c) => at[c]! / n);
    const crossed = means.findIndex((D) => D <= enough);
    return {
      level,
      firstHit: hits.length > 0 ? rounded(mean(edits)) : null,
      half: hits.length > 0 ? rounded((multiplier * sd(edits)) / Math.sqrt(hits.length)) : null,
      reached: hits.length / counts.length,
      meanCurve: crossed < 0 ? null : rounded(at[crossed]! / n),
    };
  });
}

/** Six decimals are kept in result files. */
export function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}
