import { dot } from "../num/linalg.ts";
import { type Random, rowKeys, stream } from "../num/random.ts";
import type { Access } from "./enumerate.ts";
import { type Game, hybridOf } from "./games.ts";
import { hybridBatch } from "./hybrids.ts";
import { nearestLegal } from "./legal.ts";
import { has } from "./masks.ts";
import type { Pace } from "./pace.ts";
import { MOST_PAIRS, type Quadrature, quadratureOf } from "./quadrature.ts";

interface SampleOptions {
  /** A game stops when twice the norm of its standard errors is at most this share of the norm of φ. */
  readonly tolerance: number;
  /** Hybrids scored per game at most. */
  readonly maxEvaluations: number;
  readonly seed: number;
}

/** Mask pairs of the first level; every level doubles them. */
const FIRST_LEVEL = 32;
/** Games of equal size sampled side by side. */
const SIDE_BY_SIDE = 256;

/** One game while it is sampled. */
interface Sampling {
  readonly game: Game;
  readonly random: Random;
  /** Player of the game at each position of the masks. */
  readonly order: Int32Array;
  readonly y: Float64Array;
  /** Scores of the pairs: S at 2n, Sᶜ at 2n + 1. */
  readonly scores: Float64Array;
  /** φ and its standard errors by position. */
  readonly phi: Float64Array;
  readonly sigma: Float64Array;
  /** φ one level before. */
  readonly last: Float64Array;
  done: boolean;
}

/**
 * φ estimated by Bayesian quadrature (see quadrature.ts) from paired hybrids without repetition, level by
 * level with twice the pairs, only for the games that have not reached the tolerance. The standard error of
 * a player is the posterior one, or half of what the last doubling changed, whichever is larger: games of
 * high order, which the prior does not expect, show by the latter. A game's permutation of the masks comes
 * from the seed and its content, so neither batches nor other games change it.
 */
export async function sampled(
  games: readonly Game[],
  access: Access,
  options: SampleOptions,
  pace: Pace,
): Promise<void> {
  for (const k of new Set(games.map((game) => game.players.length))) {
    const same = games.filter((game) => game.players.length === k);
    for (let from = 0; from < same.length; from += SIDE_BY_SIDE) {
      await sampleBlock(k, same.slice(from, from + SIDE_BY_SIDE), access, options, pace);
    }
  }
}

async function sampleBlock(
  k: number,
  games: readonly Game[],
  access: Access,
  options: SampleOptions,
  pace: Pace,
): Promise<void> {
  const quadrature = quadratureOf(k);
  const affordable = Math.floor((options.maxEvaluations - 2) / 2);
  const most = Math.min(affordable, MOST_PAIRS, 2 ** (k - 1) - 1);
  const block = games.map((game) => begin(game, most, options.seed));
  await settleEnds(block, access);
  let before = 0;
  for (const level of levels(most)) {
    await quadrature.extend(level + 1, pace);
    const open = block.filter((sampling) => !sampling.done);
    await scoreLevel(open, quadrature, before, level, access);
    const variances = quadrature.variances(level);
    for (const sampling of open) {
      observe(sampling, quadrature, before, level);
      judge(sampling, variances, before, level, options.tolerance);
      if (pace.due()) await pace.pause();
    }
    before = level;
  }
  for (const sampling of block) deliver(sampling);
}

function* levels(most: number): Generator<number> {
  for (let level = FIRST_LEVEL; level < most; level *= 2) yield level;
  yield most;
}

function begin(game: Game, most: number, seed: number): Sampling {
  const k = game.players.length;
  const content = Float64Array.of(...game.x, ...game.r);
  const [key] = rowKeys({ data: content, rows: 1, cols: content.length });
  const random = stream(seed, "attribute", key!);
  return {
    game,
    random,
    order: random.permutation(k),
    y: new Float64Array(most + 1),
    scores: new Float64Array(2 * most + 2),
    phi: new Float64Array(k),
    sigma: new Float64Array(k),
    last: new Float64Array(k),
    done: false,
  };
}

