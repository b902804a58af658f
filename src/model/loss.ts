import { sigmoid } from "./link.ts";

/** log(1 + eᵗ), without overflow. */
export function softplus(t: number): number {
  return Math.max(0, t) + Math.log1p(Math.exp(-Math.abs(t)));
}

/** log Σ_j e^(m_j), without overflow. */
export function logSumExp(margins: Float64Array): number {
  const top = margins.reduce((a, b) => Math.max(a, b));
  let sum = 0;
  for (const m of margins) sum += Math.exp(m - top);
  return top + Math.log(sum);
}

/** out_k = e^(m_k) / Σ_j e^(m_j), without overflow. */
export function softmaxInto(margins: Float64Array, out: Float64Array): void {
  const top = margins.reduce((a, b) => Math.max(a, b));
  let sum = 0;
  for (let k = 0; k < margins.length; k++) {
    out[k] = Math.exp(margins[k]! - top);
    sum += out[k]!;
  }
  for (let k = 0; k < margins.length; k++) out[k]! /= sum;
}

/** (s − y)² and its derivative by the margin, where s = σ(m) or m itself. */
export function squaredLoss(
  head: "logistic" | "identity",
  margin: number,
  y: number,
): { loss: number; slope: number } {
  const score = head === "logistic" ? sigmoid(margin) : margin;
  const gap = score - y;
  return { loss: gap * gap, slope: 2 * gap * (head === "logistic" ? score * (1 - score) : 1) };
}
