import { weightsOf } from "../couple/weights.ts";
import { ColaError } from "../errors.ts";

/** Weights of the two samples of a divergence. */
export interface SampleWeights {
  /** Weights of a, summing to one. Default 1/n each. */
  readonly wa?: ArrayLike<number>;
  /** Weights of b, summing to one. Default 1/m each. */
  readonly wb?: ArrayLike<number>;
}

/** Throws unless `values` are one or more finite numbers. */
export function checkSample(owner: string, name: string, values: ArrayLike<number>): void {
  if (!(values?.length > 0)) {
    throw new ColaError("INPUT_EMPTY", `${owner}: ${name} has no values; give at least one.`, { name });
  }
  for (let i = 0; i < values.length; i++) {
    if (Number.isFinite(values[i])) continue;
    throw new ColaError(
      "INPUT_NOT_FINITE",
      `${owner}: ${name}[${i}] is ${values[i]}; scores and labels must be finite numbers.`,
      { name, index: i, value: String(values[i]) },
    );
  }
}

/** Checks both samples; their weights where any are given, else undefined: both are even. */
export function checkSamples(
  owner: string,
  a: ArrayLike<number>,
  b: ArrayLike<number>,
  { wa, wb }: SampleWeights,
): { readonly wa: Float64Array; readonly wb: Float64Array } | undefined {
  checkSample(owner, "a", a);
  checkSample(owner, "b", b);
  if (wa === undefined && wb === undefined) return undefined;
  return { wa: weightsOf(owner, "wa", wa, a.length), wb: weightsOf(owner, "wb", wb, b.length) };
}

/** Indices by rising value. */
export function risingOrder(values: ArrayLike<number>): Int32Array {
  return Int32Array.from({ length: values.length }, (_, i) => i).sort((i, j) => values[i]! - values[j]!);
}
