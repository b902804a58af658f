/** Whole numbers behind the weights of both sides: Σ a = Σ b = total, all exact in a double. */
export interface Units {
  readonly a: Float64Array;
  readonly b: Float64Array;
  readonly total: number;
  /** True where units / total are the very weights; else they are the weights rounded to 2^-52. */
  readonly exact: boolean;
}

const LARGEST_DENOMINATOR = 2 ** 20;
const LARGEST_COMMON = 2 ** 26;
const GRAIN = 2 ** 52;

/**
 * a_i = A_i / total and b_j = B_j / total with whole A_i, B_j, so that flows are added and subtracted without
 * rounding. Uniform weights give total = lcm(n, m); other weights with a small common denominator are
 * recognised by continued fractions; the rest is rounded to multiples of 2^-52, by largest remainder, a
 * positive weight to at least one unit.
 */
export function unitsOf(a: Float64Array, b: Float64Array): Units {
  const left = fractions(a);
  const right = fractions(b);
  if (left !== undefined && right !== undefined) {
    const total = lcm(left.denominator, right.denominator);
    return {
      a: left.numerators.map((p) => p * (total / left.denominator)),
      b: right.numerators.map((p) => p * (total / right.denominator)),
      total,
      exact: true,
    };
  }
  return { a: rounded(a), b: rounded(b), total: GRAIN, exact: false };
}

interface Fractions {
  readonly numerators: Float64Array;
  readonly denominator: number;
}

/** Weights as whole numbers over one small denominator, if they are such. */
function fractions(weights: Float64Array): Fractions | undefined {
  const first = weights[0]!;
  if (weights.every((w) => w === first)) {
    return { numerators: new Float64Array(weights.length).fill(1), denominator: weights.length };
  }
  let common = 1;
  for (const w of weights) {
    const q = denominatorOf(w);
    if (q === undefined) return undefined;
    common = lcm(common, q);
    if (common > LARGEST_COMMON) return undefined;
  }
  const numerators = weights.map((w) => Math.round(w * common));
  const sum = numerators.reduce((s, p) => s + p, 0);
  return sum === common ? { numerators, denominator: common } : undefined;
}

/** Denominator of the simplest fraction within rounding of w ∈ [0, 1], by its continued fraction. */
function denominatorOf(w: number): number | undefined {
  let [q, before] = [1, 0];
  let rest = w - Math.floor(w);
  while (Math.abs(w - Math.round(w * q) / q) > 2 ** -51 * w) {
    const whole = Math.floor(1 / rest);
    rest = 1 / rest - whole;
    [q, before] = [whole * q + before, q];
    if (!(q <= LARGEST_DENOMINATOR)) return undefined;
  }
  return q;
}

function rounded(weights: Float64Array): Float64Array {
  const scaled = weights.map((w) => w * GRAIN);
  const units = scaled.map((s) => (s > 0 ? Math.max(1, Math.floor(s)) : 0));
  let missing = GRAIN - units.reduce((s, p) => s + p, 0);
  const step = Math.sign(missing);
  const key = step > 0 ? (i: number) => scaled[i]! - units[i]! : (i: number) => units[i]!;
  const order = Int32Array.from(units, (_, i) => i).sort((i, k) => key(k) - key(i) || i - k);
  for (let t = 0; missing !== 0; t = (t + 1) % order.length) {
    if (units[order[t]!]! < (step > 0 ? 1 : 2)) continue;
    units[order[t]!]! += step;
    missing -= step;
  }
  return units;
}

/** Least common multiple of whole numbers above 0. */
export function lcm(p: number, q: number): number {
  let [a, b] = [p, q];
  while (b !== 0) [a, b] = [b, a % b];
  return (p / a) * q;
}
