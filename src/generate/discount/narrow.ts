/** The interval η is taken from. */
interface Interval {
  readonly low: number;
  readonly high: number;
}

/**
 * Interval narrowing (DISCOUNT, algorithm 2): with a = U1 − upper limit of the input distance and
 * b = U2 − upper limit of the output distance, η is `low` when only the input limit is broken, `high` when
 * only the output limit is, else low + share·(high − low), the share being b/(a + b) when both are broken and
 * a/(a + b) when both hold. Then the end of the interval away from η comes nearer by κ. A limit that is not
 * finite gives η = `low` (output) or `high` (input) and leaves the interval.
 */
export function narrow(
  { low, high }: Interval,
  a: number,
  b: number,
  kappa: number,
): { eta: number; next: Interval } {
  const span = high - low;
  if (!Number.isFinite(b)) return { eta: low, next: { low, high } };
  if (!Number.isFinite(a)) return { eta: high, next: { low, high } };
  const both = a < 0 === b < 0;
  const share = a + b === 0 ? 0.5 : (a < 0 ? b : a) / (a + b);
  const eta = both ? low + share * span : a < 0 ? low : high;
  const next =
    eta > (low + high) / 2 ? { low: low + kappa * span, high } : { low, high: high - kappa * span };
  return { eta, next };
}
