import type { Work } from "../../budget.ts";
import { costOf } from "../../couple/cost.ts";
import { unitTransport } from "../../couple/transport.ts";
import type { Matrix } from "../../types.ts";

/** One reference per row. */
interface Assigned {
  readonly partner: Int32Array;
  /** Σ costs of the partners is at most this much above the least. */
  readonly gap: number;
}

/**
 * min Σ_i c_{i,σ(i)} over σ that use no reference more than `capacity` times (capacity · m ≥ n): a transport
 * in which every row has one unit, every reference `capacity` units, and a row that costs nothing takes what is
 * left over. Without a limit each row takes its cheapest.
 */
export async function assign(costs: Matrix, capacity: number, work: Work): Promise<Assigned> {
  const { rows: n, cols: m } = costs;
  if (capacity >= n) return { partner: cheapest(costs), gap: 0 };
  const units = capacity * m;
  const rest = units - n;
  const supply = new Float64Array(n + (rest > 0 ? 1 : 0)).fill(1);
  if (rest > 0) supply[n] = rest;
  const data = rest > 0 ? new Float64Array((n + 1) * m) : costs.data;
  if (rest > 0) data.set(costs.data);
  const timeMs = work.remainingMs();
  const cost = costOf({ data, rows: supply.length, cols: m });
  const found = await unitTransport(cost, supply, new Float64Array(m).fill(capacity), {
    ...(work.signal ? { signal: work.signal } : {}),
    ...(Number.isFinite(timeMs) ? { limits: { timeMs: Math.max(0, timeMs) } } : {}),
  });
  const partner = new Int32Array(n).fill(-1);
  found.rows.forEach((i, e) => {
    if (i < n) partner[i] = found.cols[e]!;
  });
  return { partner, gap: Math.max(0, found.gap) * units };
}

function cheapest({ data, rows, cols }: Matrix): Int32Array {
  return Int32Array.from({ length: rows }, (_, i) => {
    let best = 0;
    for (let j = 1; j < cols; j++) if (data[i * cols + j]! < data[i * cols + best]!) best = j;
    return best;
  });
}
