import type { Calibration, Condition, Reach } from "../types.ts";
import { valueAt } from "./calibrate.ts";

/** Probabilities this close to an edge are asked of the model. */
const NEAR = 1e-9;

/** A condition on a score: necessary for the target at `value`, enough for it at `sure`. */
export interface Edge extends Condition {
  readonly sure: number;
}

/** A target on the scale of a calibration as one on the score below it; undefined for one that is not made of half-lines. */
export function calibratedTarget(
  { conditions, outputs }: Reach,
  { model, table }: Calibration,
  minMargin: number,
): (Pick<Reach, "outputs" | "primary"> & { readonly conditions: readonly Edge[] }) | undefined {
  const primary = model.outputs.length - 1;
  const rises = table.at(-1)![1] >= table[0]![1];
  const edges = conditions?.map(({ output, sign, value }): Edge => {
    // The other of two outputs is the complement.
    const own = output === primary ? sign : -sign;
    const at = output === primary ? value + sign * minMargin : 1 - value - sign * minMargin;
    return {
      output: primary,
      sign: (rises ? own : -own) as 1 | -1,
      value: scoreAt(table, rises, own, at - own * NEAR),
      sure: scoreAt(table, rises, own, at + own * NEAR),
      strict: false,
    };
  });
  return edges && { outputs: outputs.map(() => primary), primary, conditions: edges };
}

/**
 * The score from which on (sign of `own` and `rises` alike) or up to which a probability is at or above (own 1), or at
 * or below, p; ±Infinity where all scores or none are. By bisection, as the calibration itself computes.
 */
function scoreAt(table: Calibration["table"], rises: boolean, own: number, p: number): number {
  const holds = (score: number): boolean => own * (valueAt(table, score) - p) >= 0;
  // Scores above the edge hold where `up`.
  const up = own > 0 === rises;
  const [first, last] = [table[0]![0], table.at(-1)![0]];
  const [low, high] = [holds(first), holds(last)];
  if (low && high) return up ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  if (!low && !high) return up ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  let [a, b] = [first, last];
  for (let t = 0; t < 100; t++) {
    const middle = a + (b - a) / 2;
    if (holds(middle) === low) a = middle;
    else b = middle;
  }
  return up ? b : a;
}
