import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { startWork } from "../../src/budget.ts";
import { assignment } from "../../src/couple/assignment.ts";
import { squaredEuclidean } from "../../src/couple/cost.ts";
import { dedupe } from "../../src/couple/dedupe.ts";
import { networkSimplex } from "../../src/couple/network-simplex.ts";
import { type CostRows, rowsOf } from "../../src/couple/problem.ts";
import { ShortLists } from "../../src/couple/short-list.ts";
import { unitsOf } from "../../src/couple/units.ts";
import { fromRows, matrix } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import type { Matrix } from "../../src/types.ts";
import { gaussian, weights } from "../support/couple.ts";

const work = startWork("test");

const costsOf = (c: Matrix): CostRows => rowsOf(c.rows, c.cols, c.data, (i) => i * c.cols);

async function bySimplex(c: Matrix): Promise<number> {
  const ones = new Float64Array(c.rows).fill(1);
  const { rows, cols, units } = await networkSimplex(costsOf(c), ones, ones, work);
  return units.reduce((sum, f, e) => sum + f * c.data[rows[e]! * c.cols + cols[e]!]!, 0);
}

async function byAssignment(c: Matrix): Promise<number | undefined> {
  const found = await assignment(costsOf(c), c.rows, work);
  return found?.col.reduce((sum, j, i) => sum + c.data[i * c.cols + j]!, 0);
}

describe("the two solvers", () => {
  test("agree on the value wherever both answer", async () => {
    let both = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 120 }),
        fc.integer({ min: 1, max: 6 }),
        fc.nat(1e6),
        async (n, d, seed) => {
          const c = squaredEuclidean(gaussian(n, d, seed, "x"), gaussian(n, d, seed, "r")).dense();
          const value = await byAssignment(c);
          if (value === undefined) return;
          both++;
          expect(Math.abs(value - (await bySimplex(c)))).toBeLessThanOrEqual(1e-12 * value);
        },
      ),
      { numRuns: 40 },
    );
    expect(both).toBeGreaterThan(30);
  });

  test("the assignment gives up where ties make its lists useless, and where prices drown the costs", async () => {
    const source = stream(3, "ties");
    const nearlyBinary = (p: number): Matrix =>
      matrix(
        300,
        6,
        Float64Array.from({ length: 1800 }, () => Number(source.next() < p) + 1e-7 * source.normal()),
      );
    const tied = squaredEuclidean(nearlyBinary(0.4), nearlyBinary(0.55)).dense();
    const wide = matrix(
      60,
      60,
      Float64Array.from({ length: 3600 }, () => 10 ** (24 * source.next() - 12)),
    );
    expect(await byAssignment(tied)).toBeUndefined();
    expect(await byAssignment(wide)).toBeUndefined();
  });
});

describe("short lists", () => {
  test("hold the K smallest reduced costs, and the limit bounds the others while v falls", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.nat(1e6), fc.boolean(), (m, seed, ties) => {
        const source = stream(seed, "lists");
        const data = Float64Array.from({ length: m }, () => (ties ? source.int(5) : source.normal()));
        const v = new Float64Array(m);
        const lists = new ShortLists(
          rowsOf(1, m, data, () => 0),
          1,
          v,
          16,
        );
        for (let round = 0; round < 4; round++) {
          lists.scan(0);
          const reduced = Array.from(data, (c, j) => c - v[j]!);
          const listed = Array.from(lists.cols);
          const smallest = reduced.slice().sort((p, q) => p - q);
          expect(listed.map((j) => reduced[j]!)).toEqual(smallest.slice(0, Math.min(16, m)));
          expect(new Set(listed).size).toBe(Math.min(16, m));
          for (let j = 0; j < m; j++) v[j]! -= source.int(3);
          const others = [...data.keys()].filter((j) => !listed.includes(j)).map((j) => data[j]! - v[j]!);
          expect(Math.min(...others)).toBeGreaterThanOrEqual(lists.limit[0]!);
        }
      }),
    );
  });
});

describe("units", () => {
  const sum = (values: Float64Array): number => values.reduce((s, w) => s + w, 0);

  test("uniform weights: lcm(n, m)", () => {
    const { a, b, total, exact } = unitsOf(new Float64Array(6).fill(1 / 6), new Float64Array(4).fill(1 / 4));
    expect({ a: [...a], b: [...b], total, exact }).toEqual({
      a: Array(6).fill(2),
      b: Array(4).fill(3),
      total: 12,
      exact: true,
    });
  });

  test("counts over a common number are found again", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1000), { minLength: 1, maxLength: 60 }), (counts) => {
        const n = counts.reduce((s, c) => s + c, 0) + 1;
        const whole = [...counts, 1];
        const { a, total, exact } = unitsOf(
          Float64Array.from(whole, (c) => c / n),
          Float64Array.of(1),
        );
        expect(exact).toBe(true);
        expect(n % total).toBe(0);
        expect(Array.from(a, (p) => p * (n / total))).toEqual(whole);
      }),
    );
  });

  test("other weights are rounded to 2^-52, none that is positive to zero", () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 200 }), fc.nat(1e6), (n, seed) => {
        const w = weights(n, seed).map((p, i) => (i === 0 ? p * 1e-25 : p));
        w[1]! += 1 - sum(w);
        const { a, b, total, exact } = unitsOf(w, weights(n, seed + 1));
        expect(exact).toBe(false);
        expect(sum(a)).toBe(total);
        expect(sum(b)).toBe(total);
        expect(a.every((p) => Number.isInteger(p) && p >= 1)).toBe(true);
        a.forEach((p, i) => {
          expect(Math.abs(p / total - w[i]!)).toBeLessThanOrEqual(2 ** -51);
        });
      }),
    );
  });
});

describe("dedupe", () => {
  test("groups equal rows, by content, then weight, then position", () => {
    const x = fromRows([
      [1, 2],
      [0, 5],
      [1, 2],
      [-0, 5],
      [1, 1],
    ]);
    const { order, start } = dedupe(x, Float64Array.of(0.3, 0.1, 0.2, 0.1, 0.3));
    expect(Array.from(order)).toEqual([1, 3, 4, 2, 0]);
    expect(Array.from(start)).toEqual([0, 2, 3, 5]);
  });
});
