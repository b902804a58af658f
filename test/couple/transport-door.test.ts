import { describe, expect, test } from "vitest";
import { squaredEuclidean } from "../../src/couple/cost.ts";
import { type TransportOptions, transport } from "../../src/couple/transport.ts";
import type { ErrorCode } from "../../src/errors.ts";
import { fromRows, matrix } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import type { Cost, Matrix, Progress } from "../../src/types.ts";
import { slowClock } from "../support/clock.ts";
import { gaussian } from "../support/couple.ts";

const small = squaredEuclidean(gaussian(3, 2, 1, "x"), gaussian(2, 2, 1, "r"));

function withCell(value: number): Cost {
  return { n: 2, m: 2, row: (i, out) => out.fill(i === 1 ? value : 1), dense: () => matrix(2, 2) };
}

describe("what transport refuses", () => {
  const refused: [string, Cost | Matrix, TransportOptions, ErrorCode, RegExp][] = [
    ["negative weights", small, { a: [0.5, 0.7, -0.2] }, "WEIGHTS_INVALID", /a\[2\] is -0.2/],
    ["a weight that is none", small, { b: [Number.NaN, 1] }, "WEIGHTS_INVALID", /b\[0\] is NaN/],
    [
      "an infinite weight",
      small,
      { b: [Number.POSITIVE_INFINITY, 0] },
      "WEIGHTS_INVALID",
      /b\[0\] is Infinity/,
    ],
    ["weights of sum zero", small, { a: [0, 0, 0] }, "WEIGHTS_INVALID", /sums to 0/],
    ["weights of another sum", small, { b: [0.5, 0.5 + 2e-9] }, "WEIGHTS_INVALID", /must sum to one/],
    ["weights of another length", small, { a: [0.5, 0.5] }, "INPUT_SHAPE", /2 entries for 3 rows/],
    ["no rows", matrix(0, 3), {}, "INPUT_EMPTY", /0 × 3/],
    [
      "a cost of no columns",
      { ...small, m: 0, points: undefined } as unknown as Cost,
      {},
      "INPUT_EMPTY",
      /3 × 0/,
    ],
    ["NaN in a matrix", fromRows([[1, null]]), {}, "COST_INVALID", /column 1 is NaN/],
    ["NaN in a row of a cost", withCell(Number.NaN), {}, "COST_INVALID", /row 1 and column 0 is NaN/],
    [
      "Infinity in a row of a cost",
      withCell(Number.NEGATIVE_INFINITY),
      {},
      "COST_INVALID",
      /row 1 and column 0/,
    ],
    [
      "missing values in the points of a cost",
      { ...small, points: { x: fromRows([[1, null]]), r: fromRows([[1, 2]]) } },
      {},
      "COST_INVALID",
      /row 0, column 1/,
    ],
    ["too little memory", small, { limits: { bytes: 100 } }, "LIMIT_BYTES", /limits.bytes = 100/],
  ];

  test.each(refused)("%s", async (_, cost, options, code, message) => {
    const thrown = await transport(cost, options).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(thrown).toMatchObject({ name: "ColaError", code });
    expect((thrown as Error).message).toMatch(message);
  });

  test("weights within 1e-9 of one are taken, and divided by their sum", async () => {
    const p = await transport(small, { b: [0.5, 0.5 + 5e-10] });
    const total = p.mass.reduce((sum, mass) => sum + mass, 0);
    expect(Math.abs(total - 1)).toBeLessThan(1e-15);
  });
});

/** Points whose costs nearly all repeat: 0/1 cells. */
function binary(n: number, d: number, seed: number, side: string): Matrix {
  const source = stream(seed, "binary", side);
  return matrix(
    n,
    d,
    Float64Array.from({ length: n * d }, () => source.int(2)),
  );
}

/** One large problem for each long loop: the auction, the simplex with and without ties, the given matrix. */
const large: [string, () => Cost | Matrix, TransportOptions][] = [
  ["the assignment", () => squaredEuclidean(gaussian(2500, 8, 1, "x"), gaussian(2500, 8, 1, "r")), {}],
  ["the simplex", () => squaredEuclidean(gaussian(2500, 4, 1, "x"), gaussian(2000, 4, 1, "r")), {}],
  ["the simplex on ties", () => squaredEuclidean(binary(2500, 20, 1, "x"), binary(2500, 20, 1, "r")), {}],
  [
    "rows computed anew",
    () => squaredEuclidean(gaussian(2500, 8, 1, "x"), gaussian(2500, 8, 1, "r")),
    { limits: { bytes: 1e7 } },
  ],
  [
    "a given matrix",
    () => squaredEuclidean(gaussian(2000, 4, 1, "x"), gaussian(2000, 4, 1, "r")).dense(),
    {},
  ],
];

describe("a large problem can be stopped", () => {
  test.each(large)("%s stops at the very pause in which the abort comes", async (_, make, options) => {
    slowClock();
    const cost = make();
    for (const pause of [2, 5]) {
      const stop = new AbortController();
      const seen: Progress[] = [];
      const onProgress = (progress: Progress): void => {
        seen.push(progress);
        if (seen.length === pause) stop.abort();
      };
      const thrown = await transport(cost, { ...options, signal: stop.signal, onProgress }).catch(
        (error: unknown) => error,
      );
      const last = seen.at(-1)!;
      expect(thrown).toMatchObject({ code: "ABORTED", details: { done: last.done, total: last.total } });
      expect(seen.length).toBe(pause);
      expect(seen.every(({ done, total }, k) => done <= total && done >= (seen[k - 1]?.done ?? 0))).toBe(
        true,
      );
    }
  });

  test("a signal that has fired stops it before it starts", async () => {
    await expect(transport(small, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "ABORTED",
    });
  });

  test("the wall clock", async () => {
    slowClock();
    const cost = large[0]![1]();
    await expect(transport(cost, { limits: { timeMs: 1 } })).rejects.toMatchObject({ code: "LIMIT_TIME" });
  });
});
