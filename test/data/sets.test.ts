import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { decodeText, readCsv } from "../../src/data/csv.ts";
import { dataSet, dataSets, prepareSet } from "../../src/data/sets/registry.ts";
import { legacyPermutation } from "../../src/num/mersenne.ts";
import type { Table } from "../../src/types.ts";
import { dataFile } from "../support/fixtures.ts";

const load = (name: string): Table =>
  readCsv(decodeText(readFileSync(dataFile(dataSet(name).info.file)!)), { dropRepeated: true });
const share = (labels: Int32Array): number => labels.reduce((a, b) => a + b, 0);

test("the legacy permutation is NumPy's", () => {
  // numpy.random.RandomState(0).permutation(10) and (42).permutation(5)
  expect([...legacyPermutation(10, 0)]).toEqual([2, 8, 4, 9, 1, 6, 7, 3, 0, 5]);
  expect([...legacyPermutation(5, 42)]).toEqual([1, 4, 2, 0, 3]);
});

test("an unknown data set is refused with the names there are", () => {
  expect(() => dataSet("iris")).toThrow(/german, hotel, compas, heloc/);
  expect(() => dataSet("__proto__")).toThrow(expect.objectContaining({ code: "NAME_UNKNOWN" }));
});

describe.each(Object.keys(dataSets))("%s", (name) => {
  const { info } = dataSet(name);
  const missing = dataFile(info.file) === undefined;

  test.skipIf(missing)(`is the published file (skipped where ${info.file} is absent)`, () => {
    const bytes = readFileSync(dataFile(info.file)!);
    expect(bytes.length).toBe(info.bytes);
    expect(createHash("sha256").update(bytes).digest("hex")).toBe(info.sha256);
  });

  test.skipIf(missing)(`has the counts of the paper's loaders (skipped where ${info.file} is absent)`, () => {
    const table = load(name);
    const preset = dataSet(name).preset(table);
    const product = dataSet(name).product(table);
    const expected = {
      german: { rows: 1000, cols: 9, ones: 300, wanted: 700, features: 9 },
      hotel: { rows: 119_390, cols: 29, ones: 44_224, wanted: 75_166, features: 29 },
      compas: { rows: 6172, cols: 15, ones: 3363, wanted: 3363, features: 6 },
      heloc: { rows: 9871, cols: 23, ones: 4735, wanted: 4735, features: 23 },
    }[name]!;
    expect({
      rows: preset.x.rows,
      cols: preset.x.cols,
      ones: share(preset.labels),
      wanted: share(product.labels),
      features: product.schema.features.length,
    }).toEqual(expected);
    expect(preset.x.data.every(Number.isFinite)).toBe(true);
    expect(preset.groups.flat()).toEqual(preset.names.map((_, k) => k));
    const sizes = { german: [700, 300], hotel: [83_573, 35_817], compas: [4937, 1235], heloc: [7896, 1975] }[
      name
    ]!;
    const authors = prepareSet(name, preset, "authors");
    expect([authors.train.rows, authors.test.rows]).toEqual(sizes);
  });
});

test.skipIf(dataFile("compas-scores-two-years.csv") === undefined)(
  "COMPAS means are the published ones",
  () => {
    const { x } = dataSet("compas").preset(load("compas"));
    const mean = (k: number): number => {
      let sum = 0;
      for (let i = 0; i < x.rows; i++) sum += x.data[i * x.cols + k]!;
      return sum / x.rows;
    };
    expect(mean(13)).toBeCloseTo(3.25, 2);
    expect(mean(14)).toBeCloseTo(14.65, 2);
  },
);

test.skipIf(dataFile("german_credit.csv") === undefined)(
  "training columns are standardised by training statistics",
  () => {
    const { train, test: part } = prepareSet("german", dataSet("german").preset(load("german")), "paper", 3);
    for (let k = 0; k < train.cols; k++) {
      const column = Array.from({ length: train.rows }, (_, i) => train.data[i * train.cols + k]!);
      expect(column.reduce((a, b) => a + b, 0) / train.rows).toBeCloseTo(0, 10);
      expect(column.reduce((a, b) => a + b * b, 0) / train.rows).toBeCloseTo(1, 10);
    }
    expect(part.rows).toBe(300);
  },
);
