import type { Work } from "../../budget.ts";
import type { Random } from "../../num/random.ts";
import { quantile, quantileSorted, sorted } from "../../num/stats.ts";
import { risingOrder, trimmedSorted } from "./transport.ts";

/** How often each of n values occurs in each of `count` resamples with replacement. */
export interface Resamples {
  readonly count: number;
  readonly left: readonly Uint16Array[];
  readonly right: readonly Uint16Array[];
}

export async function drawResamples(
  n: number,
  m: number,
  count: number,
  random: Random,
  work: Work,
): Promise<Resamples> {
  work.reserve(2 * count * (n + m), "bootstrap resamples");
  const draw = (size: number): Uint16Array => {
    const times = new Uint16Array(size);
    for (let i = 0; i < size; i++) times[random.int(size)]!++;
    return times;
  };
  const left: Uint16Array[] = [];
  const right: Uint16Array[] = [];
  for (let b = 0; b < count; b++) {
    left.push(draw(n));
    right.push(draw(m));
    if (work.due()) await work.pause(b, count);
  }
  return { count, left, right };
}

/**
 * Upper limit of W2 at level α by the basic bootstrap: √(ŵ − q_{α/2}(w* − ŵ)), w the trimmed W2², and never
 * below the distance √ŵ that was measured.
 */
export async function bootstrapUpper(
  a: Float64Array,
  b: Float64Array,
  trim: number,
  alpha: number,
  resamples: Resamples,
  work: Work,
): Promise<number> {
  const [rows, cols] = [risingOrder(a), risingOrder(b)];
  const measured = trimmedSorted(sorted(a), sorted(b), trim);
  const [left, right] = [new Float64Array(a.length), new Float64Array(b.length)];
  const gaps = new Float64Array(resamples.count);
  for (let t = 0; t < resamples.count; t++) {
    repeatInto(a, rows, resamples.left[t]!, left);
    repeatInto(b, cols, resamples.right[t]!, right);
    gaps[t] = trimmedSorted(left, right, trim) - measured;
    if (work.due()) await work.pause(t, resamples.count);
  }
  return Math.sqrt(Math.max(measured, measured - quantile(gaps, alpha / 2)));
}

/** The resample, sorted. */
function repeatInto(values: Float64Array, order: Int32Array, times: Uint16Array, out: Float64Array): void {
  let at = 0;
  for (const i of order) {
    for (let t = times[i]!; t > 0; t--) out[at++] = values[i]!;
  }
}

const LEVELS = 1000;

/**
 * Upper limit of the trimmed W2 at level α from the Dvoretzky–Kiefer–Wolfowitz band: each quantile function
 * lies between its sample's at u ± √(ln(4/α)/2n); the widest gap is integrated over [δ, 1 − δ]. Beyond the
 * sample a quantile is only known to lie within `bounds` (default: it is not known at all, and the limit is
 * infinite where the band is wider than the trimming).
 */
export function dkwUpper(
  a: Float64Array,
  b: Float64Array,
  trim: number,
  alpha: number,
  bounds: readonly [number, number] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY],
): number {
  const band = (values: Float64Array): ((u: number) => [number, number]) => {
    const rising = sorted(values);
    const width = Math.sqrt(Math.log(4 / alpha) / (2 * values.length));
    return (u) => [
      u - width < 0 ? bounds[0] : quantileSorted(rising, u - width),
      u + width > 1 ? bounds[1] : quantileSorted(rising, u + width),
    ];
  };
  const [left, right] = [band(a), band(b)];
  let sum = 0;
  for (let t = 0; t < LEVELS; t++) {
    const u = trim + (t * (1 - 2 * trim)) / (LEVELS - 1);
    const [[la, ua], [lb, ub]] = [left(u), right(u)];
    sum += Math.max(ua - lb, ub - la) ** 2;
  }
  return Math.sqrt(sum / LEVELS / (1 - 2 * trim));
}
