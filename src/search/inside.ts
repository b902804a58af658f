import type { Reach } from "../model/target.ts";
import type { EncodedPair, Model, Structure } from "../types.ts";

/** One row x, one reference r, and the players that differ between them and may move. */
export interface Pair extends EncodedPair {
  readonly x: Float64Array;
  readonly r: Float64Array;
  /** Players, ascending. A mixture is a set of members: positions in this list. */
  readonly players: Int32Array;
}

/** Slack of mixtures from the structure of a linear or tree model. */
export interface Inside {
  /** Slack of all 2^k sets; bit b of the index: member b is edited. */
  cube(pair: Pair): Float64Array;
  /** Slack of the sets of at most `maxSize` ≤ 3 members, placed as trees/subsets.ts says. */
  small(pair: Pair, maxSize: number): Float64Array;
  /** One structure per margin, in the order `optimistic` takes them. */
  readonly structures: readonly Structure[];
  /**
   * How far the model's own slack of a mixture of this pair may be from the structure's, near a given slack
   * (model/rounding.ts). What is closer to an edge is asked of the model.
   */
  allowance(pair: Pair): (slack: number) => number;
  /** Largest slack of any row whose margins lie in [low, high]. */
  optimistic(low: Float64Array, high: Float64Array): number;
}

/** The structure of one output; undefined for black boxes, and structures without kernels are such. */
export function structureOf(model: Model, output: number): Structure | undefined {
  const structure = model.structure?.(output);
  return structure?.kernels ? structure : undefined;
}

/** The inside of a model as far as a target needs it; undefined for black boxes. */
export function insideOf(model: Model, reach: Reach): Inside | undefined {
  const link = structureOf(model, reach.primary)?.link;
  if (link === undefined) return undefined;
  const outputs = link === "softmax" ? model.outputs.map((_, o) => o) : reach.outputs;
  const structures = outputs.flatMap((o) => structureOf(model, o) ?? []);
  if (structures.length < outputs.length || structures.some((s) => s.link !== link)) return undefined;
  const { allowanceOf, optimisticOf, scoresInto } = structures[0]!.kernels;
  const slackOf = (margins: Float64Array[]): Float64Array => {
    scoresInto(link, margins);
    const scores = reach.outputs.map((o) => margins[outputs.indexOf(o)]!);
    return Float64Array.from(margins[0]!, (_, t) => reach.slack(scores, t));
  };
  return {
    structures,
    allowance: (pair) => allowanceOf(reach, structures, pair),
    cube: (pair) => slackOf(structures.map((s) => marginCube(s, pair))),
    small: (pair, maxSize) => slackOf(structures.map((s) => s.kernels.small(s, pair, maxSize))),
    optimistic: optimisticOf(link, outputs, reach),
  };
}

export function marginCube(structure: Structure, pair: EncodedPair): Float64Array {
  const out = new Float64Array(2 ** pair.columns.length);
  structure.kernels.cubeInto(structure, pair, out);
  return out;
}
