/** Small wrong twins of the tree fits; each breaks one law of test/model/trees-train. */

import type { FittedTrees } from "../../../src/model/trees/model.ts";
import { copyOf } from "../../../src/num/matrix.ts";
import type { Random } from "../../../src/num/random.ts";
import type { Columns } from "../../../src/train/trees/columns.ts";
import type { Matrix, Trees } from "../../../src/types.ts";

export type TreeFit = (
  x: Matrix,
  y: ArrayLike<number>,
  options?: object,
  random?: Random | number,
) => FittedTrees;

const withStructure = (model: FittedTrees, change: (trees: Trees) => Trees): FittedTrees => ({
  ...model,
  structure: (output) => change(model.structure(output)),
});

const withCells = (x: Matrix, cell: (v: number, c: number) => number): Matrix => {
  const out = copyOf(x);
  out.data.forEach((v, c) => {
    out.data[c] = cell(v, c);
  });
  return out;
};

/** Looks at the first column alone. */
export const oneColumn =
  (fit: TreeFit): TreeFit =>
  (x, y, options, random) =>
    fit(
      withCells(x, (v, c) => (c % x.cols === 0 ? v : 0)),
      y,
      options,
      random,
    );

/** Cuts at the largest value on the left instead of halfway to the right. */
export const cutsAtValues =
  (fit: TreeFit): TreeFit =>
  (x, y, options, random) =>
    withStructure(fit(x, y, options, random), (trees) => ({
      ...trees,
      threshold: trees.threshold.map((t) => Math.floor(2 * t) / 2),
    }));

/** Never hears of weights. */
export const unweighted =
  (fit: TreeFit): TreeFit =>
  (x, y, options, random) => {
    const { weights: _, classWeight: __, ...rest } = { weights: 0, classWeight: 0, ...options };
    return fit(x, y, rest, random);
  };

/** Counts a leaf's rows too low by one. */
export const smallerLeaves =
  (fit: TreeFit): TreeFit =>
  (x, y, options, random) => {
    const { minSamplesLeaf, ...rest } = { minSamplesLeaf: 1, ...options };
    return fit(x, y, { ...rest, minSamplesLeaf: Math.max(1, minSamplesLeaf - 1) }, random);
  };

/** Takes a missing cell for a large number. */
export const missingIsLarge =
  (fit: TreeFit): TreeFit =>
  (x, y, options, random) =>
    fit(
      withCells(x, (v) => (Number.isNaN(v) ? 1e6 : v)),
      y,
      options,
      random,
    );

/** Stops at depth two. */
export const shallow =
  (fit: TreeFit): TreeFit =>
  (x, y, options, random) =>
    fit(x, y, { ...options, maxDepth: 2 }, random);

/** Steps against the gradient every other round's worth of rate. */
export const overshoots =
  (fit: TreeFit): TreeFit =>
  (x, y, options, random) =>
    fit(x, y, { ...options, learningRate: 25 }, random);

/** Leaves out the row it is given first. */
export const forgetsFirstRow =
  (fit: TreeFit): TreeFit =>
  (x, y, options, random) =>
    fit(x, y, { ...options, weights: Array.from({ length: x.rows }, (_, i) => Number(i > 0)) }, random);

/** Draws from a stream of its own. */
export const ownSeed = (fit: TreeFit): TreeFit => {
  let calls = 0;
  return (x, y, options) => fit(x, y, options, calls++);
};

/** Shares that sum to one exactly, by giving some trees more than others. */
export const unevenShares =
  (fit: TreeFit): TreeFit =>
  (x, y, options, random) =>
    withStructure(fit(x, y, options, random), (trees) => ({
      ...trees,
      value: trees.value.map((v, node) => (node < trees.roots[1]! ? v + Math.sign(v) * 2 ** -50 : v)),
    }));

/** Adds a constant to its inside that its scores do not have. */
export const shiftedInside =
  (fit: TreeFit): TreeFit =>
  (x, y, options, random) =>
    withStructure(fit(x, y, options, random), (trees) => ({ ...trees, base: trees.base + 1e-9 }));

/** Saves leaf values in single precision. */
export const savesSingles =
  (fit: TreeFit): TreeFit =>
  (x, y, options, random) => {
    const model = fit(x, y, options, random);
    const toJSON = (): object => {
      const saved = JSON.parse(JSON.stringify(model.toJSON())) as { forests: { value: number[] }[] };
      for (const forest of saved.forests) forest.value = forest.value.map(Math.fround);
      return saved;
    };
    return { ...model, toJSON };
  };

/** Answers with half of each score. */
export const halved =
  (fit: TreeFit): TreeFit =>
  (x, y, options, random) => {
    const model = fit(x, y, options, random);
    return { ...model, predict: (rows, output) => model.predict(rows, output).map((s) => s / 2) };
  };

/** Codes the largest value like a missing one. */
export const shiftedCodes =
  (code: (x: Matrix) => Columns) =>
  (x: Matrix): Columns => {
    const columns = code(x);
    return {
      ...columns,
      low: columns.low.map((low) => low.slice(1)),
      high: columns.high.map((h) => h.slice(1)),
    };
  };

type Bin = (columns: Columns, weights: Float64Array, bins: number, minWeight: number) => Columns;

/** Makes half as many bins. */
export const lightBins =
  (bin: Bin): Bin =>
  (columns, weights, bins, minWeight) =>
    bin(columns, weights, Math.ceil(bins / 2), minWeight);

export const roundsToSingles = (values: Float64Array): Float64Array => values.map(Math.fround);

/** Sends missing cells where the threshold would. */
export const forgetsMissing =
  (predict: (trees: Trees, rows: Matrix) => Float64Array) =>
  (trees: Trees, rows: Matrix): Float64Array =>
    predict({ ...trees, flags: new Uint8Array(trees.flags.length) }, rows);

/** Takes ≤ for <. */
export const alwaysInclusive =
  (predict: (trees: Trees, rows: Matrix) => Float64Array) =>
  (trees: Trees, rows: Matrix): Float64Array =>
    predict({ ...trees, inclusive: true }, rows);
