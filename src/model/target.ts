import { ColaError, checkKeys, checkName, checkOption } from "../errors.ts";
import { divergences } from "../num/divergence.ts";
import type { Condition, Goal, Model, Reach, Target } from "../types.ts";
import { outputIndex } from "./contract.ts";

/** Throws unless the goal is one of the two kinds and says nothing else. */
export function checkGoal(owner: string, goal: Goal): void {
  if (goal?.kind === "each") checkKeys(`${owner}: goal`, goal, ["kind", "target", "minMargin"]);
  else if (goal?.kind === "group") {
    const { divergence = "w1", on = "score", threshold = 0.5, level = 1 } = goal;
    checkKeys(`${owner}: goal`, goal, GROUP_KEYS);
    checkName(owner, "divergence", divergence, Object.keys(divergences));
    checkName(owner, "goal.on", on, ["score", "label"]);
    checkOption(Number.isFinite(threshold), owner, "goal.threshold", "a finite number", threshold);
    checkOption(level >= 0 && level <= 1, owner, "goal.level", "in [0, 1]", level);
  } else throw noGoal(owner, goal);
}

function noGoal(owner: string, goal: unknown): ColaError {
  const kind = (goal as { kind?: unknown } | undefined)?.kind;
  return new ColaError(
    "NAME_UNKNOWN",
    `${owner}: there is no goal ${JSON.stringify(kind) ?? "undefined"}; give { kind: "each", target } or { kind: "group" }.`,
    { kind: String(kind), known: ["each", "group"] },
  );
}

const GROUP_KEYS = ["kind", "divergence", "on", "threshold", "level", "desired", "output"];

/** Compiles a target (default: the default output above 0.5). */
export function reachOf(model: Model, target: Target): Reach {
  if (target === null || typeof target !== "object") {
    throw new ColaError(
      "TARGET_INVALID",
      `target: give { class }, { above }, { below } or { min, max }, not ${JSON.stringify(target) ?? "undefined"}.`,
      { target: String(target) },
    );
  }
  const byClass = "class" in target;
  checkKeys("target", target, byClass ? ["class", "not", "threshold"] : RANGE_KEYS);
  return byClass ? classReach(model, target) : rangeReach(model, target);
}

/** The target of `each`; the score itself of `group`, whose slack is the score. */
export function goalReach(model: Model, goal: Goal): Reach {
  return goal.kind === "each" ? reachOf(model, goal.target) : scoreReach(outputIndex(model, goal.output));
}

/** A score that is to rise (sign 1) or to fall, without an edge: every row the model can score is there. */
export function scoreReach(output: number, sign: 1 | -1 = 1): Reach {
  return {
    outputs: [output],
    primary: output,
    slack: (scores, i) => sign * scores[0]![i]!,
    reached: (slack) => !Number.isNaN(slack),
  };
}

/** Without scores to be like, a group has no goal. */
export function noDesired(owner: string): ColaError {
  return new ColaError("OPTION_INVALID", `${owner}: y* must hold finite scores, at least one.`);
}

const RANGE_KEYS = ["output", "above", "below", "min", "max"];

function classReach(model: Model, target: Extract<Target, { class: unknown }>): Reach {
  const { threshold = 0.5 } = target;
  checkOption(Number.isFinite(threshold), "target", "threshold", "a finite number", threshold);
  const named = Array.isArray(target.class) ? target.class : [target.class];
  if (model.outputs.length === 1)
    return singleOutputClass(named.length === 1 ? named[0] : named, Boolean(target.not), threshold);
  let wanted = new Set(named.map((name: string | number) => outputIndex(model, name)));
  if (target.not) wanted = new Set(model.outputs.map((_, o) => o).filter((o) => !wanted.has(o)));
  if (wanted.size === 0 || wanted.size === model.outputs.length) {
    throw new ColaError(
      "TARGET_INVALID",
      `target: the classes wanted are ${wanted.size === 0 ? "none" : "all"} of ${model.outputs.join(", ")}; name at least one and not all.`,
      { target },
    );
  }
  if (model.outputs.length === 2) {
    const output = [...wanted][0]!;
    return halfLines([{ output, sign: 1, value: threshold, strict: true }]);
  }
  // Three classes or more, W of them wanted: slack(x) = max_{c ∈ W} f_c(x) − max_{c ∉ W} f_c(x), the margin by which a
  // class wanted is predicted. It is above 0 exactly where the argmax lies in W; at 0 two classes tie, and the row is short.
  const outputs = model.outputs.map((_, o) => o);
  const names = named.map((name: string | number) => model.outputs[outputIndex(model, name)]!);
  return {
    outputs,
    primary: [...wanted][0]!,
    ...(wanted.size > 1 ? { contest: `${target.not ? "not " : ""}${names.join(" or ")}` } : {}),
    slack: (scores, i) => {
      let inside = Number.NEGATIVE_INFINITY;
      let outside = Number.NEGATIVE_INFINITY;
      for (const o of outputs) {
        const s = scores[o]![i]!;
        if (wanted.has(o)) inside = Math.max(inside, s);
        else outside = Math.max(outside, s);
      }
      return inside - outside;
    },
    reached: (slack, minMargin = 0) => slack > 0 && slack >= minMargin,
  };
}

