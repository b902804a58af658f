import type { Link } from "../types.ts";

/** σ(t) = 1 / (1 + e^−t), without overflow. */
export function sigmoid(t: number): number {
  if (t >= 0) return 1 / (1 + Math.exp(-t));
  const e = Math.exp(t);
  return e / (1 + e);
}

/** score = link(margin) for links of one margin; `softmax` has none and returns the margin. */
export function applyLink(link: Link, margin: number): number {
  if (link === "logistic") return sigmoid(margin);
  if (link === "exp") return Math.exp(margin);
  return margin;
}

/** The margin whose score is `score`; ±Infinity at the ends of the link's range. */
export function invertLink(link: Link, score: number): number {
  if (link === "logistic") {
    if (score <= 0) return Number.NEGATIVE_INFINITY;
    if (score >= 1) return Number.POSITIVE_INFINITY;
    return Math.log(score) - Math.log1p(-score);
  }
  if (link === "exp") return score <= 0 ? Number.NEGATIVE_INFINITY : Math.log(score);
  return score;
}
