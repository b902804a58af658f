import type { Work } from "../../budget.ts";
import type { Choices } from "./knapsack.ts";

/** Every sum Σ values a group can have, each with the fewest edits. */
export interface Sums {
  /** Rising. */
  readonly sum: Float64Array;
  readonly edits: Int32Array;
  plan(t: number): Int32Array;
  /** Every plan has an entry with no more edits whose sum is at most this far off. */
  readonly error: number;
}

/** One layer of partial sums over the first rows, with the way back. */
interface Layer {
  readonly sum: Float64Array;
  readonly edits: Int32Array;
  readonly parent: Int32Array;
  readonly choice: Int32Array;
  readonly length: number;
}

/**
 * All sums over the rows, row after row, on a grid of cells `width` wide: of the sums in a cell the one with
 * fewest edits stands for all, which adds at most `width` to `error` in each layer. Partial sums that are not
 * `useful` are dropped. Undefined when a layer would hold more than `cap` sums.
 */
export async function sumLayers(
  rows: readonly Choices[],
  width: number,
  cap: number,
  work: Work,
  useful: (rowsDone: number, edits: number, sum: number) => boolean,
): Promise<Sums | undefined> {
  const layers: Layer[] = [emptyLayer(1)];
  let error = 0;
  for (const row of rows) {
    const last = layers.at(-1)!;
    let next: Layer = emptyLayer(0);
    let rounded = false;
    for (const choice of distinct(row)) {
      if (work.due()) await work.pause(layers.length, rows.length);
      const keep = (edits: number, sum: number): boolean => useful(layers.length, edits, sum);
      const made = mergeShifted(next, last, row, choice, keep, width);
      next = made.layer;
      rounded ||= made.rounded;
      if (next.length > cap) return undefined;
    }
    if (rounded) error += width;
    layers.push(next);
  }
  const { sum, edits, length } = layers.at(-1)!;
  return {
    sum: sum.subarray(0, length),
    edits: edits.subarray(0, length),
    error,
    plan: (t) => {
      const plan = new Int32Array(rows.length);
      for (let i = rows.length, at = t; i > 0; at = layers[i]!.parent[at]!, i--)
        plan[i - 1] = layers[i]!.choice[at]!;
      return plan;
    },
  };
}

function emptyLayer(length: number, capacity = length): Layer {
  return {
    sum: new Float64Array(capacity),
    edits: new Int32Array(capacity),
    parent: new Int32Array(capacity),
    choice: new Int32Array(capacity),
    length,
  };
}

/** One choice per value, the one of fewest edits, by rising value. */
function distinct({ sizes, values }: Choices): number[] {
  const order = Array.from(values, (_, t) => t)
    .filter((t) => !Number.isNaN(values[t]))
    .sort((a, b) => values[a]! - values[b]! || sizes[a]! - sizes[b]! || a - b);
  return order.filter((t, at) => at === 0 || values[t] !== values[order[at - 1]!]);
}

/** `into` merged with `from` shifted by one choice, both by rising sum; one entry per cell of the grid. */
function mergeShifted(
  into: Layer,
  from: Layer,
  row: Choices,
  choice: number,
  keep: (edits: number, sum: number) => boolean,
  width: number,
): { layer: Layer; rounded: boolean } {
  const [shift, size] = [row.values[choice]!, row.sizes[choice]!];
  const out = emptyLayer(0, into.length + from.length);
  let count = 0;
  let rounded = false;
  let held = Number.NaN;
  const put = (sum: number, edits: number, parent: number, chosen: number): void => {
    // Half a cell aside, so that sums of a lattice lie in the middle of cells.
    const cell = Math.floor(sum / width + 0.5);
    if (cell === held) {
      rounded ||= sum !== out.sum[count - 1];
      if (edits >= out.edits[count - 1]!) return;
      count--;
    }
    held = cell;
    out.sum[count] = sum;
    out.edits[count] = edits;
    out.parent[count] = parent;
    out.choice[count] = chosen;
    count++;
  };
  for (let a = 0, b = 0; a < into.length || b < from.length; ) {
    if (b === from.length || (a < into.length && into.sum[a]! <= from.sum[b]! + shift)) {
      put(into.sum[a]!, into.edits[a]!, into.parent[a]!, into.choice[a]!);
      a++;
    } else {
      const [sum, edits] = [from.sum[b]! + shift, from.edits[b]! + size];
      if (keep(edits, sum)) put(sum, edits, b, choice);
      b++;
    }
  }
  return { layer: { ...out, length: count }, rounded };
}
