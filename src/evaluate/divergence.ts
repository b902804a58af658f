import { ColaError } from "../errors.ts";
import { type DivergenceName, finiteDivergence, divergences as plain } from "../num/divergence.ts";
import { meanDifference } from "./mean-difference.ts";
import { medianDifference } from "./median-difference.ts";
import { type MmdOptions, mmd } from "./mmd.ts";
import { w1 } from "./w1.ts";
import { w2 } from "./w2.ts";

export type { DivergenceName };

/** Weights of both samples, and for `mmd` its γ and bias. */
export type DivergenceOptions = MmdOptions;

export interface Divergence {
  readonly summary: string;
  value(a: ArrayLike<number>, b: ArrayLike<number>, options?: DivergenceOptions): number;
}

/** Divergences of weighted samples, and what is said of them. */
const WEIGHTED: Readonly<Partial<Record<DivergenceName, Divergence>>> = {
  w1: { summary: "area between the distribution functions", value: w1 },
  transport: { summary: "squared 2-Wasserstein distance (the paper's OT)", value: w2 },
  mmd: { summary: "squared maximum mean discrepancy, Gaussian kernel", value: mmd },
  mean: { summary: "difference of the means", value: meanDifference },
  median: { summary: "difference of the medians", value: medianDifference },
};

/** D(a, b) between two samples of scores or labels, by name. */
export const divergences: Readonly<Record<DivergenceName, Divergence>> = /* @__PURE__ */ withWeights();

function withWeights(): Record<DivergenceName, Divergence> {
  const all = Object.entries(plain).map(([name, value]): [string, Divergence] => [
    name,
    WEIGHTED[name as DivergenceName] ?? { summary: name, value: (a, b) => value(a, b) },
  ]);
  return Object.fromEntries(all) as Record<DivergenceName, Divergence>;
}

/** D(a, b) ≥ 0 of the named divergence; 0 for equal samples. Sizes may differ. */
export function divergence(
  name: DivergenceName,
  a: ArrayLike<number>,
  b: ArrayLike<number>,
  options: DivergenceOptions = {},
): number {
  if (Object.hasOwn(divergences, name)) return finiteDivergence(name, divergences[name].value(a, b, options));
  const names = Object.keys(divergences);
  throw new ColaError(
    "NAME_UNKNOWN",
    `divergence: there is no ${JSON.stringify(name)}; choose one of ${names.join(", ")}.`,
    { name, names },
  );
}

/** Hard predictions: 1 where the score is above the threshold, else 0. */
export function labelsOf(scores: ArrayLike<number>, threshold = 0.5): Float64Array {
  return Float64Array.from(scores, (score) => Number(score > threshold));
}
