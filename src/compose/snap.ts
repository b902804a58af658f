import type { Constraints } from "../data/constraints.ts";
import type { Matrix } from "../types.ts";

/**
 * Moves every cell of the proposal q to the nearest legal value as seen from x: type, step, range, allowed
 * values, direction and transitions. A cell with no legal value keeps x's. Derived columns are recomputed.
 */
export function snap(constraints: Constraints, x: Matrix, q: Matrix): Matrix {
  const data = new Float64Array(q.data.length);
  for (let c = 0; c < data.length; c++) {
    const k = c % q.cols;
    const [from, to] = [x.data[c]!, q.data[c]!];
    data[c] = constraints.same(k, from, to) ? from : constraints.snap(k, to, from);
  }
  return constraints.complete({ data, rows: q.rows, cols: q.cols });
}
