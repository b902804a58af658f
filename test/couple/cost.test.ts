import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { costOf, squaredEuclidean } from "../../src/couple/cost.ts";
import { fromRows, matrix } from "../../src/num/matrix.ts";
import type { Cost, Matrix } from "../../src/types.ts";
import { gaussian } from "../support/couple.ts";
import { refuses } from "../support/refuses.ts";

type Squared = (x: Matrix, r: Matrix) => Cost;

/** dense(), row() and Σ_k (x_ik − r_jk)² are the same numbers, bit by bit, for every shape. */
function definition(squared: Squared): void {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 6 }),
      fc.nat(1e6),
      (n, m, d, seed) => {
        const x = gaussian(n, d, seed, "x");
        const r = gaussian(m, d, seed, "r");
        const cost = squared(x, r);
        const dense = cost.dense();
        const row = new Float64Array(m);
        expect({ n: cost.n, m: cost.m }).toEqual({ n, m });
        for (let i = 0; i < n; i++) {
          cost.row(i, row);
          for (let j = 0; j < m; j++) {
            let sum = 0;
            for (let k = 0; k < d; k++) sum += (x.data[i * d + k]! - r.data[j * d + k]!) ** 2;
            expect(row[j]).toBe(sum);
            expect(dense.data[i * m + j]).toBe(sum);
          }
        }
      },
    ),
  );
}

describe("squaredEuclidean", () => {
  test("is the sum of squared differences", () => definition(squaredEuclidean));

  test("a cost without the square, or through inner products, is refused", async () => {
    const rooted: Squared = (x, r) => {
      const cost = squaredEuclidean(x, r);
      const dense = cost.dense();
      return { ...cost, dense: () => matrix(dense.rows, dense.cols, dense.data.map(Math.sqrt)) };
    };
    const expanded: Squared = (x, r) => {
      const dot = (a: Matrix, i: number, b: Matrix, j: number): number => {
        let sum = 0;
        for (let k = 0; k < a.cols; k++) sum += a.data[i * a.cols + k]! * b.data[j * b.cols + k]!;
        return sum;
      };
      return {
        ...squaredEuclidean(x, r),
        row: (i, out) => {
          for (let j = 0; j < r.rows; j++) out[j] = dot(x, i, x, i) - 2 * dot(x, i, r, j) + dot(r, j, r, j);
        },
      };
    };
    await refuses(() => definition(rooted));
    await refuses(() => definition(expanded));
  });

  test("keeps the points, and does not write them", () => {
    const x = gaussian(4, 2, 1, "x");
    const r = gaussian(3, 2, 1, "r");
    const before = [x.data.slice(), r.data.slice()];
    const cost = squaredEuclidean(x, r);
    cost.dense();
    expect(cost.points).toEqual({ x, r });
    expect([x.data, r.data]).toEqual(before);
  });

  const good = fromRows([[1, 2]]);
  test.each([
    ["missing values", fromRows([[1, null]]), good, "COST_INVALID", /row 0, column 1/],
    [
      "missing values in r",
      good,
      fromRows([
        [1, 2],
        [null, 1],
      ]),
      "COST_INVALID",
      /r has a missing value in row 1/,
    ],
    ["Infinity", fromRows([[1, Number.POSITIVE_INFINITY]]), good, "INPUT_NOT_FINITE", /Infinity/],
    ["other columns", good, fromRows([[1, 2, 3]]), "INPUT_SHAPE", /2 and 3/],
    ["no rows", matrix(0, 2), good, "INPUT_EMPTY", /0 × 2/],
    ["no columns", good, matrix(1, 0), "INPUT_EMPTY", /1 × 0/],
    ["cells of another number", { ...good, rows: 2 }, good, "INPUT_SHAPE", /rows × cols/],
    ["squares that overflow", fromRows([[1e200, 0]]), good, "COST_INVALID", /column 0/],
  ] as const)("refuses %s", (_, x, r, code, message) => {
    expect(() => squaredEuclidean(x, r)).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    );
  });
});

describe("costOf", () => {
  test("gives a cost back, and wraps a matrix without a copy", () => {
    const cost = squaredEuclidean(gaussian(2, 2, 1, "x"), gaussian(3, 2, 1, "r"));
    expect(costOf(cost)).toBe(cost);
    const c = fromRows([
      [1, -2, 3],
      [4, 5, 6],
    ]);
    const wrapped = costOf(c);
    const row = new Float64Array(3);
    wrapped.row(1, row);
    expect(Array.from(row)).toEqual([4, 5, 6]);
    expect(wrapped).toMatchObject({ n: 2, m: 3 });
    expect(wrapped.points).toBeUndefined();
    expect(wrapped.dense()).toBe(c);
  });

  test.each([
    ["NaN", fromRows([[1, null]]), "COST_INVALID", /row 0 and column 1 is NaN/],
    [
      "Infinity",
      fromRows([[1], [Number.POSITIVE_INFINITY]]),
      "COST_INVALID",
      /row 1 and column 0 is Infinity/,
    ],
    ["nothing", undefined as unknown as Matrix, "INPUT_SHAPE", /Float64Array/],
    ["no rows", matrix(0, 2), "INPUT_EMPTY", /0 × 2/],
    ["a wrong shape", { data: new Float64Array(3), rows: 2, cols: 2 }, "INPUT_SHAPE", /rows × cols/],
    [
      "cells that are none",
      { data: [1, 2], rows: 1, cols: 2 } as unknown as Matrix,
      "INPUT_SHAPE",
      /Float64Array/,
    ],
  ] as const)("refuses %s", (_, c, code, message) => {
    expect(() => costOf(c)).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    );
  });
});
