import { linearGains, linearMargin, marginCube, scoresInto, structureOf } from "../search/inside.ts";
import type { LinearStructure, Model, Structure } from "../types.ts";
import type { Game } from "./games.ts";
import { type Legal, legalSets, settleIllegal } from "./legal.ts";
import { shapleyInto } from "./shapley.ts";

/** The inside of a model as seen by one output. */
export interface Insight {
  readonly structure: Structure;
  /** Structures whose margins make the score: one, or those of all outputs for softmax. */
  readonly all: readonly Structure[];
  /** Place of `structure` in `all`. */
  readonly at: number;
}

export function insightOf(model: Model, output: number): Insight | undefined {
  const structure = structureOf(model, output);
  if (!structure) return undefined;
  if (structure.link !== "softmax") return { structure, all: [structure], at: 0 };
  const all = model.outputs.flatMap((_, o) => structureOf(model, o) ?? []);
  return all.length === model.outputs.length ? { structure, all, at: output } : undefined;
}

/** φ of the margin in closed form: −w_k (r_k − x_k) for linear models, the pair walk for trees. */
export function closedForm(game: Game, { structure }: Insight): void {
  if (structure.kind === "trees") structure.kernels.shapInto(structure, game, game.phi);
  else game.phi.set(linearGains(structure, game).map((gain) => 0 - gain));
}

/** φ from the margins of all 2^k hybrids, read off the structure, as scores where `score` is set. */
export function fromCube(
  game: Game,
  insight: Insight,
  score: boolean,
  groups: readonly (readonly number[])[],
  legal: Legal | undefined,
): void {
  const cube = score ? scoreCube(game, insight) : marginCube(insight.structure, game);
  if (legal) {
    const flags = legalSets(game, groups, legal);
    settleIllegal(cube, flags);
    if (!flags[cube.length - 1]) game.end = cube[cube.length - 1]!;
  }
  shapleyInto(cube, game.players.length, game.phi);
}

function scoreCube(game: Game, { structure, all, at }: Insight): Float64Array {
  if (structure.kind === "linear" && structure.link === "logistic") {
    const cube = logisticCube(game, structure);
    if (cube) return cube;
  }
  const margins = all.map((s) => marginCube(s, game));
  scoresInto(structure.link, margins);
  return margins[at]!;
}

/** Holds the cube of the game at hand. */
let scratch = new Float64Array(2 ** 10);

/**
 * σ(margin) = 1/(1 + e^−margin) of all hybrids by products, e^−(a+b) = e^−a · e^−b, with k + 1 exponentials
 * instead of 2^k; undefined where a product could leave the range of numbers. Valid until the next call.
 */
function logisticCube(game: Game, structure: LinearStructure): Float64Array | undefined {
  const start = linearMargin(structure, game.from);
  const gains = linearGains(structure, game);
  if (gains.reduce((sum, gain) => sum + Math.abs(gain), Math.abs(start)) > 700) return undefined;
  const size = 2 ** gains.length;
  if (scratch.length < size) scratch = new Float64Array(size);
  const cube = scratch.subarray(0, size);
  cube[0] = Math.exp(-start);
  for (let u = 0; u < gains.length; u++) {
    const half = 1 << u;
    const factor = Math.exp(-gains[u]!);
    for (let set = 0; set < half; set++) cube[set + half] = cube[set]! * factor;
  }
  for (let set = 0; set < cube.length; set++) cube[set] = 1 / (1 + cube[set]!);
  return cube;
}
