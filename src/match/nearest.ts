import { ColaError } from "../errors.ts";
import { Heap } from "../num/heap.ts";
import { compareRows } from "../num/matrix.ts";
import type { Matrix } from "../types.ts";

/** The rows of r in the order of their content, missing values last: ties never depend on positions. */
export function contentOrder(r: Matrix): Int32Array {
  return Int32Array.from({ length: r.rows }, (_, j) => j).sort((a, b) => compareRows(r, a, b) || a - b);
}

/** Throws unless every candidate is one of m references. */
export function checkCandidates(owner: string, lists: readonly ArrayLike<number>[], m: number): void {
  lists.forEach((list, row) => {
    for (let t = 0; t < list.length; t++) {
      if (Number.isInteger(list[t]) && list[t]! >= 0 && list[t]! < m) continue;
      throw new ColaError(
        "PAIRS_INVALID",
        `${owner}: row ${row} names the reference ${list[t]}, but they are 0 … ${m - 1}.`,
        { row, reference: list[t], references: m },
      );
    }
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
