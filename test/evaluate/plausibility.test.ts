import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lof } from "../../src/evaluate/lof.ts";
import { yNN } from "../../src/evaluate/ynn.ts";
import { fromRows, matrix, rowOf } from "../../src/num/matrix.ts";
import type { Matrix } from "../../src/types.ts";
import { slowClock } from "../support/clock.ts";
import { gaussian } from "../support/couple.ts";
import { neighbourMutants } from "../support/mutants/evaluate.ts";
import { refuses } from "../support/refuses.ts";

interface Near {
  readonly j: number;
  readonly d: number;
}

/** All neighbours of a point by sorting, written apart from the library. */
function byDistance(point: ArrayLike<number>, reference: Matrix, without = -1): Near[] {
  return Array.from({ length: reference.rows }, (_, j) => ({
    j,
    d: Math.hypot(...Array.from(rowOf(reference, j), (v, k) => v - point[k]!)),
  }))
    .filter(({ j }) => j !== without)
    .sort((a, b) => a.d - b.d || a.j - b.j);
}

function lofBySorting(z: Matrix, reference: Matrix, k: number): number[] {
  const among = Array.from({ length: reference.rows }, (_, j) =>
    byDistance(rowOf(reference, j), reference, j).slice(0, k),
  );
  const density = (near: readonly Near[]): number =>
    k / near.reduce((sum, { j, d }) => sum + Math.max(d, among[j]!.at(-1)!.d), 0);
  return Array.from({ length: z.rows }, (_, i) => {
    const near = byDistance(rowOf(z, i), reference).slice(0, k);
    return near.reduce((sum, { j }) => sum + density(among[j]!), 0) / k / density(near);
  });
}

const cases = fc.record({
  rows: fc.integer({ min: 7, max: 20 }),
  queries: fc.integer({ min: 7, max: 9 }),
  k: fc.integer({ min: 2, max: 6 }),
  seed: fc.nat(1e6),
});

async function lofLaw(impl: typeof lof): Promise<void> {
  await fc.assert(
    fc.asyncProperty(cases, async ({ rows, queries, k, seed }) => {
      const [z, reference] = [gaussian(queries, 2, seed, "z"), gaussian(rows, 2, seed, "reference")];
      const found = await impl(z, reference, { k });
      lofBySorting(z, reference, k).forEach((expected, i) => {
        expect(Math.abs(found[i]! / expected - 1)).toBeLessThan(1e-6);
      });
    }),
    { numRuns: 50 },
  );
}

async function ynnLaw(impl: typeof yNN): Promise<void> {
  await fc.assert(
    fc.asyncProperty(cases, async ({ rows, queries, k, seed }) => {
      const [z, reference] = [gaussian(queries, 2, seed, "z"), gaussian(rows, 2, seed, "reference")];
      const flags = Array.from({ length: rows }, (_, j) => rowOf(reference, j)[0]! > 0);
      const { rows: shares, mean } = await impl(z, reference, flags, { k });
      const expected = Array.from({ length: queries }, (_, i) => {
        const near = byDistance(rowOf(z, i), reference).slice(0, k);
        return near.filter(({ j }) => flags[j]).length / k;
      });
      expected.forEach((share, i) => {
        expect(shares[i]).toBeCloseTo(share, 12);
      });
      expect(mean).toBeCloseTo(expected.reduce((sum, share) => sum + share, 0) / queries, 12);
    }),
    { numRuns: 50 },
  );
}

describe("lof", () => {
  test("equals the definition by sorting", () => lofLaw(lof));

  test.each(Object.entries(neighbourMutants))("%s is refused", async (_, mutant) => {
    await refuses(() => lofLaw(mutant.lof));
  });

  test("about 1 inside, large outside", async () => {
    const reference = gaussian(300, 2, 1, "reference");
    const [inside, outside] = await lof(
      fromRows([
        [0, 0],
        [8, 8],
      ]),
      reference,
    );
    expect(inside).toBeLessThan(1.2);
    expect(outside).toBeGreaterThan(4);
  });

  test("stacked equal rows are as dense as each other; apart from them is far out, in finite numbers", async () => {
    const reference = matrix(30, 1);
    const [same, apart] = await lof(fromRows([[0], [1]]), reference);
    expect(same).toBeCloseTo(1, 12);
    expect(apart).toBeGreaterThan(1e6);
    expect(Number.isFinite(apart)).toBe(true);
  });

  test("fewer reference rows than neighbours are enough, one is not", async () => {
    const z = fromRows([[0.5]]);
    const expected = lofBySorting(z, fromRows([[0], [1], [3]]), 2)[0]!;
    expect((await lof(z, fromRows([[0], [1], [3]])))[0]).toBeCloseTo(expected, 6);
    await expect(lof(z, fromRows([[0]]))).rejects.toMatchObject({ code: "INPUT_EMPTY" });
    await expect(lof(z, fromRows([[0], [1]]), { k: 0 })).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });

  test("an abort is heard while it works", async () => {
    slowClock();
    const reference = gaussian(4000, 8, 1, "reference");
    const controller = new AbortController();
    const run = lof(reference, reference, {
      signal: controller.signal,
      onProgress: ({ done }) => {
        if (done > 0) controller.abort();
      },
    });
    await expect(run).rejects.toMatchObject({ code: "ABORTED" });
  });
});

describe("yNN", () => {
  test("equals the definition by sorting", () => ynnLaw(yNN));

  test.each(Object.entries(neighbourMutants))("%s is refused", async (_, mutant) => {
    await refuses(() => ynnLaw(mutant.yNN));
  });

  test("five neighbours by default; a missing value is 1 from any value and 0 from a missing one", async () => {
    const reference = fromRows([[0], [0.1], [0.2], [0.3], [0.4], [0.5], [Number.NaN]]);
    const flags = [1, 1, 1, 0, 0, 0, 0];
    expect((await yNN(fromRows([[0]]), reference, flags)).mean).toBeCloseTo(0.6, 12);
    const { rows } = await yNN(fromRows([[Number.NaN]]), reference, [0, 0, 0, 0, 0, 0, 1], { k: 1 });
    expect(rows[0]).toBe(1);
  });

  test("refuses what does not fit", async () => {
    const z = fromRows([[0]]);
    await expect(yNN(z, fromRows([[0]]), [1, 0])).rejects.toMatchObject({ code: "INPUT_SHAPE" });
    await expect(yNN(z, fromRows([[0, 1]]), [1])).rejects.toMatchObject({ code: "INPUT_SHAPE" });
    await expect(yNN(z, matrix(0, 1), [])).rejects.toMatchObject({ code: "INPUT_EMPTY" });
    await expect(yNN(z, z, [1], { k: 1.5 })).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });
});
