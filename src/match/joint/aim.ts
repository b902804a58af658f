import type { Work } from "../../budget.ts";
import { checkOption } from "../../errors.ts";
import { noDesired, scoreReach } from "../../model/target.ts";
import { ofMeanGap } from "../../num/divergence.ts";
import { mean } from "../../num/stats.ts";
import { structureOf } from "../../search/inside.ts";
import { type MixtureOptions, type Mixtures, mixtures, type Scored } from "../../search/mixtures.ts";
import type { EachGoal, Goal, Matrix, Model, Reach } from "../../types.ts";

/** A goal as a sum over rows: Σ_i effect_i is to be large, and every edit costs one. */
export interface Aim {
  /** Its slack is larger the better: past the target's edge for `each`, the score towards y* for `group`. */
  readonly mix: Mixtures;
  /** What the model says of x. */
  readonly start: Scored;
  /** What a row of this slack adds to the sum: 1 at the target (0 short of it), a label, or the score. */
  effect(slack: number): number;
  /** Effects are labels: they jump at an edge. */
  readonly jumps: boolean;
  /** No row adds more; Infinity where that is not known. */
  readonly ceiling: number;
  /** For `group`: the mean wanted, and how far from it the goal allows the mean to be. */
  readonly group?: { readonly mean: number; readonly allowed: number };
}

/** Asks the model about x, and about r for a group goal without y*. */
export async function aimOf(
  model: Model,
  x: Matrix,
  r: Matrix,
  goal: Goal,
  reach: Reach,
  options: MixtureOptions,
  work: Work,
): Promise<Aim> {
  const plain = mixtures(model, x.cols, reach, work, options);
  if (goal.kind === "each") return eachAim(plain, x, goal);
  const { divergence = "w1", on = "score", threshold = 0.5, level = 1 } = goal;
  const gaps = ofMeanGap(divergence, on);
  const rule = "mean (on labels also w1, transport or mmd)";
  checkOption(gaps !== undefined, "match.joint", "divergence", rule, divergence);
  const output = reach.primary;
  const scored = await plain.score(x);
  const value = (score: number): number =>
    on === "score" || Number.isNaN(score) ? score : Number(score > threshold);
  const desired = Float64Array.from(goal.desired ?? (await plain.score(r)).slack)
    .filter(Number.isFinite)
    .map(value)
    .sort();
  const before = scored.slack.filter(Number.isFinite).map(value).sort();
  if (desired.length === 0 || before.length === 0) {
    throw [...scored.failures.values()][0] ?? noDesired("match.joint");
  }
  const [from, to] = [mean(before), mean(desired)];
  const sign = to >= from ? 1 : -1;
  return {
    mix: sign > 0 ? plain : mixtures(model, x.cols, scoreReach(output, -1), work, options),
    start: sign > 0 ? scored : { ...scored, slack: scored.slack.map((s) => -s) },
    effect: (slack) => sign * value(sign * slack),
    jumps: on === "label",
    ceiling: ceilingOf(model, output, on, sign),
    group: { mean: sign * to, allowed: gaps!.allowed(1 - level, Math.abs(to - from)) },
  };
}

async function eachAim(mix: Mixtures, x: Matrix, { minMargin = 0 }: EachGoal): Promise<Aim> {
  return {
    mix,
    start: await mix.score(x),
    effect: (slack) => (Number.isNaN(slack) ? slack : Number(mix.reach.reached(slack, minMargin))),
    jumps: true,
    ceiling: 1,
  };
}

function ceilingOf(model: Model, output: number, on: "score" | "label", sign: 1 | -1): number {
  const link = structureOf(model, output)?.link;
  if (on === "score" && link !== "logistic" && link !== "softmax") return Number.POSITIVE_INFINITY;
  return sign > 0 ? 1 : 0;
}
