import type { Groups } from "./dedupe.ts";
import type { Flow } from "./network-simplex.ts";

/** Cells of a plan between rows as they were given, sorted by row, then column. */
interface Cells {
  readonly rows: Int32Array;
  readonly cols: Int32Array;
  readonly units: Float64Array;
}

/** Rows in their groups, and the units of each row. */
export interface GroupedUnits {
  readonly groups: Groups;
  readonly units: Float64Array;
}

/**
 * Spreads a flow between groups over their rows, in order: the first row of a group takes what the group sends
 * first. Units are whole, so every row and column gets exactly its own, and single units stay whole (a plan
 * between n rows and n columns is a permutation).
 */
export function expand(flow: Flow, left: GroupedUnits, right: GroupedUnits): Cells {
  const sender = filler(left);
  const receiver = filler(right);
  const rows: number[] = [];
  const cols: number[] = [];
  const units: number[] = [];
  for (let e = 0; e < flow.units.length; e++) {
    for (let rest = flow.units[e]!; rest > 0; ) {
      const i = sender.next(flow.rows[e]!);
      const j = receiver.next(flow.cols[e]!);
      const f = Math.min(rest, sender.left[i]!, receiver.left[j]!);
      sender.left[i]! -= f;
      receiver.left[j]! -= f;
      rest -= f;
      rows.push(i);
      cols.push(j);
      units.push(f);
    }
  }
  const order = byCell(rows, cols);
  return {
    rows: order.map((e) => rows[e]!),
    cols: order.map((e) => cols[e]!),
    units: Float64Array.from(order, (e) => units[e]!),
  };
}

/** The order of cells by row, then by column. */
export function byCell(rows: ArrayLike<number>, cols: ArrayLike<number>): Int32Array {
  return Int32Array.from(rows, (_, e) => e).sort((e, f) => rows[e]! - rows[f]! || cols[e]! - cols[f]!);
}

/** What is left of each row, and the first row of a group that still has units. */
function filler({ groups, units }: GroupedUnits) {
  const [left, at] = [units.slice(), groups.start.slice()];
  const next = (group: number): number => {
    while (left[groups.order[at[group]!]!] === 0) at[group]!++;
    return groups.order[at[group]!]!;
  };
  return { left, next };
}
