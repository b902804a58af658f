import type { Certificate } from "./certificate.ts";
import type { Flow } from "./network-simplex.ts";

/**
 * On the line, x_1 ≤ … ≤ x_n and r_1 ≤ … ≤ r_m, the plan that fills both sides in order is optimal, because
 * (x − r)² is a Monge array; the duals are read off along its staircase. Both come sorted.
 */
export function oneDimension(
  x: Float64Array,
  r: Float64Array,
  supply: Float64Array,
  demand: Float64Array,
  total: number,
): Flow & Certificate {
  const n = supply.length;
  const m = demand.length;
  const u = new Float64Array(n);
  const v = new Float64Array(m);
  const rows: number[] = [];
  const cols: number[] = [];
  const units: number[] = [];
  let left = supply[0]!;
  let open = demand[0]!;
  u[0] = (x[0]! - r[0]!) ** 2;
  for (let i = 0, j = 0; ; ) {
    const f = Math.min(left, open);
    if (f > 0) {
      rows.push(i);
      cols.push(j);
      units.push(f);
    }
    left -= f;
    open -= f;
    if (j + 1 < m && (open === 0 || i + 1 === n)) {
      v[++j] = (x[i]! - r[j]!) ** 2 - u[i]!;
      open = demand[j]!;
    } else if (i + 1 < n) {
      u[++i] = (x[i]! - r[j]!) ** 2 - v[j]!;
      left = supply[i]!;
    } else break;
  }
  const lowest = rowMinima(x, r, v);
  const above = (e: number): number => (x[rows[e]!]! - r[cols[e]!]!) ** 2 - v[cols[e]!]!;
  for (const [e, i] of rows.entries()) lowest[i] = Math.min(lowest[i]!, above(e));
  const gap = units.reduce((sum, f, e) => sum + (f / total) * (above(e) - lowest[rows[e]!]!), 0);
  return {
    rows: Int32Array.from(rows),
    cols: Int32Array.from(cols),
    units: Float64Array.from(units),
    u: lowest,
    v,
    gap,
    iterations: n + m - 1,
  };
}

/**
 * min_j (x_i − r_j)² − v_j for all i. The first best column moves right with i, so halving the rows halves the
 * columns to be tried: O((n + m) log n).
 */
function rowMinima(x: Float64Array, r: Float64Array, v: Float64Array): Float64Array {
  const u = new Float64Array(x.length);
  const halve = (top: number, bottom: number, low: number, high: number): void => {
    if (top >= bottom) return;
    const i = (top + bottom) >> 1;
    let best = low;
    let least = Number.POSITIVE_INFINITY;
    for (let j = low; j <= high; j++) {
      const w = (x[i]! - r[j]!) ** 2 - v[j]!;
      if (w < least) {
        least = w;
        best = j;
      }
    }
    u[i] = least;
    halve(top, i, low, best);
    halve(i + 1, bottom, best, high);
  };
  halve(0, x.length, 0, r.length - 1);
  return u;
}
