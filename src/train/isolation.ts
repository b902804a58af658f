import { treeKernels } from "../model/trees/kernels.ts";
import { NODE } from "../model/trees/structure.ts";
import { type Random, stream } from "../num/random.ts";
import type { Matrix, Trees } from "../types.ts";

export interface IsolationOptions {
  /** Default 50. */
  readonly trees?: number;
  /** Rows each tree is grown on. Default 128. */
  readonly sample?: number;
  readonly seed?: number;
}

/**
 * An isolation forest (Liu, Ting, Zhou 2008) over rows of codes: random cuts until a row is alone or log₂(sample) deep.
 * The margin of a row is its mean path length, a leaf of n rows counting c(n) more; the longer, the more usual the row.
 */
export function fitIsolation(rows: Matrix, options: IsolationOptions = {}): Trees {
  const { trees = 50, sample = 128, seed = 0 } = options;
  const grown = new Grown(rows, trees, Math.ceil(Math.log2(Math.max(2, Math.min(sample, rows.rows)))));
  const random = stream(seed, "isolation");
  const roots = Int32Array.from({ length: trees }, (_, t) => {
    const own = random.split(t);
    return grown.grow(own, draw(own, rows.rows, sample), 0);
  });
  return grown.forest(roots);
}

/** Some rows, each at most once. */
function draw(random: Random, rows: number, count: number): Int32Array {
  const all = Int32Array.from({ length: rows }, (_, i) => i);
  const size = Math.min(rows, count);
  for (let i = 0; i < size; i++) {
    const j = i + random.int(rows - i);
    [all[i], all[j]] = [all[j]!, all[i]!];
  }
  return all.slice(0, size);
}

/** Mean depth of an unsuccessful search in a binary tree of n rows. */
function expected(n: number): number {
  if (n < 2) return 0;
  let harmonic = 0;
  for (let i = 1; i < n; i++) harmonic += 1 / i;
  return 2 * harmonic - (2 * (n - 1)) / n;
}

/** Nodes in the making. */
class Grown {
  readonly #rows: Matrix;
  readonly #trees: number;
  readonly #depth: number;
  readonly #feature: number[] = [];
  readonly #threshold: number[] = [];
  readonly #left: number[] = [];
  readonly #right: number[] = [];
  readonly #value: number[] = [];
  readonly #flags: number[] = [];

  constructor(rows: Matrix, trees: number, depth: number) {
    this.#rows = rows;
    this.#trees = trees;
    this.#depth = depth;
  }

  /** The node of these rows, with all below it. */
  grow(random: Random, own: Int32Array, depth: number): number {
    const node = this.#feature.length;
    const cut = depth < this.#depth ? this.#cut(random, own) : undefined;
    this.#feature.push(cut?.column ?? -1);
    this.#threshold.push(cut?.at ?? 0);
    this.#flags.push(cut?.gapLeft ? NODE.missingLeft : 0);
    this.#value.push(cut ? 0 : (depth + expected(own.length)) / this.#trees);
    this.#left.push(-1);
    this.#right.push(-1);
    if (!cut) return node;
    const { column, at, gapLeft } = cut;
    const goesLeft = (i: number): boolean => {
      const v = this.#rows.data[i * this.#rows.cols + column]!;
      return Number.isNaN(v) ? gapLeft : v <= at;
    };
    this.#left[node] = this.grow(random, own.filter(goesLeft), depth + 1);
    this.#right[node] = this.grow(
      random,
      own.filter((i) => !goesLeft(i)),
      depth + 1,
    );
    return node;
  }

  /** A column that differs among the rows, and a point between its least and its greatest value. */
  #cut(random: Random, own: Int32Array): { column: number; at: number; gapLeft: boolean } | undefined {
    const { data, cols } = this.#rows;
    const ranges = Array.from({ length: cols }, (_, column) => {
      let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
      for (const i of own) {
        const v = data[i * cols + column]!;
        if (v < low) low = v;
        if (v > high) high = v;
      }
      return { column, low, high };
    }).filter(({ low, high }) => low < high);
    if (own.length < 2 || ranges.length === 0) return undefined;
    const { column, low, high } = ranges[random.int(ranges.length)]!;
    const at = low + random.next() * (high - low);
    return { column, at: at < high ? at : low, gapLeft: random.next() < 0.5 };
  }

  forest(roots: Int32Array): Trees {
    return {
      kind: "trees",
      base: 0,
      link: "identity",
      roots,
      feature: Int32Array.from(this.#feature),
      threshold: Float64Array.from(this.#threshold),
      left: Int32Array.from(this.#left),
      right: Int32Array.from(this.#right),
      value: Float64Array.from(this.#value),
      flags: Uint8Array.from(this.#flags),
      inclusive: true,
      float32: false,
      kernels: treeKernels,
    };
  }
}
