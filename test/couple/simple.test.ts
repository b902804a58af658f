import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { coarsened } from "../../src/couple/coarsened.ts";
import { squaredEuclidean } from "../../src/couple/cost.ts";
import { fromDense, toDense } from "../../src/couple/dense.ts";
import { exact } from "../../src/couple/exact.ts";
import { nearest } from "../../src/couple/nearest.ts";
import { random } from "../../src/couple/random.ts";
import { transport } from "../../src/couple/transport.ts";
import { uniform } from "../../src/couple/uniform.ts";
import { fromRows, matrix } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import { colSums, gaussian, rowSums } from "../support/couple.ts";
import { nearestMutants, singlePrecision } from "../support/mutants/couple.ts";
import { refuses } from "../support/refuses.ts";

const sizes = fc.record({
  n: fc.integer({ min: 1, max: 12 }),
  m: fc.integer({ min: 1, max: 12 }),
  seed: fc.nat(1e6),
});

/** Σ mass·c of the nearest references is least; among equal costs the smallest j. */
async function nearestLaw(impl: typeof nearest): Promise<void> {
  await fc.assert(
    fc.asyncProperty(sizes, async ({ n, m, seed }) => {
      const cost = squaredEuclidean(gaussian(n, 2, seed, "x"), gaussian(m, 2, seed, "r"));
      expect(impl(cost).cost).toBeLessThanOrEqual((await transport(cost)).cost + 1e-12);
      expect(impl(matrix(n, m)).cols.every((j) => j === 0)).toBe(true);
    }),
    { numRuns: 40 },
  );
}

function roundTripLaw(impl: typeof fromDense): void {
  fc.assert(
    fc.property(sizes, ({ n, m, seed }) => {
      const source = stream(seed, "dense");
      const raw = Float64Array.from({ length: n * m }, () => (source.next() < 0.4 ? 0 : source.next()));
      raw[0] = 1;
      const sum = raw.reduce((s, v) => s + v, 0);
      const p = matrix(
        n,
        m,
        raw.map((v) => v / sum),
      );
      expect(Array.from(toDense(impl(p)).data)).toEqual(Array.from(p.data));
    }),
  );
}

describe("uniform", () => {
  test("every cell is 1/(nm), to the last bit in units", () => {
    const p = uniform(3, 7);
    expect(p.mass.length).toBe(21);
    expect(p.units!.every((u) => u === 1)).toBe(true);
    expect(p.total).toBe(21);
    for (const sum of colSums(p)) expect(sum).toBeCloseTo(1 / 7, 15);
  });

  test.each([
    [0, 3, "INPUT_EMPTY"],
    [3, 0, "INPUT_EMPTY"],
    [1.5, 3, "OPTION_INVALID"],
    [-1, 3, "OPTION_INVALID"],
    [Number.NaN, 3, "OPTION_INVALID"],
    [1e5, 1e5, "LIMIT_BYTES"],
  ])("%s × %s is refused with %s", (n, m, code) => {
    expect(() => uniform(n, m)).toThrow(expect.objectContaining({ code }));
  });
});

describe("random", () => {
  test("one partner per row, drawn evenly", () => {
    const p = random(6000, 3, { seed: 5 });
    expect(p.mass.length).toBe(6000);
    const counts = colSums(p);
    for (const share of counts) expect(Math.abs(share - 1 / 3)).toBeLessThan(4 * Math.sqrt(2 / 9 / 6000));
  });

  test("a row keeps its draw in any order and batch", () => {
    const keys = ["a", "b", "c", "d"];
    const draw = (chosen: readonly string[], dense: boolean): Map<string, string> => {
      const p = toDense(random(chosen.length, 50, { seed: 1, keys: chosen, dense }));
      return new Map(
        chosen.map((key, i) => [
          key,
          Array.from(p.data.subarray(i * 50, (i + 1) * 50), (v) => (v * chosen.length).toFixed(12)).join(),
        ]),
      );
    };
    for (const dense of [false, true]) {
      const all = draw(keys, dense);
      for (const [key, row] of draw(["d", "b"], dense)) expect(row).toBe(all.get(key));
      expect(new Set(all.values()).size).toBe(4);
    }
  });

  test("the dense variant fills every cell and keeps the rows", () => {
    const p = random(5, 8, { random: stream(3, "mine"), dense: true });
    expect(p.mass.length).toBe(40);
    expect(p.mass.every((v) => v > 0)).toBe(true);
    for (const sum of rowSums(p)) expect(sum).toBeCloseTo(0.2, 15);
    expect(new Set(p.mass).size).toBe(40);
  });

  test("it needs a seed or a stream, and a key per row", () => {
    expect(() => random(2, 2, {})).toThrow(expect.objectContaining({ code: "OPTION_INVALID" }));
    expect(() => random(2, 2, { seed: 1, keys: ["a"] })).toThrow(
      expect.objectContaining({ code: "INPUT_SHAPE" }),
    );
  });
});

