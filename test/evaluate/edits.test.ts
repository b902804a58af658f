import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { distance, distanceRatio } from "../../src/evaluate/distance.ts";
import { margin } from "../../src/evaluate/margin.ts";
import { redundancy } from "../../src/evaluate/redundancy.ts";
import { sparsity } from "../../src/evaluate/sparsity.ts";
import { validity } from "../../src/evaluate/validity.ts";
import { fromRows, matrix, rowOf } from "../../src/num/matrix.ts";
import type { Matrix, Model } from "../../src/types.ts";
import { distanceMutants, greedyRedundancy, sparsityMutants } from "../support/mutants/evaluate.ts";
import { refuses } from "../support/refuses.ts";

const NaNs = Number.NaN;
const cell = fc.constantFrom(0, 1, 2.5, -1, Number.NaN, -0);

function pairOf(n: number, d: number): fc.Arbitrary<{ x: Matrix; z: Matrix }> {
  const cells = fc.array(cell, { minLength: n * d, maxLength: n * d });
  return fc
    .tuple(cells, cells)
    .map(([x, z]) => ({ x: matrix(n, d, Float64Array.from(x)), z: matrix(n, d, Float64Array.from(z)) }));
}

const pairs = fc
  .tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 5 }))
  .chain(([n, d]) => pairOf(n, d));

/** ‖z_i − x_i‖₀ counts features with another typed value, a group of columns once. */
function sparsityLaw(count: typeof sparsity): void {
  fc.assert(
    fc.property(pairs, ({ x, z }) => {
      const differs = (i: number, k: number): boolean => {
        const [a, b] = [rowOf(x, i)[k]!, rowOf(z, i)[k]!];
        return Number.isNaN(a) || Number.isNaN(b) ? Number.isNaN(a) !== Number.isNaN(b) : a - b !== 0;
      };
      const single = count(x, z);
      const groups = x.cols > 2 ? [[0, 1], [x.cols - 1]] : [[0]];
      const grouped = count(x, z, { groups });
      for (let i = 0; i < x.rows; i++) {
        const columns = Array.from({ length: x.cols }, (_, k) => differs(i, k));
        expect(single.edits[i]).toBe(columns.filter(Boolean).length);
        expect(grouped.edits[i]).toBe(groups.filter((group) => group.some((k) => columns[k])).length);
      }
      expect(single.total).toBe(single.byFeature.reduce((sum, c) => sum + c, 0));
      expect(single.mean).toBeCloseTo(single.total / x.rows, 12);
    }),
  );
  const near = count(fromRows([[1, 5]]), fromRows([[1.05, 5.2]]), { tolerance: 0.1 });
  expect(Array.from(near.changed)).toEqual([0, 1]);
  expect(count(fromRows([[1, 5]]), fromRows([[1.05, 5.2]]), { tolerance: [0, 1] }).total).toBe(1);
}

describe("sparsity", () => {
  test("keeps its law", () => sparsityLaw(sparsity));

  test.each(Object.entries(sparsityMutants))("%s is refused", async (_, mutant) => {
    await refuses(() => sparsityLaw(mutant));
  });

  test("refuses shapes and options that do not fit", () => {
    const x = fromRows([[1, 2]]);
    const refusal = (code: string): unknown => expect.objectContaining({ code });
    expect(() => sparsity(x, fromRows([[1]]))).toThrow(refusal("INPUT_SHAPE"));
    expect(() =>
      sparsity(
        x,
        fromRows([
          [1, 2],
          [1, 2],
        ]),
      ),
    ).toThrow(refusal("INPUT_SHAPE"));
    expect(() => sparsity(matrix(0, 2), matrix(0, 2))).toThrow(refusal("INPUT_EMPTY"));
    expect(() => sparsity(x, fromRows([[1, Number.POSITIVE_INFINITY]]))).toThrow(refusal("INPUT_NOT_FINITE"));
    expect(() => sparsity(x, x, { tolerance: -1 })).toThrow(refusal("OPTION_INVALID"));
    expect(() => sparsity(x, x, { groups: [[2]] })).toThrow(refusal("OPTION_INVALID"));
  });
});

/** ‖·‖₂ ≤ ‖·‖₁, both 0 only without edits, symmetric; ‖·‖_F = √Σ ‖·‖₂² keeps the triangle on complete rows. */
function distanceLaw(impl: typeof distance): void {
  fc.assert(
    fc.property(pairs, pairs, ({ x, z }, other) => {
      const y = other.x.data.length === x.data.length && other.x.cols === x.cols ? other.x : x;
      const [xz, zx, xy, yz] = [impl(x, z), impl(z, x), impl(x, y), impl(y, z)];
      const edits = sparsity(x, z).edits;
      for (let i = 0; i < x.rows; i++) {
        expect(xz.l1[i]).toBe(zx.l1[i]);
        expect(xz.l2[i]!).toBeLessThanOrEqual(xz.l1[i]! + 1e-12);
        expect(xz.l1[i]! > 0).toBe(edits[i]! > 0);
      }
      expect(xz.frobenius).toBeCloseTo(Math.hypot(...xz.l2), 12);
      const complete = [x, y, z].every((m) => !m.data.some(Number.isNaN));
      if (complete) expect(xz.frobenius).toBeLessThanOrEqual(xy.frobenius + yz.frobenius + 1e-12);
    }),
  );
}

