import { linearGains, linearMargin } from "../search/inside.ts";
import type { Pair } from "../search/mixtures.ts";
import type { Bounder, LinearStructure, Structure } from "../types.ts";

export function bounderOf(structure: Structure, pair: Pair): Bounder {
  return structure.kind === "trees"
    ? structure.kernels.bounder(structure, pair)
    : linearBounder(structure, pair);
}

/** margin = now + the `left` largest (or smallest) gains of undecided members. */
function linearBounder(structure: LinearStructure, pair: Pair): Bounder {
  // A member whose value the model cannot read (NaN) is never worth editing, and a set with it has no margin.
  const gains = linearGains(structure, pair);
  const falling = Array.from(gains.keys())
    .filter((b) => !Number.isNaN(gains[b]))
    .sort((a, b) => (gains[a]! < gains[b]! ? 1 : gains[a]! > gains[b]! ? -1 : a - b));
  const decided = new Uint8Array(gains.length);
  const edited = new Uint8Array(gains.length);
  const start = linearMargin(structure, pair.from);
  const now = (): number => {
    let sum = start;
    for (let b = 0; b < gains.length; b++) if (edited[b]) sum += gains[b]!;
    return sum;
  };
  const extreme = (left: number, from: number, step: number): number => {
    let sum = 0;
    for (let t = from, open = left; open > 0 && t >= 0 && t < falling.length; t += step) {
      if (decided[falling[t]!]) continue;
      sum += gains[falling[t]!]!;
      open--;
    }
    return sum;
  };
  return {
    edit(b, by) {
      decided[b]! += by;
      edited[b]! += by;
    },
    keep(b, by) {
      decided[b]! += by;
    },
    rangeInto(left, at, low, high) {
      const current = now();
      low[at] = current + extreme(left, falling.length - 1, -1);
      high[at] = current + extreme(left, 0, 1);
    },
  };
}
