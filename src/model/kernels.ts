import type { ExactQuestion, ExactSearch } from "../exact/contract.ts";
import type { Bounder, EncodedPair, Matrix, Structure } from "../types.ts";
import type { brancher } from "./branch.ts";
import type { leastEdits } from "./linear-least.ts";
import type { optimisticOf } from "./optimistic.ts";
import type { allowanceOf } from "./rounding.ts";
import type { scoresInto } from "./scores.ts";

/** The exact algorithms over a structure; a mixture takes `to` for some players (edited) and `from` elsewhere. */
export interface Kernels {
  /** Plans of fewest edits and least change over all legal values; undefined where the target or the rules are beyond it. */
  exact?(question: ExactQuestion): ExactSearch | undefined;
  margins(of: Structure, rows: Matrix): Float64Array;
  /** Margins of all 2^k mixtures; bit b of the place: player b is edited. */
  cubeInto(of: Structure, pair: EncodedPair, out: Float64Array): void;
  /** Margins of the mixtures of at most `maxSize` ≤ 3 edits, placed as model/trees/subsets.ts says. */
  small(of: Structure, pair: EncodedPair, maxSize: number): Float64Array;
  /** φ of each player, margin(from) − margin(to) in all. */
  shapInto(of: Structure, pair: EncodedPair, out: Float64Array): void;
  bounder(of: Structure, pair: EncodedPair): Bounder;
  readonly brancher: typeof brancher;
  readonly allowanceOf: typeof allowanceOf;
  readonly optimisticOf: typeof optimisticOf;
  readonly scoresInto: typeof scoresInto;
  readonly leastEdits?: typeof leastEdits;
  /** Scores of all mixtures of a logistic model, where they are made without 2^k exponentials. Valid until the next call. */
  logisticCube?(of: Structure, pair: EncodedPair): Float64Array | undefined;
}
