import { ColaError } from "../errors.ts";
import { choleskyInPlace, choleskySolve } from "../num/linalg.ts";
import { fromRows, rowOf } from "../num/matrix.ts";
import type { Random } from "../num/random.ts";
import { number, whole } from "../train/options.ts";
import type { Generated, Task } from "./contract.ts";
import { choose, type DiceWeights, lossOf, WEIGHT_RULES } from "./dice/objective.ts";
import { POSTHOC_RULES, type PosthocOptions, smallChanges, sparsen } from "./dice/posthoc.ts";
import { pullOf } from "./dice/pull.ts";
import { type Relaxed, relax } from "./dice/relax.ts";
import { Distinct } from "./distinct.ts";
import { generatorOptions, openRun, type Run, SEARCH_RULES, type SearchOptions } from "./run.ts";
import { candidatesOf, type Row, type Search, searchRows } from "./search.ts";

export interface DiceGradientOptions extends SearchOptions, DiceWeights, PosthocOptions {
  /** Steps, at most. Default 200. */
  readonly iterations?: number;
  /** Longest step of a feature, as a share of its permitted range. Default 0.05. */
  readonly rate?: number;
  /** Steps after which no better row ends the search. Default 30. */
  readonly patience?: number;
}

const RULES = {
  ...SEARCH_RULES,
  ...WEIGHT_RULES,
  ...POSTHOC_RULES,
  proximityWeight: number(0.5, 0, 1e6),
  iterations: whole(200, 1),
  rate: number(0.05, 1e-6, 1),
  patience: whole(30, 1),
};
type Settings = ReturnType<typeof settingsOf>;

const settingsOf = (options: DiceGradientOptions) => generatorOptions("dice-gradient", options, RULES);

/** How far a parameter is nudged to see whether it is free. */
const NUDGE = 1e-6;

/** Margin past the edge that is aimed at, and by how much more when rounding to legal values lost it. */
const AIM = 0.25;

/**
 * DiCE by descent, for differentiable models: min over `count` rows of Σ hinge(margin) + proximityWeight ·
 * Σ_p price_p·|θ_p| − diversityWeight · det K, over rows made continuous (dice/relax). Proximal steps: the
 * smooth part is followed with its largest slope scaled to 1, the weighted L1 distance by soft-thresholding,
 * which keeps features that help little exactly at x. Every new rounded row is scored as it is; of the valid
 * ones the best are kept.
 */
export async function diceGradient(
  task: Task,
  options: DiceGradientOptions,
  random: Random,
): Promise<Generated> {
  const settings = settingsOf(options);
  const run = openRun("dice-gradient", task, settings, options);
  if (typeof run.inner.model.gradient !== "function") {
    throw new ColaError(
      "OPTION_INVALID",
      "dice-gradient: the model has no gradient(rows, output); choose a differentiable model, or the generator dice-genetic. (Derived columns hide the gradient too.)",
      { generator: "dice-gradient" },
    );
  }
  return searchRows(run, random, async () => {
    const small = await smallChanges(run, settings);
    return (row) => search(run, row, settings, small);
  });
}

function* search(run: Run, row: Row, settings: Settings, small: Float64Array): Search {
  const { count, patience } = settings;
  const relaxed = relax(run, row);
  if (relaxed.size === 0) return { rows: [], why: "no feature that may change has a value to move from" };
  const pull = pullOf(run, Math.max(-row.slack, 1e-9));
  const thetas = starts(relaxed, row, count);
  const seen = new Distinct();
  seen.add(row.x);
  const found: Float64Array[] = [];
  let best = Number.POSITIVE_INFINITY;
  let aim = AIM;
  for (let t = 0, still = 0; t < settings.iterations && still < patience; t++) {
    const answer = yield { rows: relaxed.encode(thetas), encoded: true };
    if (answer.slack.some(Number.isNaN)) break;
    const pulls = thetas.map((_, i) => pull(answer, i));
    const fresh = thetas.map(relaxed.row).filter((z, i) => pulls[i]!.margin >= 0 && seen.add(z));
    if (fresh.length > 0) {
      const valid = candidatesOf(yield { rows: fromRows(fresh) });
      if (valid.length < fresh.length) aim += AIM;
      found.push(...valid);
    }
    const least = found.length < count ? best : Math.min(...found.map((z) => lossOf(run, row, z, settings)));
    still = found.length >= count && least >= best - 1e-9 ? still + 1 : 0;
    best = least;
    const smooth = thetas.map((_, i) => {
      const slope = new Float64Array(relaxed.size);
      if (pulls[i]!.margin >= aim) return slope;
      pulls[i]!.weights.forEach((w, o) => {
        relaxed.pull(rowOf(answer.slopes[o]!, i), -w, slope);
      });
      return scaled(slope, held(relaxed, thetas[i]!, slope));
    });
    repel(relaxed, thetas, settings.diversityWeight, smooth);
    step(relaxed, thetas, smooth, settings, settings.rate / (1 + t / 50));
  }
  if (found.length === 0)
    return { rows: [], why: `descent of ${settings.iterations} steps did not reach the target` };
  const losses = found.map((z) => lossOf(run, row, z, settings));
  const chosen = choose(run, found, losses, settings.diversityWeight, count).map((j) => found[j]!);
  return { rows: yield* sparsen(run, row, chosen, small, settings.posthoc) };
}

