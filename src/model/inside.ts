import type { EncodedPair, Structure } from "../types.ts";
import { Brancher, type Branching } from "./branch.ts";
import { optimisticOf } from "./optimistic.ts";
import { allowanceOf } from "./rounding.ts";
import { scoresInto } from "./scores.ts";
import type { Reach } from "./target.ts";

/** Slack of mixtures from the structure of a linear or tree model. */
export interface Inside {
  /** Slack of all 2^k sets; bit b of the index: member b is edited. */
  cube(pair: EncodedPair): Float64Array;
  /** Slack of the sets of at most `maxSize` ≤ 3 members, placed as trees/subsets.ts says. */
  small(pair: EncodedPair, maxSize: number): Float64Array;
  /** One structure per margin, in the order `optimistic` takes them. */
  readonly structures: readonly Structure[];
  /**
   * How far the model's own slack of a mixture of this pair may be from the structure's, near a given slack
   * (model/rounding.ts). What is closer to an edge is asked of the model.
   */
  allowance(pair: EncodedPair): (slack: number) => number;
  /** Largest slack of any row whose margins lie in [low, high]. */
  optimistic(low: Float64Array, high: Float64Array): number;
  /** The target as the structures see it, whose slack must be at least `edge`; slacks closer than `tie` are equal. */
  edge(pair: EncodedPair, edge: number, tie: number): Edge;
  /** Branch and bound over the sets of members of one pair. */
  brancher(members: Members, pause: Branching["pause"]): Brancher;
}

/** A pair with what its members add to d² and to the cost. */
export interface Members extends Pick<Branching, "gaps" | "costs"> {
  readonly pair: EncodedPair;
}

/** The target as a pair's structure sees it, but for rounding. */
export interface Edge {
  /** May a set with this slack, as the structure says, reach the target? */
  mayReach(slack: number): boolean;
  /** Is it sure to? */
  isReached(slack: number): boolean;
  /** Slacks closer than this cannot be told apart. */
  readonly blur: number;
}

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
