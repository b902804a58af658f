import type { CostRows } from "./problem.ts";
import type { Reader } from "./reader.ts";

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
  readonly reader: Reader;
  private readonly keys: Float64Array;

  /** Lists over the first n rows and the first `v.length` columns of `rows`. */
  constructor(
    rows: CostRows,
    n: number,
    private readonly v: Float64Array,
    size: number,
  ) {
    this.size = Math.min(size, v.length);
    this.cols = new Int32Array(n * this.size);
    this.costs = new Float64Array(n * this.size).fill(Number.POSITIVE_INFINITY);
    this.limit = new Float64Array(n).fill(Number.NEGATIVE_INFINITY);
    this.reader = rows.under(v);
    this.keys = new Float64Array(this.size);
  }

  /** Reads row i in full and lists its K smallest reduced costs, ascending; of equal ones the first columns. */
  scan(i: number): void {
    const { reader, v, size, keys, cols, costs } = this;
    const base = i * size;
    const last = size - 1;
    let worst = Number.NEGATIVE_INFINITY;
    for (let t = base; t <= base + last; t++) worst = Math.max(worst, costs[t]! - v[cols[t]!]!);
    // No more than K columns are above what the list holds now; before the first scan that is Infinity.
    const found = reader.near(i, worst, size);
    worst = Number.POSITIVE_INFINITY;
    keys.fill(worst);
    for (let c = 0; c < found; c++) {
      const j = reader.cols[c]!;
      const cost = reader.costs[c]!;
      const w = cost - v[j]!;
      if (w >= worst) continue;
      let t = last;
      while (t > 0 && keys[t - 1]! > w) {
        keys[t] = keys[t - 1]!;
        cols[base + t] = cols[base + t - 1]!;
        costs[base + t] = costs[base + t - 1]!;
        t--;
      }
      keys[t] = w;
      cols[base + t] = j;
      costs[base + t] = cost;
      worst = keys[last]!;
    }
    this.limit[i] = size === v.length ? Number.POSITIVE_INFINITY : worst;
    this.scans++;
  }
}
