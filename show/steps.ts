import type { ExplainedRow } from "../src/explanation.ts";

/** One bar of a waterfall: to = from + phi. */
export interface Step {
  /** Positions in the schema: one feature, or all that are summed in this bar. */
  readonly features: readonly number[];
  readonly phi: number;
  readonly from: number;
  readonly to: number;
}

/** base + Σ phi = end: from the references' score to the row's own. */
export interface Waterfall {
  readonly base: number;
  readonly end: number;
  /** `margin` when φ was computed before the model's link, so that `end` is not the row's score. */
  readonly space: "score" | "margin";
  readonly steps: readonly Step[];
}

/**
 * f(x) = base + Σ_k φ_k as a chain of bars, largest |φ| first, ties in schema order. At most `most` bars: the
 * features that do not fit are one last bar with their sum. Features with φ = 0 have none. Undefined where φ is
 * not known.
 */
export function waterfallSteps(
  row: Pick<ExplainedRow, "attributions" | "base" | "before">,
  most = 9,
): Waterfall | undefined {
  const { attributions, base, before } = row;
  if (base === null || attributions.every((phi) => phi === 0)) return undefined;
  const order = attributions
    .map((_, k) => k)
    .filter((k) => attributions[k] !== 0)
    .sort((a, b) => Math.abs(attributions[b]!) - Math.abs(attributions[a]!) || a - b);
  const alone = order.length <= most ? order.length : most - 1;
  const bars = order.slice(0, alone).map((k) => [k]);
  if (alone < order.length) bars.push(order.slice(alone));
  let at = base;
  const steps = bars.map((features) => {
    const phi = features.reduce((sum, k) => sum + attributions[k]!, 0);
    const from = at;
    at = from + phi;
    return { features, phi, from, to: at };
  });
  const apart = before === null ? 0 : Math.abs(at - before);
  const close = 1e-6 * Math.max(1, Math.abs(at));
  return { base, end: at, space: apart <= close ? "score" : "margin", steps };
}
