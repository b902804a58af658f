import { ColaError, checkCount } from "../errors.ts";

/** How far from one the weights of a side may sum. */
const SUM_TOLERANCE = 1e-9;

/**
 * The weights of one side, checked, and divided by their sum where that is not one up to rounding (it is taken
 * in ascending order, so that it does not depend on the order of the rows); 1/size each where none are given.
 */
export function weightsOf(
  owner: string,
  name: string,
  weights: ArrayLike<number> | undefined,
  size: number,
): Float64Array {
  if (weights === undefined) return new Float64Array(size).fill(1 / size);
  checkCount(owner, name, weights.length, size, "rows");
  for (let i = 0; i < size; i++) {
    const w = weights[i]!;
    if (!(w >= 0 && w < Number.POSITIVE_INFINITY)) {
      throw new ColaError(
        "WEIGHTS_INVALID",
        `${owner}: ${name}[${i}] is ${w}; weights must be finite and not negative.`,
        { name, index: i, value: String(w) },
      );
    }
  }
  const sum = Float64Array.from(weights)
    .sort()
    .reduce((s, w) => s + w, 0);
  if (!(Math.abs(sum - 1) <= SUM_TOLERANCE)) {
    throw new ColaError(
      "WEIGHTS_INVALID",
      `${owner}: ${name} sums to ${sum}, but weights must sum to one (within ${SUM_TOLERANCE}); divide them by their sum.`,
      { name, sum },
    );
  }
  const divisor = Math.abs(sum - 1) <= size * Number.EPSILON ? 1 : sum;
  return Float64Array.from(weights, (w) => w / divisor);
}
