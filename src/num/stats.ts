/** x̄ = Σ x_i / n; NaN for no values. */
export function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]!;
  return sum / values.length;
}

/** √(Σ (x_i − x̄)² / (n − ddof)); `ddof` 0 (default) is the population's, 1 the sample's. */
export function sd(values: ArrayLike<number>, ddof: 0 | 1 = 0): number {
  const centre = mean(values);
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += (values[i]! - centre) ** 2;
  return Math.sqrt(sum / (values.length - ddof));
}

/** A sorted copy. */
export function sorted(values: ArrayLike<number>): Float64Array {
  return Float64Array.from(values).sort();
}

/**
 * The q-quantile, q ∈ [0, 1], linear between order statistics: position q·(n − 1) (type 7 of Hyndman and
 * Fan 1996); NaN for no values.
 */
export function quantile(values: ArrayLike<number>, q: number): number {
  return quantileSorted(sorted(values), q);
}

/** `quantile` of values that are sorted already. */
export function quantileSorted(values: ArrayLike<number>, q: number): number {
  if (values.length === 0) return Number.NaN;
  const at = q * (values.length - 1);
  const low = Math.floor(at);
  const below = values[low]!;
  return low + 1 < values.length ? below + (at - low) * (values[low + 1]! - below) : below;
}

export function median(values: ArrayLike<number>): number {
  return quantile(values, 0.5);
}

/**
 * Area under the ROC curve: P(s⁺ > s⁻) + ½ P(s⁺ = s⁻) over pairs of a positive (label > 0) and a negative
 * row, by mid-ranks; NaN when one of the two is absent.
 */
export function rocAuc(labels: ArrayLike<number>, scores: ArrayLike<number>): number {
  const order = Int32Array.from({ length: scores.length }, (_, i) => i).sort(
    (a, b) => scores[a]! - scores[b]!,
  );
  let positives = 0;
  let rankSum = 0;
  for (let from = 0; from < order.length; ) {
    let to = from;
    while (to < order.length && scores[order[to]!] === scores[order[from]!]) to++;
    for (let t = from; t < to; t++) {
      if (labels[order[t]!]! <= 0) continue;
      positives++;
      rankSum += (from + to + 1) / 2;
    }
    from = to;
  }
  return (rankSum - (positives * (positives + 1)) / 2) / (positives * (order.length - positives));
}

const TWO_OVER_ROOT_PI = 2 / Math.sqrt(Math.PI);

/**
 * erf(x) = 2/√π ∫₀ˣ e^−t² dt to the last bits: for |x| < 2.5 the all-positive series
 * 2/√π e^−x² Σ_k 2^k x^(2k+1) / (2k+1)!!, beyond it Laplace's continued fraction of 1 − erf.
 */
export function erf(x: number): number {
  const t = Math.abs(x);
  if (t > 6) return Math.sign(x);
  const square = t * t;
  if (t < 2.5) {
    let term = t;
    let sum = t;
    for (let k = 1; term > sum * 1e-17; k++) {
      term *= (2 * square) / (2 * k + 1);
      sum += term;
    }
    return Math.sign(x) * TWO_OVER_ROOT_PI * Math.exp(-square) * sum;
  }
  let fraction = t;
  for (let k = 60; k > 0; k--) fraction = t + k / 2 / fraction;
  return Math.sign(x) * (1 - Math.exp(-square) / (Math.sqrt(Math.PI) * fraction));
}

/** Mean, population sd (1 for a constant column) and number of gaps of column k; gaps, NaN or in `codes`, are skipped. */
export function columnMoments(
  rows: { readonly data: Float64Array; readonly rows: number; readonly cols: number },
  k: number,
  codes: readonly number[] = [],
): { readonly mean: number; readonly sd: number; readonly gaps: number } {
  let count = 0;
  let average = 0;
  let squares = 0;
  for (let i = 0; i < rows.rows; i++) {
    const v = rows.data[i * rows.cols + k]!;
    if (Number.isNaN(v) || codes.includes(v)) continue;
    count++;
    const delta = v - average;
    average += delta / count;
    squares += delta * (v - average);
  }
  const spread = Math.sqrt(squares / Math.max(1, count));
  return { mean: average, sd: spread > 0 ? spread : 1, gaps: rows.rows - count };
}

/** Wilson (1927): the shares p with |p̂ − p| ≤ 1.96·√(p(1 − p)/n). */
export function wilson(holds: number, n: number): { readonly low: number; readonly high: number } {
  const z2 = 1.959963984540054 ** 2;
  const share = holds / n;
  const middle = (share + z2 / (2 * n)) / (1 + z2 / n);
  const half = (Math.sqrt(z2) / (1 + z2 / n)) * Math.sqrt((share * (1 - share)) / n + z2 / (4 * n * n));
  return { low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}