describe("distance", () => {
  test("row by row and in all", () => {
    const x = fromRows([
      [0, 0, NaNs],
      [1, 1, 1],
    ]);
    const z = fromRows([
      [3, -4, NaNs],
      [1, NaNs, 1],
    ]);
    const { l1, l2, frobenius } = distance(x, z);
    expect(Array.from(l1)).toEqual([7, 1]);
    expect(Array.from(l2)).toEqual([5, 1]);
    expect(frobenius).toBeCloseTo(Math.sqrt(26), 15);
  });

  test("norms are ordered, symmetric, and keep the triangle", () => distanceLaw(distance));

  test.each(Object.entries(distanceMutants))("%s is refused", async (_, mutant) => {
    await refuses(() => distanceLaw(mutant));
  });

  test("ratios of z to r; none where r = x", () => {
    const x = fromRows([
      [0, 0],
      [0, 0],
    ]);
    const r = fromRows([
      [3, 4],
      [0, 2],
    ]);
    const z = fromRows([
      [3, 0],
      [0, 0],
    ]);
    const { l0, l1, l2, frobenius } = distanceRatio(x, z, r);
    expect(l0).toBeCloseTo(1 / 3, 15);
    expect(l1).toBeCloseTo(3 / 9, 15);
    expect(l2).toBeCloseTo(3 / 7, 15);
    expect(frobenius).toBeCloseTo(3 / Math.sqrt(29), 15);
    expect(distanceRatio(x, z, x)).toEqual({ l0: null, l1: null, l2: null, frobenius: null });
    expect(() => distanceRatio(x, z, fromRows([[1, 1]]))).toThrow(
      expect.objectContaining({ code: "INPUT_SHAPE" }),
    );
  });
});

const classes: Model = {
  outputs: ["no", "maybe", "yes"],
  predict: (rows, output = 0) => Float64Array.from({ length: rows.rows }, (_, i) => rowOf(rows, i)[output]!),
};

describe("validity and margin", () => {
  const rows = fromRows([
    [0.2, 0.3, 0.5],
    [0.4, 0.2, 0.4],
    [0.6, 0.3, 0.1],
  ]);

  test("a class strictly above every other", async () => {
    const { valid, share, margins } = await validity(classes, rows, { class: "yes" });
    expect(Array.from(valid)).toEqual([1, 0, 0]);
    expect(share).toBeCloseTo(1 / 3, 15);
    [0.2, 0, -0.5].forEach((expected, i) => {
      expect(margins[i]).toBeCloseTo(expected, 12);
    });
    expect((await validity(classes, rows, { class: "yes" }, { minMargin: 0.3 })).share).toBe(0);
  });

  test("a plain function and a range", async () => {
    const f = (table: Matrix): number[] => Array.from({ length: table.rows }, (_, i) => rowOf(table, i)[0]!);
    expect(Array.from(await margin(f, rows, { min: 0.4 }))).toEqual([-0.2, 0, 0.19999999999999996]);
    expect(Array.from((await validity(f, rows, { min: 0.4 })).valid)).toEqual([0, 1, 1]);
    expect(Array.from((await validity(f, rows, { above: 0.4 })).valid)).toEqual([0, 0, 1]);
  });

  test("a model that answers NaN is told apart", async () => {
    await expect(validity(() => [Number.NaN], fromRows([[1]]), { class: 1 })).rejects.toMatchObject({
      code: "PREDICT_NAN",
    });
    await expect(validity(classes, matrix(0, 3), { class: 1 })).rejects.toMatchObject({
      code: "INPUT_EMPTY",
    });
  });
});

/** redundancy_i = #{k edited : the goal survives z_ik ← x_ik}, by trying. */
async function redundancyLaw(impl: typeof redundancy): Promise<void> {
  const weights = [2, -1, 1, 1];
  const sum = (row: ArrayLike<number>): number => weights.reduce((s, w, k) => s + w * row[k]!, 0);
  const reaches = (rows: Matrix): boolean[] =>
    Array.from({ length: rows.rows }, (_, i) => sum(rowOf(rows, i)) > 1.5);
  const cells = fc.array(fc.constantFrom(0, 1, 2), { minLength: 12, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(cells, cells, async (from, to) => {
      const [x, z] = [matrix(3, 4, Float64Array.from(from)), matrix(3, 4, Float64Array.from(to))];
      const expected = [0, 1, 2].map((i) => {
        if (!reaches(z)[i]) return 0;
        return [0, 1, 2, 3].filter((k) => {
          const row = rowOf(z, i).slice();
          row[k] = rowOf(x, i)[k]!;
          return rowOf(x, i)[k] !== rowOf(z, i)[k] && sum(row) > 1.5;
        }).length;
      });
      expect(Array.from(await impl(x, z, reaches))).toEqual(expected);
    }),
  );
}

describe("redundancy", () => {
  test("equals trying each edit", () => redundancyLaw(redundancy));

  test("all edits counted as soon as one is redundant is refused", async () => {
    await refuses(() => redundancyLaw(greedyRedundancy));
  });

  test("columns of a group are undone together; a wrong number of flags is refused", async () => {
    const [x, z] = [fromRows([[0, 0, 0]]), fromRows([[1, 1, 1]])];
    const together = (rows: Matrix): boolean[] =>
      Array.from({ length: rows.rows }, (_, i) => rowOf(rows, i)[0] === rowOf(rows, i)[1]);
    expect(Array.from(await redundancy(x, z, together))).toEqual([1]);
    expect(Array.from(await redundancy(x, z, together, { groups: [[0, 1], [2]] }))).toEqual([2]);
    expect(Array.from(await redundancy(x, x, together))).toEqual([0]);
    await expect(redundancy(x, z, () => [true, true])).rejects.toMatchObject({ code: "INPUT_SHAPE" });
  });
});
