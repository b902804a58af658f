import fc from "fast-check";
import { linearModel } from "../../src/model/linear.ts";
import { treeKernels } from "../../src/model/trees/kernels.ts";
import { treeModel } from "../../src/model/trees/model.ts";
import { fromRows } from "../../src/num/matrix.ts";
import { type Random, stream } from "../../src/num/random.ts";
import type { Matrix, Model, PredictFunction, Trees } from "../../src/types.ts";

/** A score that knows no rule but its row: the hash of the cells as a number in [0, 1). */
export function arbitrary(seed: number): PredictFunction {
  return (rows) =>
    Float64Array.from({ length: rows.rows }, (_, i) =>
      stream(seed, ...Array.from(rows.data.subarray(i * rows.cols, (i + 1) * rows.cols), String)).next(),
    );
}

/** Steps of 1/levels, so that many mixtures tie and some sit exactly on an edge. */
export function coarse(seed: number, levels: number): PredictFunction {
  const fine = arbitrary(seed);
  return (rows) => Float64Array.from(fine(rows) as Float64Array, (s) => Math.round(s * levels) / levels);
}

/** Two classes over `cols` columns, random weights. */
export function linear(random: Random, cols: number): Model {
  const data = Float64Array.from({ length: cols }, () => random.normal());
  return linearModel(
    "logistic",
    ["no", "yes"],
    { weights: { data, rows: 1, cols }, intercepts: Float64Array.of(random.normal() - 0.5) },
    "logistic",
  );
}

/** Three classes: a contest between the margins of linear scores (softmax). */
export function contest(random: Random, cols: number): Model {
  const data = Float64Array.from({ length: 3 * cols }, () => random.normal());
  const intercepts = Float64Array.from({ length: 3 }, () => random.normal());
  return linearModel("softmax", ["a", "b", "c"], { weights: { data, rows: 3, cols }, intercepts }, "softmax");
}

/** `count` complete trees of a depth with random columns, thresholds among 0 … 3 and leaves of an average. */
export function forest(
  random: Random,
  cols: number,
  count: number,
  depth: number,
  link: Trees["link"] = "identity",
): Model {
  return treeModel({
    name: "forest",
    outputs: ["no", "yes"],
    cols,
    forests: [trees(random, cols, count, depth, link)],
  });
}

export function trees(
  random: Random,
  cols: number,
  count: number,
  depth: number,
  link: Trees["link"],
): Trees {
  const inner = 2 ** depth - 1;
  const size = 2 * inner + 1;
  const nodes = count * size;
  const feature = new Int32Array(nodes).fill(-1);
  const [threshold, value] = [new Float64Array(nodes), new Float64Array(nodes)];
  const [left, right] = [new Int32Array(nodes), new Int32Array(nodes)];
  for (let v = 0; v < nodes; v++) {
    const local = v % size;
    const start = v - local;
    if (local < inner) {
      feature[v] = random.int(cols);
      threshold[v] = random.int(3) + 0.5;
      left[v] = start + 2 * local + 1;
      right[v] = start + 2 * local + 2;
    } else value[v] = link === "identity" ? random.int(2) / count : random.normal() / Math.sqrt(count);
  }
  return {
    kind: "trees",
    kernels: treeKernels,
    base: link === "identity" ? 0 : -0.3,
    link,
    roots: Int32Array.from({ length: count }, (_, t) => t * size),
    feature,
    threshold,
    left,
    right,
    value,
    flags: new Uint8Array(nodes),
    inclusive: true,
    float32: false,
  };
}

/** Rows of small whole numbers, missing with probability `missing`. */
export function smallRows(random: Random, rows: number, cols: number, missing = 0): Matrix {
  return fromRows(
    Array.from({ length: rows }, () =>
      Array.from({ length: cols }, () => (random.next() < missing ? Number.NaN : random.int(4))),
    ),
  );
}

/** The columns dealt to players of one to three columns; the last few may belong to none. */
export function someGroups(random: Random, cols: number): number[][] {
  const order = [...random.permutation(cols)];
  const groups: number[][] = [];
  while (order.length > 0) groups.push(order.splice(0, 1 + random.int(3)));
  return groups.length > 1 && random.next() < 0.3 ? groups.slice(0, -1) : groups;
}

export const seeds = fc.integer({ min: 0, max: 2 ** 31 - 1 });
