import { checkWhole } from "../errors.ts";
import type { Coupling, Matrix } from "../types.ts";
import { columnRange, squaredEuclidean } from "./cost.ts";
import { leastOf } from "./nearest.ts";
import { evenRows } from "./rows.ts";

export interface CoarsenedOptions {
  /** Equal-width bins per column, fitted on x and r together. Default 10. */
  readonly bins?: number;
}

/**
 * Coarsened exact matching: rows and references whose columns all fall into the same bins share a stratum;
 * p_ij = 1/(n k_i) over the k_i references of row i's stratum, and a row alone in its stratum goes to the
 * nearest reference (squared Euclid, then the smallest j). Shapes: x is n × d, r is m × d.
 */
export function coarsened(x: Matrix, r: Matrix, options: CoarsenedOptions = {}): Coupling {
  const { bins = 10 } = options;
  checkWhole("coarsened", "bins", bins, 1);
  const cost = squaredEuclidean(x, r);
  const binOf = binning(x, r, bins);
  const strata = new Map<string, number[]>();
  for (let j = 0; j < r.rows; j++) {
    const key = binOf(r, j);
    const members = strata.get(key);
    if (members) members.push(j);
    else strata.set(key, [j]);
  }
  const start = new Int32Array(x.rows + 1);
  const cols: number[] = [];
  const distances = new Float64Array(r.rows);
  let sum = 0;
  for (let i = 0; i < x.rows; i++) {
    cost.row(i, distances);
    const partners = strata.get(binOf(x, i)) ?? [leastOf(distances)];
    for (const j of partners) {
      cols.push(j);
      sum += distances[j]! / partners.length;
    }
    start[i + 1] = cols.length;
  }
  return evenRows("coarsened", r.rows, start, Int32Array.from(cols), sum / x.rows);
}

/** The bins of a row as a key; a constant column has one bin. */
function binning(x: Matrix, r: Matrix, bins: number): (rows: Matrix, i: number) => string {
  const ranges = Array.from({ length: x.cols }, (_, k) => columnRange(x, r, k));
  return ({ data, cols }, i) => {
    const codes = ranges.map(({ low, high }, k) => {
      const width = high - low;
      return width > 0 ? Math.min(bins - 1, Math.floor((bins * (data[i * cols + k]! - low)) / width)) : 0;
    });
    return codes.join(",");
  };
}