/** Which of the outputs a contest wants: those whose score alone puts a row past the edge. */
export function wantedOutputs(slack: Reach["slack"], outputs: number): boolean[] {
  const alone = (o: number) => Array.from({ length: outputs }, (_, t) => Float64Array.of(t === o ? 1 : 0));
  return Array.from({ length: outputs }, (_, o) => slack(alone(o), 0) > 0);
}

/** The score a target is about, for each row, of the scores `slack` takes. */
export function shownScores(reach: Reach, scores: readonly Float64Array[]): Float64Array {
  const main = scores[reach.outputs.indexOf(reach.primary)]!;
  return reach.contest === undefined ? main : main.map((_, i) => reach.slack(scores, i));
}

/** A single score is read as the probability of class 1. */
function singleOutputClass(wanted: unknown, not: boolean, value: number): Reach {
  const one = wanted === 1 || wanted === "1" || wanted === "score";
  const zero = wanted === 0 || wanted === "0";
  if (!one && !zero) {
    throw new ColaError(
      "TARGET_INVALID",
      `target: the model has one output, so its class can be 0 or 1, not ${JSON.stringify(wanted)}; give { above } or { below } for other edges.`,
      { class: wanted },
    );
  }
  return halfLines([{ output: 0, sign: one !== not ? 1 : -1, value, strict: true }]);
}

function rangeReach(model: Model, target: Exclude<Target, { class: unknown }>): Reach {
  const output = outputIndex(model, target.output);
  const { above, below, min, max } = target;
  const conditions: Condition[] = [];
  if (above !== undefined) conditions.push({ output, sign: 1, value: above, strict: true });
  if (min !== undefined) conditions.push({ output, sign: 1, value: min, strict: false });
  if (below !== undefined) conditions.push({ output, sign: -1, value: below, strict: true });
  if (max !== undefined) conditions.push({ output, sign: -1, value: max, strict: false });
  const low = Math.max(above ?? Number.NEGATIVE_INFINITY, min ?? Number.NEGATIVE_INFINITY);
  const high = Math.min(below ?? Number.POSITIVE_INFINITY, max ?? Number.POSITIVE_INFINITY);
  if (
    conditions.some((c) => !Number.isFinite(c.value)) ||
    low > high ||
    (low === high && (above === low || below === low))
  ) {
    throw new ColaError(
      "TARGET_INVALID",
      `target: no score lies in the range from ${low} to ${high}; write finite numbers, the smaller one first.`,
      { target },
    );
  }
  if (conditions.length === 0) conditions.push({ output, sign: 1, value: 0.5, strict: true });
  return halfLines(conditions);
}

/** Slack on a strict edge: the edge itself is not yet the target. */
const JUST_SHORT = -Number.MIN_VALUE;

function halfLines(conditions: readonly Condition[]): Reach {
  const { output } = conditions[0]!;
  return {
    outputs: [output],
    primary: output,
    conditions,
    slack: (scores, i) => {
      let least = Number.POSITIVE_INFINITY;
      for (const c of conditions) {
        const past = c.sign * (scores[0]![i]! - c.value);
        least = Math.min(least, past === 0 ? (c.strict ? JUST_SHORT : 0) : past);
      }
      return least;
    },
    reached: (slack, minMargin = 0) => slack >= 0 && slack >= minMargin,
  };
}
