import type { EncodedPair, Inside, Reach, Structure } from "../types.ts";
import { Brancher } from "./branch.ts";
import type { Edge } from "./kernels.ts";
import { optimisticOf } from "./optimistic.ts";
import { allowanceOf } from "./rounding.ts";
import { scoresInto } from "./scores.ts";

/** The inside of a model as far as a target needs it: the structures of these outputs, which have one link. */
export function insideBy(structures: readonly Structure[], outputs: readonly number[], reach: Reach): Inside {
  const { link } = structures[0]!;
  const slackOf = (margins: Float64Array[]): Float64Array => {
    scoresInto(link, margins);
    const scores = reach.outputs.map((o) => margins[outputs.indexOf(o)]!);
    return Float64Array.from(margins[0]!, (_, t) => reach.slack(scores, t));
  };
  const allowance: Inside["allowance"] = (pair) => allowanceOf(reach, structures, pair);
  const small: Inside["small"] = (pair, maxSize) =>
    slackOf(structures.map((s) => s.kernels.small(s, pair, maxSize)));
  const optimistic = optimisticOf(link, outputs, reach);
  return {
    structures,
    allowance,
    cube: (pair) => slackOf(structures.map((s) => marginCube(s, pair))),
    small,
    optimistic,
    edge: (pair, edge, tie) => edgeOf(allowance(pair)(edge), edge, tie),
    brancher: ({ pair, gaps, costs }, pause) =>
      new Brancher({
        alone: small(pair, 1).subarray(1),
        bounders: structures.map((s) => s.kernels.bounder(s, pair)),
        optimistic,
        gaps,
        costs,
        pause,
      }),
  };
}

function edgeOf(allowance: number, edge: number, tie: number): Edge {
  // Where sums may overflow a structure says nothing, not even with NaN.
  const blind = allowance === Number.POSITIVE_INFINITY;
  return {
    mayReach: (slack) => blind || slack >= edge - allowance,
    isReached: (slack) => slack >= edge + allowance,
    blur: 2 * Math.max(allowance, tie),
  };
}

/** Scores of all 2^k mixtures by the structure at a place among those whose margins make them. */
export function scoreCube(structures: readonly Structure[], at: number, pair: EncodedPair): Float64Array {
  const { link, kernels } = structures[at]!;
  const cube = link === "logistic" && kernels.logisticCube?.(structures[at]!, pair);
  if (cube) return cube;
  const margins = structures.map((s) => marginCube(s, pair));
  scoresInto(link, margins);
  return margins[at]!;
}

/** Margins of all 2^k mixtures. */
export function marginCube(structure: Structure, pair: EncodedPair): Float64Array {
  const out = new Float64Array(2 ** pair.columns.length);
  structure.kernels.cubeInto(structure, pair, out);
  return out;
}
