import { Heap } from "../num/heap.ts";
import type { Matrix } from "../types.ts";

/** The rows of r in the order of their content, missing values last: ties never depend on positions. */
export function contentOrder(r: Matrix): Int32Array {
  const cell = (i: number, c: number): number => {
    const v = r.data[i * r.cols + c]!;
    return Number.isNaN(v) ? Number.POSITIVE_INFINITY : v;
  };
  return Int32Array.from({ length: r.rows }, (_, j) => j).sort((a, b) => {
    for (let c = 0; c < r.cols; c++) {
      const [u, v] = [cell(a, c), cell(b, c)];
      if (u !== v) return u < v ? -1 : 1;
    }
    return a - b;
  });
}

/** The `count` references of least cost, nearest first, ties in the order of their content. */
export function nearestOf(costs: Float64Array, order: Int32Array, count: number): number[] {
  // The best so far, worst on top; of equal costs the later in order is worse.
  const worst = new Heap(count + 1);
  for (let rank = 0; rank < order.length; rank++) {
    const cost = costs[order[rank]!]!;
    if (worst.size === count && cost >= -worst.key) continue;
    worst.push(-cost, -rank);
    if (worst.size > count) worst.pop();
  }
  const list: number[] = [];
  while (worst.size > 0) list.push(order[-worst.pop()]!);
  return list.reverse();
}
