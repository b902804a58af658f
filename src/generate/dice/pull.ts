import { wantedOutputs } from "../../model/target.ts";
import type { Answer } from "../ask.ts";
import type { Run } from "../run.ts";

/** How far past the edge a row is in units fit for descent, and which way each score pulls it. */
interface Pull {
  /** Negative before the edge. */
  readonly margin: number;
  /** ∂margin/∂score by output of the target. */
  readonly weights: readonly number[];
}

const LEAST = 1e-9;
const logit = (p: number): number => Math.log(p / (1 - p));
const inside = (p: number): number => Math.min(1 - LEAST, Math.max(LEAST, p));

/**
 * Probabilities of a class target are compared by their logits, where a saturated score still has a slope:
 * ±(logit s − logit threshold), or log s_in − log s_out between classes. Other scores are measured in units of
 * |slack of x|.
 */
export function pullOf(run: Run, unit: number): (answer: Answer, i: number) => Pull {
  const { reach } = run;
  const isClass = "class" in run.task.target;
  if (reach.conditions) {
    const { conditions } = reach;
    return ({ scores }, i) => {
      const s = scores[0]![i]!;
      const far = (c: (typeof conditions)[number]): number => c.sign * (s - c.value);
      const { sign, value } = conditions.reduce((a, b) => (far(b) < far(a) ? b : a));
      if (!isClass || s < 0 || s > 1 || value <= 0 || value >= 1) {
        return { margin: (sign * (s - value)) / unit, weights: [sign / unit] };
      }
      const p = inside(s);
      return { margin: sign * (logit(p) - logit(value)), weights: [sign / (p * (1 - p))] };
    };
  }
  const wanted = wantedOutputs(reach.slack, reach.outputs.length);
  return ({ scores }, i) =>
    contest(
      scores.map((s) => s[i]!),
      wanted,
      unit,
    );
}

/** The best wanted output against the best of the others. */
function contest(scores: readonly number[], wanted: readonly boolean[], unit: number): Pull {
  const best = (want: boolean): number =>
    scores.reduce((top, s, o) => (wanted[o] === want && (top < 0 || s > scores[top]!) ? o : top), -1);
  const [a, b] = [best(true), best(false)];
  const logs = scores.every((s) => s >= 0 && s <= 1);
  const value = (s: number): number => (logs ? Math.log(inside(s)) : s / unit);
  const slope = (s: number): number => (logs ? 1 / inside(s) : 1 / unit);
  return {
    margin: value(scores[a]!) - value(scores[b]!),
    weights: scores.map((s, o) => (o === a ? slope(s) : o === b ? -slope(s) : 0)),
  };
}
