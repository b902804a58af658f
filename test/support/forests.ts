import { treeKernels } from "../../src/model/trees/kernels.ts";
import { NODE } from "../../src/model/trees/structure.ts";
import { matrix } from "../../src/num/matrix.ts";
import { type Random, stream } from "../../src/num/random.ts";
import type { Link, Matrix, Trees } from "../../src/types.ts";

export interface WildOptions {
  readonly cols: number;
  readonly count?: number;
  readonly depth?: number;
  readonly link?: Link;
  /** Thresholds only: every value is a number and goes by its threshold. */
  readonly tame?: boolean;
}

/** Values cells are drawn from, thresholds among them, so that equality with a threshold happens. */
const LEVELS = [-2, -1, -0, 0, 1e-36, 0.1, 1, 2, 3, 5] as const;

/**
 * Random trees of uneven depth, of which nodes send missing values either way, test categories (either side
 * of the bit set), read NaN as 0 or zero as missing; inclusive or strict, rounded to float32 or not.
 */
export function wildForest(seed: number, options: WildOptions): Trees {
  const random = stream(seed, "forest");
  const { cols, count = 5, depth = 5, link = "identity", tame = false } = options;
  const feature: number[] = [];
  const [threshold, value, left, right, flags] = [[], [], [], [], []] as number[][];
  const [starts, words] = [[0], []] as number[][];
  const grow = (level: number): number => {
    const node = feature.length;
    const leaf = level === depth || (level > 0 && random.next() < 0.2);
    feature.push(leaf ? -1 : random.int(cols));
    threshold!.push(leaf ? 0 : LEVELS[random.int(LEVELS.length)]!);
    value!.push(leaf ? random.normal() : 0);
    flags!.push(leaf || tame ? 0 : flagsOf(random));
    if ((flags![node]! & NODE.categorical) !== 0) words!.push(random.int(64));
    starts!.push(words!.length);
    left!.push(0);
    right!.push(0);
    if (!leaf) {
      left![node] = grow(level + 1);
      right![node] = grow(level + 1);
    }
    return node;
  };
  const roots = Int32Array.from({ length: count }, () => grow(0));
  return {
    kind: "trees",
    kernels: treeKernels,
    base: random.normal(),
    link,
    roots,
    feature: Int32Array.from(feature),
    threshold: Float64Array.from(threshold!),
    left: Int32Array.from(left!),
    right: Int32Array.from(right!),
    value: Float64Array.from(value!),
    flags: Uint8Array.from(flags!),
    inclusive: random.next() < 0.5,
    float32: random.next() < 0.5,
    categoryStart: Int32Array.from(starts!),
    categoryWords: Uint32Array.from(words!),
  };
}

function flagsOf(random: Random): number {
  const kind = random.int(6);
  const missing = random.int(2) * NODE.missingLeft;
  if (kind === 0) return missing | NODE.categorical | (random.int(2) * NODE.membersRight);
  if (kind === 1) return missing | NODE.nanIsZero;
  if (kind === 2) return missing | NODE.zeroIsMissing;
  return missing;
}

/** Rows over the same levels, a tenth of the cells missing. */
export function wildRows(seed: number, rows: number, cols: number): Matrix {
  const random = stream(seed, "rows");
  const cell = (): number => (random.next() < 0.1 ? Number.NaN : LEVELS[random.int(LEVELS.length)]!);
  return matrix(rows, cols, Float64Array.from({ length: rows * cols }, cell));
}
