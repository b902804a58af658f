import { ColaError } from "../../errors.ts";
import { takeRows } from "../../num/matrix.ts";
import { legacyPermutation } from "../../num/mersenne.ts";
import type { Matrix } from "../../types.ts";
import { compas } from "./compas.ts";
import type { DataSet, PresetSet } from "./contract.ts";
import { german } from "./german.ts";
import { heloc } from "./heloc.ts";
import { hotel } from "./hotel.ts";

/** The paper's four data sets. */
export const dataSets: Readonly<Record<string, DataSet>> = { german, hotel, compas, heloc };

export function dataSet(name: string): DataSet {
  if (Object.hasOwn(dataSets, name)) return dataSets[name]!;
  throw new ColaError(
    "NAME_UNKNOWN",
    `datasets: there is no data set ${JSON.stringify(name)}; there are ${Object.keys(dataSets).join(", ")}.`,
    { name },
  );
}

export type Preset = "paper" | "authors";

/** A split, standardised data set, ready for an experiment. */
export interface PreparedSet {
  readonly names: readonly string[];
  readonly groups: readonly (readonly number[])[];
  readonly train: Matrix;
  readonly test: Matrix;
  readonly trainLabels: Int32Array;
  readonly testLabels: Int32Array;
}

/** Test share of the authors' loaders; the paper says 30 % for all. */
const AUTHORS_SHARE: Readonly<Record<string, number>> = { german: 0.3, hotel: 0.3, compas: 0.2, heloc: 0.2 };

/**
 * Splits by `split` (0 is the published one) and standardises: `paper` 70:30 with training mean and population
 * sd; `authors` their shares, sample sd, and for COMPAS each part by its own statistics.
 */
export function prepareSet(name: string, set: PresetSet, preset: Preset, split = 0): PreparedSet {
  const share = preset === "authors" ? AUTHORS_SHARE[name]! : 0.3;
  const n = set.x.rows;
  const order = legacyPermutation(n, split);
  const count = Math.ceil(share * n);
  const [testRows, trainRows] = [order.subarray(0, count), order.subarray(count)];
  const [train, test] = [takeRows(set.x, trainRows), takeRows(set.x, testRows)];
  const ddof = preset === "authors" ? 1 : 0;
  const own = preset === "authors" && name === "compas";
  const trainStats = set.standardise.map((k) => moments(train, k, ddof));
  const testStats = own ? set.standardise.map((k) => moments(test, k, ddof)) : trainStats;
  standardiseInto(train, set.standardise, trainStats);
  standardiseInto(test, set.standardise, testStats);
  return {
    names: set.names,
    groups: set.groups,
    train,
    test,
    trainLabels: Int32Array.from(trainRows, (i) => set.labels[i]!),
    testLabels: Int32Array.from(testRows, (i) => set.labels[i]!),
  };
}

interface Moments {
  readonly mean: number;
  readonly sd: number;
}

function moments(x: Matrix, k: number, ddof: number): Moments {
  let mean = 0;
  for (let i = 0; i < x.rows; i++) mean += x.data[i * x.cols + k]! / x.rows;
  let squares = 0;
  for (let i = 0; i < x.rows; i++) squares += (x.data[i * x.cols + k]! - mean) ** 2;
  const sd = Math.sqrt(squares / (x.rows - ddof));
  return { mean, sd: sd > 0 ? sd : 1 };
}

function standardiseInto(x: Matrix, columns: readonly number[], stats: readonly Moments[]): void {
  columns.forEach((k, c) => {
    const { mean, sd } = stats[c]!;
    for (let i = 0; i < x.rows; i++) x.data[i * x.cols + k] = (x.data[i * x.cols + k]! - mean) / sd;
  });
}
