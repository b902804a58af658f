import type { Link, Reach } from "../types.ts";
import { applyLink } from "./link.ts";
import { softmaxInto } from "./loss.ts";
import { wantedOutputs } from "./target.ts";

/**
 * The largest slack of any row whose margins (one for each of `outputs`) lie in [low, high]. A score is increasing
 * in its own margin and, through softmax, decreasing in the others. The slack of a contest rises with the outputs
 * wanted and falls with the rest, which unit vectors tell apart.
 */
export function optimisticOf(
  link: Link,
  outputs: readonly number[],
  reach: Reach,
): (low: Float64Array, high: Float64Array) => number {
  const places = reach.outputs.map((o) => outputs.indexOf(o));
  const [row, scores] = [new Float64Array(outputs.length), new Float64Array(outputs.length)];
  const extreme = (at: number, up: boolean, low: Float64Array, high: Float64Array): number => {
    if (link !== "softmax") return applyLink(link, (up ? high : low)[at]!);
    row.set(up ? low : high);
    row[at] = (up ? high : low)[at]!;
    softmaxInto(row, scores);
    return scores[at]!;
  };
  const { conditions } = reach;
  if (conditions) {
    return (low, high) => {
      let least = Number.POSITIVE_INFINITY;
      for (const c of conditions) {
        const best = extreme(outputs.indexOf(c.output), c.sign > 0, low, high);
        least = Math.min(least, c.sign * (best - c.value));
      }
      return least;
    };
  }
  const at = reach.outputs.map(() => new Float64Array(1));
  const wanted = wantedOutputs(reach.slack, at.length);
  return (low, high) => {
    at.forEach((cell, t) => {
      cell[0] = extreme(places[t]!, wanted[t]!, low, high);
    });
    return reach.slack(at, 0);
  };
}
