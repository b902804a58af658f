import { type Bins, binOf } from "../bins.ts";
import { legalise } from "../moves.ts";
import type { Run } from "../run.ts";
import type { Row } from "../search.ts";
import type { Bits } from "./bits.ts";
import type { ItemSet } from "./item-sets.ts";

/** "Where `from` holds, go to `to`": the inner level of a recourse rule. */
export interface Change {
  readonly from: ItemSet;
  /** Bins, one per item of `from`. */
  readonly to: readonly number[];
}

/** What became of a change on the affected rows. */
export interface Tried extends Change {
  /** Rows it applies to: `from` holds and every step is permitted. */
  readonly applies: Bits;
  /** Rows it takes to the target. */
  readonly reaches: Bits;
  /** Cost of each row it applies to, 0 elsewhere. */
  readonly cost: Float64Array;
}

/**
 * The row after a change, undefined where a step is not permitted: a number keeps its place inside the bin,
 * x + middle(to) − middle(from), moved to the nearest legal value, which must still lie in the bin.
 */
export function applyChange(
  run: Run,
  bins: readonly Bins[],
  change: Change,
  row: Row,
): Float64Array | undefined {
  const z = row.x.slice();
  for (let t = 0; t < change.to.length; t++) {
    const { k, bin } = change.from.items[t]!;
    const to = change.to[t]!;
    const move = row.moves.find((m) => m.k === k);
    if (!move) return undefined;
    const { low, width, levels } = bins[k]!;
    if (levels) {
      if (!move.values?.includes(to)) return undefined;
      z[k] = to;
      continue;
    }
    const edge = low + to * width;
    const goal = Math.min(edge + width, Math.max(edge, row.x[k]! + (to - bin) * width));
    z[k] = legalise(run.constraints, k, Math.min(move.high, Math.max(move.low, goal)), row.x[k]!);
    if (z[k] === row.x[k] || binOf(bins[k]!, z[k]!) !== to) return undefined;
  }
  return z;
}
