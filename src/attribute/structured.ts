import { structureOf } from "../search/inside.ts";
import type { Model, Structure } from "../types.ts";
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
  structure.kernels.shapInto(structure, game, game.phi);
}

/** φ from the margins of all 2^k hybrids, read off the structure, as scores where `score` is set. */
export function fromCube(
  game: Game,
  { structure, all, at }: Insight,
  score: boolean,
  groups: readonly (readonly number[])[],
  legal: Legal | undefined,
): void {
  const cube = score
    ? structure.kernels.scoreCube(all, at, game)
    : structure.kernels.marginCube(structure, game);
  if (legal) {
    const flags = legalSets(game, groups, legal);
    settleIllegal(cube, flags);
    if (!flags[cube.length - 1]) game.end = cube[cube.length - 1]!;
  }
  shapleyInto(cube, game.players.length, game.phi);
}
