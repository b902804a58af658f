/** The best split of a node: codes ≤ left go left, codes ≥ right go right, missing cells by `missingLeft`. */
export interface Split {
  /** Gain of the criterion: score(left) + score(right) − score(node). */
  gain: number;
  feature: number;
  left: number;
  right: number;
  missingLeft: boolean;
}

/** What a split must leave on both sides and how a side is scored. */
export interface ScanRules {
  /**
   * `squared`: G²/(H + λ) with G softened by α (variance, binary Gini and second-order gain); `gini` and
   * `entropy`: H·(1 − impurity) of class weights.
   */
  readonly criterion: "squared" | "gini" | "entropy";
  readonly lambda: number;
  readonly alpha: number;
  /** Least H (weight, or second-order weight) of a side. */
  readonly minWeight: number;
  /** Least rows of a side. */
  readonly minRows: number;
  /** A split must gain more than this. */
  readonly minGain: number;
}

/**
 * One column at one node: `size` codes present, ascending, and for each `stride` sums (scalar targets: G,
 * H; class targets: the weight of each class; then the number of rows where `counted`). When cells are
 * missing, theirs is the last code, `missing`.
 */
export interface ColumnSums {
  readonly codes: Int32Array;
  readonly sums: Float64Array;
  size: number;
  missing: number;
}

export function noSplit(rules: ScanRules): Split {
  return { gain: rules.minGain, feature: -1, left: 0, right: 0, missingLeft: false };
}

/** Ties go to the lower column, then to the lower threshold, then to missing on the right. */
function improves(best: Split, gain: number, feature: number): boolean {
  return gain > best.gain || (gain === best.gain && best.feature >= 0 && feature < best.feature);
}

/** G²/(H + λ), G softened by α: twice the loss a leaf of these sums takes away. */
function squaredScore(g: number, h: number, lambda: number, alpha: number): number {
  const t = alpha === 0 ? g : soften(g, alpha);
  return (t * t) / (h + lambda);
}

/** sign(g)·max(|g| − α, 0). */
export function soften(g: number, alpha: number): number {
  return g > alpha ? g - alpha : g < -alpha ? g + alpha : 0;
}

/**
 * Tries every threshold of one column, missing cells right and left, and keeps what beats `best`. Totals
 * g, h, n are the node's. One loop with everything in locals: this is the innermost kernel of training.
 */
export function scanScalar(
  best: Split,
  feature: number,
  column: ColumnSums,
  g: number,
  h: number,
  n: number,
  rules: ScanRules,
): void {
  const { codes, sums, size, missing } = column;
  const { lambda, alpha, minWeight, minRows } = rules;
  const counted = minRows > 1;
  const stride = counted ? 3 : 2;
  const seen = size > 0 && codes[size - 1] === missing;
  const at = stride * (size - 1);
  const gm = seen ? sums[at]! : 0;
  const hm = seen ? sums[at + 1]! : 0;
  const nm = seen && counted ? sums[at + 2]! : 0;
  const node = squaredScore(g, h, lambda, alpha);
  let gl = 0;
  let hl = 0;
  let nl = 0;
  let top = Number.NEGATIVE_INFINITY;
  let where = -1;
  let missingLeft = false;
  for (let b = 0; b < size - 1; b++) {
    gl += sums[stride * b]!;
    hl += sums[stride * b + 1]!;
    if (counted) nl += sums[stride * b + 2]!;
    if (hl >= minWeight && h - hl >= minWeight && (!counted || (nl >= minRows && n - nl >= minRows))) {
      const score = squaredScore(gl, hl, lambda, alpha) + squaredScore(g - gl, h - hl, lambda, alpha);
      if (score > top) {
        top = score;
        where = b;
        missingLeft = seen ? false : hl + hl >= h;
      }
    }
    if (!seen || b === size - 2) continue;
    const ha = hl + hm;
    const na = nl + nm;
    if (ha < minWeight || h - ha < minWeight || (counted && (na < minRows || n - na < minRows))) continue;
    const ga = gl + gm;
    const score = squaredScore(ga, ha, lambda, alpha) + squaredScore(g - ga, h - ha, lambda, alpha);
    if (score > top) {
      top = score;
      where = b;
      missingLeft = true;
    }
  }
  if (where < 0 || !improves(best, top - node, feature)) return;
  keep(best, top - node, feature, codes[where]!, codes[where + 1]!, missingLeft);
}

function keep(
  best: Split,
  gain: number,
  feature: number,
  left: number,
  right: number,
  missingLeft: boolean,
): void {
  best.gain = gain;
  best.feature = feature;
  best.left = left;
  best.right = right;
  best.missingLeft = missingLeft;
}

/** Σ_c w_c²/W or Σ_c w_c ln w_c − W ln W: W·(1 − impurity) up to a constant factor of W. */
function classScore(weights: Float64Array, total: number, entropy: boolean): number {
  let sum = 0;
  if (entropy) {
    for (let c = 0; c < weights.length; c++) if (weights[c]! > 0) sum += weights[c]! * Math.log(weights[c]!);
    return total > 0 ? sum - total * Math.log(total) : 0;
  }
  for (let c = 0; c < weights.length; c++) sum += weights[c]! * weights[c]!;
  return sum / total;
}

/** The same for class weights: `totals` are the node's weights of the classes, h their sum. */
export function scanClasses(
  best: Split,
  feature: number,
  column: ColumnSums,
  totals: Float64Array,
  h: number,
  n: number,
  rules: ScanRules,
): void {
  const { codes, size, missing } = column;
  const entropy = rules.criterion === "entropy";
  const seen = size > 0 && codes[size - 1] === missing;
  const node = classScore(totals, h, entropy);
  const k = totals.length;
  const stride = rules.minRows > 1 ? k + 1 : k;
  const lost = column.sums.subarray(stride * (size - 1), stride * size);
  const left = new Float64Array(stride);
  const side = new Float64Array(k);
  const tryHere = (b: number, missingLeft: boolean): void => {
    let hl = 0;
    for (let c = 0; c < k; c++) {
      side[c] = missingLeft ? left[c]! + lost[c]! : left[c]!;
      hl += side[c]!;
    }
    const nl = stride > k ? left[k]! + (missingLeft ? lost[k]! : 0) : rules.minRows;
    const nr = stride > k ? n - nl : rules.minRows;
    if (hl < rules.minWeight || h - hl < rules.minWeight || nl < rules.minRows || nr < rules.minRows) return;
    const below = classScore(side, hl, entropy);
    for (let c = 0; c < k; c++) side[c] = totals[c]! - side[c]!;
    const gain = below + classScore(side, h - hl, entropy) - node;
    if (!improves(best, gain, feature)) return;
    keep(best, gain, feature, codes[b]!, codes[b + 1]!, seen ? missingLeft : hl + hl >= h);
  };
  for (let b = 0; b < size - 1; b++) {
    for (let c = 0; c < stride; c++) left[c]! += column.sums[b * stride + c]!;
    tryHere(b, false);
    if (seen && b < size - 2) tryHere(b, true);
  }
}
