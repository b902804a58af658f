import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { finish } from "../../../src/model/steps.ts";
import { fromRows } from "../../../src/num/matrix.ts";
import { stream } from "../../../src/num/random.ts";
import {
  binColumns as binSteps,
  type Columns,
  codeColumns as codeSteps,
  threshold,
} from "../../../src/train/trees/columns.ts";
import { fixedPoint } from "../../../src/train/trees/fixed-point.ts";
import { fitXgboost } from "../../../src/train/xgboost.ts";
import type { Matrix } from "../../../src/types.ts";
import { sampleClasses } from "../../support/classes.ts";
import { lightBins, roundsToSingles, shiftedCodes } from "../../support/mutants/trees.ts";
import { refuses } from "../../support/refuses.ts";
import { smallTables } from "../../support/tables.ts";

const codeColumns = (x: Matrix): Columns => finish(codeSteps(x));
const binColumns = (...given: Parameters<typeof binSteps>): Columns => finish(binSteps(...given));

describe("codes", () => {
  type Code = (x: Matrix) => Columns;
  const law = (code: Code): void =>
    fc.assert(
      fc.property(smallTables(2), ({ x }) => {
        const { codes, low, high } = code(x);
        for (let k = 0; k < x.cols; k++) {
          expect(Array.from(low[k]!)).toEqual([...new Set(low[k])].sort((a, b) => a - b));
          for (let i = 0; i < x.rows; i++) {
            const z = x.data[i * x.cols + k]!;
            const c = codes[k]![i]!;
            if (Number.isNaN(z)) expect(c).toBe(low[k]!.length);
            else expect([low[k]![c]! <= z, z <= high[k]![c]!]).toEqual([true, true]);
          }
        }
      }),
      { endOnFailure: true },
    );
  const binned: Code = (x) => binColumns(codeColumns(x), new Float64Array(x.rows).fill(1), 3, 2);
  test("name the value of each cell, exactly or by bin", () => {
    law(codeColumns);
    law(binned);
  });
  test("codes off by one are refused", async () => {
    await refuses(() => law(shiftedCodes(codeColumns)));
    await refuses(() => law(shiftedCodes(binned)));
  });
  test("more than 65,535 values need wider codes", () => {
    const x = { data: Float64Array.from({ length: 65_540 }, (_, i) => i), rows: 65_540, cols: 1 };
    const { codes } = codeColumns(x);
    expect(codes[0]).toBeInstanceOf(Uint32Array);
    expect(codes[0]![65_539]).toBe(65_539);
  });
});

describe("bins", () => {
  const weightsOf = ({ codes, low }: Columns, weights: Float64Array): number[] => {
    const sums = new Array<number>(low[0]!.length).fill(0);
    codes[0]!.forEach((c, i) => {
      sums[c]! += weights[i]!;
    });
    return sums;
  };
  type Bin = typeof binColumns;
  /** n values of equal weight in so many bins: none is twice as heavy as the mean or lighter than a half. */
  const law = (bin: Bin): void =>
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 40 }), fc.integer({ min: 1, max: 6 }), (bins, times) => {
        const n = bins * 7 * times;
        const x = { data: Float64Array.from({ length: n }, (_, i) => i * i), rows: n, cols: 1 };
        const weights = new Float64Array(n).fill(1);
        const columns = bin(codeColumns(x), weights, bins, 1);
        expect(columns.low[0]!.length).toBe(bins);
        for (const w of weightsOf(columns, weights)) expect(Math.abs(w - n / bins)).toBeLessThanOrEqual(1);
      }),
      { endOnFailure: true },
    );
  test("share the weight evenly", () => law(binColumns));
  test("bins of half as many are refused", () => refuses(() => law(lightBins(binColumns))));

  test("a heavy value has one of its own, light neighbours are merged", () => {
    const cells = [...new Array<number>(50).fill(5), ...Array.from({ length: 20 }, (_, i) => i / 4)];
    const x = fromRows(cells.map((v) => [v]));
    const weights = new Float64Array(70).fill(1);
    const heavy = binColumns(codeColumns(x), weights, 4, 1);
    const own = Array.from(heavy.low[0]!).findIndex((v, b) => v === 5 && heavy.high[0]![b] === 5);
    expect(weightsOf(heavy, weights)[own]).toBe(50);
    expect(heavy.low[0]!.length).toBe(4);
    // A bin of two closes early, before the heavy value, rather than taking it in.
    const counts = [1, 1, 50, 1, 1, 1, 1, 1, 1, 1];
    const early = fromRows(counts.flatMap((count, v) => new Array<number[]>(count).fill([v])));
    const ones = new Float64Array(early.rows).fill(1);
    expect(weightsOf(binColumns(codeColumns(early), ones, 4, 1), ones).slice(0, 2)).toEqual([2, 50]);
    const merged = binColumns(codeColumns(fromRows([[1], [2], [3], [4], [5], [6]])), weights, 9, 3);
    expect([Array.from(merged.low[0]!), Array.from(merged.high[0]!)]).toEqual([
      [1, 4],
      [3, 6],
    ]);
    expect(threshold(merged, 0, 0, 1)).toBe(3.5);
  });

  test("with a bin per value the histogram finds what the exact search finds", () => {
    for (const seed of [1, 2, 3]) {
      const { x, y } = sampleClasses(120, 3, seed === 2 ? 3 : 2, seed);
      x.data.forEach((v, c) => {
        x.data[c] = c % 11 === 0 ? Number.NaN : Math.round(8 * v) / 8;
      });
      const [a, b] = (["hist", "exact"] as const).map((method) => fitXgboost(x, y, { method, trees: 10 }));
      expect(JSON.stringify(a)).toBe(JSON.stringify(b));
    }
  });
});

describe("fixed point", () => {
  type Round = (values: Float64Array) => Float64Array;
  const law = (round: Round): void =>
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: -280, max: 300 }), (seed, exponent) => {
        const random = stream(seed);
        const values = Float64Array.from({ length: 200 }, () => random.normal() * 10 ** exponent);
        const rounded = round(values);
        const sum = (order: ArrayLike<number>): number =>
          Array.from(order).reduce((s, i) => s + rounded[i]!, 0);
        expect(sum(random.permutation(200))).toBe(sum(random.permutation(200)));
        const most = Math.max(...values.map(Math.abs));
        values.forEach((v, i) => void expect(Math.abs(v - rounded[i]!)).toBeLessThanOrEqual(most * 2 ** -43));
      }),
      { numRuns: 50, endOnFailure: true },
    );
  test("sums in any order to the same bits, and stays close", () => law(fixedPoint));
  test("plain and single-precision numbers are refused", async () => {
    await refuses(() => law((values) => values));
    await refuses(() => law(roundsToSingles));
  });
  test("whole numbers stay what they are", () => {
    const whole = Float64Array.of(3, 0, -7, 2 ** 20);
    expect(fixedPoint(whole)).toEqual(whole);
    expect(fixedPoint(new Float64Array(3))).toEqual(new Float64Array(3));
  });
});
