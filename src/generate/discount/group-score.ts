import { slackOf } from "../../model/slack.ts";
import { wantedOutputs } from "../../model/target.ts";
import { quantileSorted, sd, sorted } from "../../num/stats.ts";
import type { Run } from "../run.ts";

/** The one number per row whose distribution is to become the desired one. */
export interface GroupScore {
  /** y of row i from the scores of the target's outputs. */
  value(scores: readonly Float64Array[], i: number): number;
  /** ∂y/∂score by output. */
  weights(scores: readonly Float64Array[], i: number): readonly number[];
  /** The desired sample y*, of n values; undefined where no reference row is at the target. */
  readonly desired: Float64Array | undefined;
  /** What y lies between for sure. */
  readonly bounds: readonly [number, number] | undefined;
}

/**
 * y is the score itself for a class of two or a range (in units of its sd over the reference rows), and the
 * lead of the best wanted class over the best other between more classes. Desired is certainty for a class,
 * and for a range the scores of the reference rows that are in it, unless a sample is given.
 */
export async function groupScore(
  run: Run,
  n: number,
  given: readonly number[] | undefined,
): Promise<GroupScore> {
  const { reach } = run;
  const isClass = "class" in run.task.target;
  if (isClass && reach.conditions) {
    const sure = reach.conditions[0]!.sign > 0 ? 1 : 0;
    return { ...scaled(1), desired: sample(given ?? [sure], n), bounds: [0, 1] };
  }
  if (!reach.conditions) return { ...lead(run), desired: sample(given ?? [1], n), bounds: [-1, 1] };
  const references = run.constraints.complete(run.references);
  const { scores, failures } = await slackOf(run.scorer, references, run.reach);
  const known = Int32Array.from(scores[0]!, (_, j) => j).filter((j) => !failures.has(j));
  const unit = sd(known.map((j) => scores[0]![j]!) as ArrayLike<number>) || 1;
  const there = known.filter((j) => reach.reached(reach.slack(scores, j)));
  const wanted = given ?? Array.from(there, (j) => scores[0]![j]!);
  const desired = wanted.length > 0 ? sample(wanted, n).map((v) => v / unit) : undefined;
  return { ...scaled(unit), desired, bounds: undefined };
}

const scaled = (unit: number): Pick<GroupScore, "value" | "weights"> => ({
  value: (scores, i) => scores[0]![i]! / unit,
  weights: () => [1 / unit],
});

function lead({ reach }: Run): Pick<GroupScore, "value" | "weights"> {
  const wanted = wantedOutputs(reach.slack, reach.outputs.length);
  const best = (scores: readonly Float64Array[], i: number, want: boolean): number =>
    scores.reduce((top, s, o) => (wanted[o] === want && (top < 0 || s[i]! > scores[top]![i]!) ? o : top), -1);
  return {
    value: (scores, i) => reach.slack(scores, i),
    weights: (scores, i) => {
      const [a, b] = [best(scores, i, true), best(scores, i, false)];
      return scores.map((_, o) => (o === a ? 1 : o === b ? -1 : 0));
    },
  };
}

/** n values at even quantiles. */
function sample(values: readonly number[], n: number): Float64Array {
  const rising = sorted(values);
  return Float64Array.from({ length: n }, (_, i) => quantileSorted(rising, (i + 0.5) / n));
}
