import { linearSearch } from "../exact/linear.ts";
import { rowOf } from "../num/matrix.ts";
import type { Bounder, EncodedPair, Kernels, LinearStructure } from "../types.ts";
import { exactBy } from "./exact.ts";
import { insideBy, marginCube, scoreCube } from "./inside.ts";
import { cellOf, leastEdits } from "./linear-least.ts";
import { linearRange } from "./linear-range.ts";
import { forEachSmallSubset, smallSubsetCount } from "./trees/subsets.ts";

/** What a linear model brings along, so that programs without one do not load it. */
export const linearKernels: Kernels = {
  margins: (linear: LinearStructure, rows) =>
    Float64Array.from({ length: rows.rows }, (_, i) => linearMargin(linear, rowOf(rows, i))),
  range: linearRange,
  cubeInto(linear: LinearStructure, pair, out) {
    const gains = linearGains(linear, pair);
    out[0] = linearMargin(linear, pair.from);
    for (let b = 0; b < gains.length; b++) {
      for (let s = 0; s < 2 ** b; s++) out[s + 2 ** b] = out[s]! + gains[b]!;
    }
  },
  small(linear: LinearStructure, pair, maxSize) {
    const gains = linearGains(linear, pair);
    const out = new Float64Array(smallSubsetCount(gains.length, maxSize));
    const start = linearMargin(linear, pair.from);
    forEachSmallSubset(gains.length, maxSize, (members, place) => {
      out[place] = members.reduce((sum, b) => sum + gains[b]!, start);
    });
    return out;
  },
  shapInto: (linear: LinearStructure, pair, out) =>
    out.set(linearGains(linear, pair).map((gain) => 0 - gain)),
  bounder: linearBounder,
  exact: (question) => exactBy(question, linearSearch),
  inside: insideBy,
  marginCube,
  scoreCube,
  leastEdits,
  logisticCube,
};

function linearMargin(linear: LinearStructure, row: Float64Array): number {
  const { intercept, weights } = linear;
  let sum = intercept;
  for (let c = 0; c < weights.length; c++) sum += weights[c]! * cellOf(linear, row[c]!);
  return sum;
}

/** What the margin gains when a player moves from x to r, for each player of the pair. */
function linearGains(linear: LinearStructure, { from, to, columns }: EncodedPair): Float64Array {
  return Float64Array.from(columns, (own) => {
    let sum = 0;
    for (const c of own) sum += linear.weights[c]! * (cellOf(linear, to[c]!) - cellOf(linear, from[c]!));
    return sum;
  });
}

/** margin = now + the `left` largest (or smallest) gains of undecided members. */
function linearBounder(structure: LinearStructure, pair: EncodedPair): Bounder {
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

/** Holds the cube of scores at hand. */
let scratch = new Float64Array(2 ** 10);

/**
 * σ(margin) = 1/(1 + e^−margin) of all mixtures by products, e^−(a+b) = e^−a · e^−b, with k + 1 exponentials
 * instead of 2^k; undefined where a product could leave the range of numbers. Valid until the next call.
 */
function logisticCube(structure: LinearStructure, pair: EncodedPair): Float64Array | undefined {
  const start = linearMargin(structure, pair.from);
  const gains = linearGains(structure, pair);
  if (gains.reduce((sum, gain) => sum + Math.abs(gain), Math.abs(start)) > 700) return undefined;
  const size = 2 ** gains.length;
  if (scratch.length < size) scratch = new Float64Array(size);
  const cube = scratch.subarray(0, size);
  cube[0] = Math.exp(-start);
  for (let u = 0; u < gains.length; u++) {
    const half = 1 << u;
    const factor = Math.exp(-gains[u]!);
    for (let set = 0; set < half; set++) cube[set + half] = cube[set]! * factor;
  }
  for (let set = 0; set < cube.length; set++) cube[set] = 1 / (1 + cube[set]!);
  return cube;
}