describe("exact", () => {
  test("exact(n) is the identity over n", () => {
    const p = exact(4);
    expect(Array.from(toDense(p).data)).toEqual(
      Array.from(matrix(4, 4).data, (_, at) => (at % 5 === 0 ? 0.25 : 0)),
    );
    expect([p.units![0], p.total]).toEqual([1, 4]);
  });

  test("a partner per row, or pairs in any order with several partners", () => {
    const p = exact([2, 0, 2], 3);
    expect([Array.from(p.rows), Array.from(p.cols)]).toEqual([
      [0, 1, 2],
      [2, 0, 2],
    ]);
    const q = exact(
      [
        [1, 1],
        [0, 2],
        [0, 0],
        [0, 2],
      ],
      3,
    );
    expect(Array.from(toDense(q).data)).toEqual([0.25, 0, 0.25, 0, 0.5, 0]);
    expect([Array.from(q.units!), q.total]).toEqual([[1, 1, 2], 4]);
  });

  test.each([
    ["a reference outside", [0, 3], 3],
    ["a negative reference", [0, -1], 3],
    ["half a reference", [0, 0.5], 3],
    ["a missing reference", [0, Number.NaN], 3],
    [
      "a row without a partner",
      [
        [0, 0],
        [2, 1],
        [2, 2],
      ],
      3,
    ],
    [
      "a row far outside",
      [
        [0, 0],
        [1e9, 1],
      ],
      3,
    ],
    ["a negative row", [[-1, 0]], 3],
  ] as [string, number[], number][])("%s is refused", (_, pairs, m) => {
    expect(() => exact(pairs, m)).toThrow(expect.objectContaining({ code: "PAIRS_INVALID" }));
  });

  test("no rows are refused", () => {
    expect(() => exact(0)).toThrow(expect.objectContaining({ code: "INPUT_EMPTY" }));
    expect(() => exact([], 3)).toThrow(expect.objectContaining({ code: "INPUT_EMPTY" }));
  });
});

describe("nearest", () => {
  test("the cheapest reference; among equals the smallest j", () => {
    const p = nearest(
      fromRows([
        [3, 1, 1],
        [0, 5, 0],
        [2, 2, 2],
      ]),
    );
    expect(Array.from(p.cols)).toEqual([1, 0, 0]);
    expect(p.cost).toBe(1);
  });

  test("no coupling with even rows is cheaper", () => nearestLaw(nearest));

  test.each(Object.entries(nearestMutants))("%s is refused", async (_, mutant) => {
    await refuses(() => nearestLaw(mutant));
  });

  test("a cost that is not a number is refused", () => {
    const cost = {
      n: 1,
      m: 2,
      row: (_: number, out: Float64Array) => out.set([1, Number.NaN]),
      dense: () => matrix(1, 2),
    };
    expect(() => nearest(cost)).toThrow(expect.objectContaining({ code: "COST_INVALID" }));
  });
});

describe("coarsened", () => {
  test("evenly over the references in the same bins; alone in its bins, the nearest", () => {
    const x = fromRows([
      [0.05, 0],
      [0.95, 1],
      [0.55, 1],
    ]);
    const r = fromRows([
      [0, 0],
      [1, 1],
      [0.09, 0],
      [0.98, 1],
      [0.7, 0.9],
    ]);
    const p = toDense(coarsened(x, r));
    const row = (i: number): number[] => Array.from(p.data.subarray(5 * i, 5 * i + 5), (v) => 3 * v);
    expect(row(0)).toEqual([0.5, 0, 0.5, 0, 0]);
    expect(row(1)).toEqual([0, 0.5, 0, 0.5, 0]);
    expect(row(2)).toEqual([0, 0, 0, 0, 1]);
  });

  test("one bin is the uniform coupling, many bins the nearest of distinct rows", () => {
    const x = gaussian(6, 2, 1, "x");
    const r = gaussian(5, 2, 1, "r");
    expect(Array.from(toDense(coarsened(x, r, { bins: 1 })).data)).toEqual(
      Array.from(toDense(uniform(6, 5)).data),
    );
    const fine = coarsened(x, r, { bins: 1e9 });
    expect(Array.from(fine.cols)).toEqual(Array.from(nearest(squaredEuclidean(x, r)).cols));
  });

  test("constant columns make no strata; bad bins and missing values are refused", () => {
    const x = fromRows([
      [1, 0],
      [1, 0.01],
    ]);
    expect(coarsened(x, x).mass.length).toBe(2);
    expect(coarsened(fromRows([[1]]), fromRows([[1], [1]])).mass.length).toBe(2);
    expect(() => coarsened(x, x, { bins: 0 })).toThrow(expect.objectContaining({ code: "OPTION_INVALID" }));
    expect(() => coarsened(fromRows([[Number.NaN]]), fromRows([[1]]))).toThrow(
      expect.objectContaining({ code: "COST_INVALID" }),
    );
  });
});

describe("dense", () => {
  test("toDense undoes fromDense bit by bit", () => roundTripLaw(fromDense));

  test("masses rounded to single precision are refused", async () => {
    await refuses(() => roundTripLaw(singlePrecision));
  });

  test.each([
    ["a negative cell", [[1.5, -0.5]], "WEIGHTS_INVALID"],
    ["a missing cell", [[1, Number.NaN]], "WEIGHTS_INVALID"],
    [
      "rows that sum to one each",
      [
        [1, 0],
        [0, 1],
      ],
      "WEIGHTS_INVALID",
    ],
    ["no mass", [[0, 0]], "WEIGHTS_INVALID"],
    ["an infinite cell", [[Number.POSITIVE_INFINITY]], "INPUT_NOT_FINITE"],
    ["no cells", [], "INPUT_EMPTY"],
  ])("%s is refused", (_, rows, code) => {
    expect(() => fromDense(fromRows(rows))).toThrow(expect.objectContaining({ code }));
  });
});