/** The first candidate starts at x, the others a little beside it. */
function starts(relaxed: Relaxed, row: Row, count: number): Float64Array[] {
  return Array.from({ length: count }, (_, i) => {
    const theta = new Float64Array(relaxed.size);
    if (i > 0) for (let p = 0; p < theta.length; p++) theta[p] = 0.02 * row.random.normal();
    relaxed.project(theta);
    return theta;
  });
}

/** 1 where descent would only push a parameter against its bound: it stays there, and others take over. */
function held(relaxed: Relaxed, theta: Float64Array, slope: Float64Array): Uint8Array {
  const moved = theta.map((v, p) => v - NUDGE * Math.sign(slope[p]!));
  relaxed.project(moved);
  return Uint8Array.from(moved, (v, p) => Number(slope[p] !== 0 && Math.abs(v - theta[p]!) < NUDGE / 2));
}

/** Largest slope among the free parameters 1; that of a held one NaN, which no step follows. */
function scaled(slope: Float64Array, hold: Uint8Array): Float64Array {
  const most = slope.reduce((top, s, p) => (hold[p] ? top : Math.max(top, Math.abs(s))), 0);
  return slope.map((s, p) => (hold[p] ? Number.NaN : most > 0 ? s / most : s));
}

/** Adds −weight · ∂det K/∂θ_i, K_ij = 1/(1 + d_ij), d the priced L1 distance per parameter. */
function repel(
  relaxed: Relaxed,
  thetas: readonly Float64Array[],
  weight: number,
  out: readonly Float64Array[],
): void {
  const n = thetas.length;
  if (n < 2 || weight === 0) return;
  const unit = 1 / relaxed.size;
  const kernel = Float64Array.from({ length: n * n }, (_, c) => {
    const [a, b] = [thetas[Math.floor(c / n)]!, thetas[c % n]!];
    return 1 / (1 + unit * a.reduce((sum, v, p) => sum + relaxed.price[p]! * Math.abs(v - b[p]!), 0));
  });
  const factor = kernel.map((v, c) => (c % (n + 1) === 0 ? v + 1e-4 : v));
  if (choleskyInPlace(factor, n) >= 0) return;
  let det = 1;
  for (let i = 0; i < n; i++) det *= factor[i * n + i]! ** 2;
  for (let i = 0; i < n; i++) {
    const column = new Float64Array(n);
    column[i] = 1;
    choleskySolve(factor, n, column);
    for (let j = 0; j < n; j++) {
      if (j === i) continue;
      const force = 2 * det * column[j]! * kernel[i * n + j]! ** 2 * unit * weight;
      thetas[i]!.forEach((v, p) => {
        out[i]![p]! += force * relaxed.price[p]! * Math.sign(v - thetas[j]![p]!);
      });
    }
  }
}

/** θ ← project(soft(θ − rate·slope, rate·proximityWeight·price/√features)), price scaled to at most 1. */
function step(
  relaxed: Relaxed,
  thetas: readonly Float64Array[],
  smooth: readonly Float64Array[],
  settings: Settings,
  rate: number,
): void {
  const most = relaxed.price.reduce((a, b) => Math.max(a, b), 1e-12);
  thetas.forEach((theta, i) => {
    for (let p = 0; p < theta.length; p++) {
      if (Number.isNaN(smooth[i]![p]!)) continue;
      const moved = theta[p]! - rate * smooth[i]![p]!;
      const threshold = (rate * settings.proximityWeight * relaxed.price[p]!) / most;
      theta[p] = Math.sign(moved) * Math.max(0, Math.abs(moved) - threshold);
    }
    relaxed.project(theta);
  });
}
