import type { CostRows } from "./problem.ts";

/**
 * For each row i the K columns with the smallest c_ij − v_j when it was last scanned, and `limit[i]`, below
 * which no column outside the list lay then (Infinity where the list holds all columns). While v only falls,
 * reduced costs only rise and the limit stays valid.
 */
export class ShortLists {
  readonly size: number;
  readonly cols: Int32Array;
  readonly costs: Float64Array;
  readonly limit: Float64Array;
  /** Rows read in full so far. */
  scans = 0;
  private readonly keys: Float64Array;

  /** Lists over the first n rows and the first `v.length` columns of `rows`. */
  constructor(
    private readonly rows: CostRows,
    n: number,
    private readonly v: Float64Array,
    size: number,
  ) {
    this.size = Math.min(size, v.length);
    this.cols = new Int32Array(n * this.size);
    this.costs = new Float64Array(n * this.size);
    this.limit = new Float64Array(n).fill(Number.NEGATIVE_INFINITY);
    this.keys = new Float64Array(this.size);
  }

  /** Reads row i in full and lists its K smallest reduced costs, ascending; of equal ones the first columns. */
  scan(i: number): void {
    const { rows, v, size, keys, cols, costs } = this;
    const at = rows.at(i);
    const data = rows.data;
    const m = v.length;
    const base = i * size;
    const last = size - 1;
    let worst = this.ceiling(i);
    keys.fill(worst);
    for (let j = 0; j < m; j++) {
      const w = data[at + j]! - v[j]!;
      if (w >= worst) continue;
      let t = last;
      while (t > 0 && keys[t - 1]! > w) {
        keys[t] = keys[t - 1]!;
        cols[base + t] = cols[base + t - 1]!;
        t--;
      }
      keys[t] = w;
      cols[base + t] = j;
      worst = keys[last]!;
    }
    for (let t = base; t < base + size; t++) costs[t] = data[at + cols[t]!]!;
    this.limit[i] = size === m ? Number.POSITIVE_INFINITY : worst;
    this.scans++;
  }

  /** A number just above the largest reduced cost on the list, which the K-th smallest cannot exceed. */
  private ceiling(i: number): number {
    const { v, size, cols, costs } = this;
    if (this.limit[i] === Number.NEGATIVE_INFINITY) return Number.POSITIVE_INFINITY;
    let high = Number.NEGATIVE_INFINITY;
    for (let t = i * size, end = t + size; t < end; t++) high = Math.max(high, costs[t]! - v[cols[t]!]!);
    return high + Math.abs(high) * Number.EPSILON + Number.MIN_VALUE;
  }
}