/** v(∅) and v(all) as the first pair; an illegal reference is the mean of the rows it stands for. */
async function settleEnds(block: readonly Sampling[], access: Access): Promise<void> {
  const { ask, capacity, groups, legal } = access;
  const batch = hybridBatch(ask, block[0]!.game.from.length, capacity, false);
  const ends: Float64Array[] = [];
  for (const { game, random } of legal ? block : []) {
    const all = new Uint8Array(game.players.length).fill(1);
    const sets = nearestLegal(game, all, groups, legal!, random.split("end"));
    const scores = new Float64Array(sets.length).fill(game.end);
    for (const [t, set] of sets.entries()) {
      if (set !== all) await batch.add(hybridOf(game, set), 0, 1, scores, t);
    }
    ends.push(scores);
  }
  await batch.flush();
  for (const [t, { game, scores }] of block.entries()) {
    if (legal) game.end = ends[t]!.reduce((sum, v) => sum + v, 0) / ends[t]!.length;
    scores[0] = game.start;
    scores[1] = game.end;
  }
}

async function scoreLevel(
  open: readonly Sampling[],
  quadrature: Quadrature,
  before: number,
  level: number,
  { ask, capacity, groups, legal }: Access,
): Promise<void> {
  if (open.length === 0) return;
  const batch = hybridBatch(ask, open[0]!.game.from.length, capacity, false);
  for (const { game, order, scores, random } of open) {
    for (let n = before + 1; n <= level; n++) {
      const mask = quadrature.masks[n]!;
      for (const side of [0, 1]) {
        let edited: Uint8Array = new Uint8Array(order.length);
        for (let t = 0; t < order.length; t++) if (has(mask, t) === (side === 1)) edited[order[t]!] = 1;
        if (legal) {
          const draw = random.split("legal", n, side);
          const sets = nearestLegal(game, edited, groups, legal, draw);
          edited = sets[draw.int(sets.length)]!;
        }
        await batch.add(hybridOf(game, edited), 0, 1, scores, 2 * n + side);
      }
    }
  }
  await batch.flush();
}

/** Takes the observations after `before` up to `level` in (the full set with the first ones). */
function observe(sampling: Sampling, quadrature: Quadrature, before: number, level: number): void {
  const { phi, y, scores } = sampling;
  sampling.last.set(phi);
  for (let n = before === 0 ? 0 : before + 1; n <= level; n++) {
    const value = quadrature.whiten(n, (scores[2 * n]! - scores[2 * n + 1]!) / 2, y);
    const weights = quadrature.weights[n]!;
    y[n] = value;
    for (let t = 0; t < phi.length; t++) phi[t]! += weights[t]! * value;
  }
}

function judge(
  sampling: Sampling,
  variances: Float64Array,
  before: number,
  level: number,
  tolerance: number,
): void {
  const { phi, last, sigma, y } = sampling;
  const later = y.subarray((level >> 1) + 1, level + 1);
  const scale = norm(later) ** 2 / later.length;
  for (let t = 0; t < phi.length; t++) {
    const change = before === 0 ? 0 : Math.abs(phi[t]! - last[t]!) / 2;
    sigma[t] = Math.max(Math.sqrt(scale * variances[t]!), change);
  }
  sampling.done = before > 0 && 2 * norm(sigma) <= tolerance * norm(phi);
}

function deliver({ game, order, phi, sigma }: Sampling): void {
  game.sigma = new Float64Array(phi.length);
  for (let t = 0; t < phi.length; t++) {
    game.phi[order[t]!] = phi[t]!;
    game.sigma[order[t]!] = sigma[t]!;
  }
}

function norm(values: Float64Array): number {
  return Math.sqrt(dot(values, 0, values, 0, values.length));
}
