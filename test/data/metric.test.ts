import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { distanceOf, fitMetric, type Metric, nearestUnder, squaredDistance } from "../../src/data/metric.ts";
import { nearRows } from "../../src/data/near-rows.ts";
import { fromRows, rowOf } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import type { Matrix, Schema } from "../../src/types.ts";
import { refuses } from "../support/refuses.ts";

const schema: Schema = {
  features: [
    { name: "a", kind: "numeric" },
    { name: "b", kind: "categorical", categories: ["x", "y", "z"] },
    { name: "c", kind: "integer" },
    { name: "d", kind: "boolean" },
  ],
};
const cell = fc.oneof(fc.integer({ min: 0, max: 2 }), fc.constant(Number.NaN));
const tables = fc.array(fc.tuple(cell, cell, cell, cell), { minLength: 1, maxLength: 40 }).map(fromRows);

/** The definition, term by term. */
function defined({ scale, use }: Metric, a: Float64Array, b: Float64Array): number {
  return schema.features.reduce((sum, { kind }, k) => {
    const [u, v] = [a[k]!, b[k]!];
    if (!use[k]) return sum;
    if (Number.isNaN(u) || Number.isNaN(v)) return sum + Number(Number.isNaN(u) !== Number.isNaN(v));
    return (
      sum + (kind === "categorical" || kind === "boolean" ? Number(u !== v) : ((u - v) / scale[k]!) ** 2)
    );
  }, 0);
}

type Nearest = typeof nearestUnder;

/** The rows a full sort by distance, then place, puts first. */
function nearestLaw(nearest: Nearest): void {
  fc.assert(
    fc.property(tables, fc.integer({ min: 1, max: 12 }), fc.nat(15), (rows, count, bits) => {
      const metric = fitMetric(
        schema,
        rows,
        [1, 2, 4, 8].map((bit) => bits & bit),
      );
      const x = rowOf(rows, 0);
      const far = Array.from({ length: rows.rows }, (_, i) => defined(metric, x, rowOf(rows, i)));
      const sorted = [...far.keys()].sort((i, j) => far[i]! - far[j]! || i - j).slice(0, count);
      expect([...nearest(metric, rows, x, count)].sort((i, j) => i - j)).toEqual(
        sorted.sort((i, j) => i - j),
      );
    }),
  );
}

describe("the mixed metric", () => {
  test("is the sum over the columns that count, and stops no sooner than the limit", () => {
    fc.assert(
      fc.property(tables, fc.double({ min: 0, max: 6, noNaN: true }), (rows, limit) => {
        const metric = fitMetric(schema, rows);
        for (let i = 0; i < rows.rows; i++) {
          const [a, b] = [rowOf(rows, 0), rowOf(rows, i)];
          const whole = defined(metric, a, b);
          expect(squaredDistance(metric, a, b)).toBe(whole);
          const stopped = distanceOf(metric)(a, b, limit);
          expect(whole > limit ? stopped > limit && stopped <= whole : stopped === whole).toBe(true);
        }
      }),
    );
  });

  test("finds the nearest rows, the first of those equally far", () => nearestLaw(nearestUnder));

  const wrong: Readonly<Record<string, Nearest>> = {
    "the last of those equally far": (metric, rows, x, count) =>
      nearestUnder(metric, turned(rows), x, count).map((i) => rows.rows - 1 - i),
    "one too few": (metric, rows, x, count) => nearestUnder(metric, rows, x, Math.max(1, count - 1)),
    "columns that do not count": (metric, rows, x, count) =>
      nearestUnder({ ...metric, use: [1, 1, 1, 1] }, rows, x, count),
  };
  test.each(Object.entries(wrong))("the law rejects %s", (_, nearest) => refuses(() => nearestLaw(nearest)));
});

const turned = (rows: Matrix): Matrix =>
  fromRows(Array.from({ length: rows.rows }, (_, i) => rowOf(rows, rows.rows - 1 - i)));

/** Many rows of few values, so that distances are equal often; some cells are missing, some columns do not count. */
function nearRowsLaw(near: typeof nearRows): void {
  fc.assert(
    fc.property(
      fc.nat(1e6),
      fc.integer({ min: 400, max: 2500 }),
      fc.integer({ min: 0, max: 260 }),
      fc.constantFrom(1, 3, 1e-100, 1e100),
      (seed, count, wanted, unit) => {
        const random = stream(seed, "near rows");
        const cell = (k: number): number => {
          if (random.next() < 0.05) return Number.NaN;
          return k % 2 ? random.int(2) : unit * (seed % 2 ? random.int(5) : random.normal());
        };
        const rows = fromRows(Array.from({ length: count }, () => [0, 1, 2, 3].map(cell)));
        const metric = fitMetric(schema, rows);
        const asked = near(metric, rows);
        for (const bits of [15, 1, 6, 0]) {
          const use = [1, 2, 4, 8].map((bit) => Number((bits & bit) > 0));
          const x = rowOf(rows, random.int(count));
          const found = Array.from(asked(use, x, wanted)).sort((i, j) => i - j);
          const plain = Array.from(nearestUnder({ ...metric, use }, rows, x, wanted)).sort((i, j) => i - j);
          expect(found).toEqual(plain);
        }
      },
    ),
    { numRuns: process.env["COLA_SOAK"] ? 2000 : 40 },
  );
}

describe("rows near others, over features that change", () => {
  test("are those a look at all of them finds", () => nearRowsLaw(nearRows));

  test("the law rejects a feature that counts where it should not", () =>
    refuses(() =>
      nearRowsLaw((metric, rows) => {
        const near = nearRows(metric, rows);
        return (use, x, count) => near([1, ...use.slice(1)], x, count);
      }),
    ));
});
