import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { startWork } from "../../src/budget.ts";
import { fromRows, rowOf } from "../../src/num/matrix.ts";
import { type Near, neighbours } from "../../src/num/neighbours.ts";
import { stream } from "../../src/num/random.ts";
import type { Matrix } from "../../src/types.ts";
import { neighbourMutants } from "../support/mutants/generate.ts";
import { refuses } from "../support/refuses.ts";

type Build = (
  points: Matrix,
  mismatch: Uint8Array,
) => Promise<{ nearest(q: Float64Array, count: number): Near }>;

const real: Build = (points, mismatch) => neighbours(points, startWork("test"), mismatch);

function distance(a: Float64Array, b: Float64Array, mismatch: Uint8Array): number {
  return a.reduce((sum, v, k) => {
    if (Number.isNaN(v) || Number.isNaN(b[k]!)) return sum + (Number.isNaN(v) && Number.isNaN(b[k]!) ? 0 : 1);
    return sum + (mismatch[k] ? Number(v !== b[k]) : Math.abs(v - b[k]!));
  }, 0);
}

const cell = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 40 }).map((v) => v / 8) },
  { weight: 1, arbitrary: fc.constant(Number.NaN) },
);
const cases = fc.integer({ min: 1, max: 19 }).chain((cols) =>
  fc.record({
    points: fc.array(fc.array(cell, { minLength: cols, maxLength: cols }), { minLength: 1, maxLength: 60 }),
    query: fc.array(cell, { minLength: cols, maxLength: cols }),
    levels: fc.array(fc.boolean(), { minLength: cols, maxLength: cols }),
    count: fc.integer({ min: 1, max: 70 }),
  }),
);

/** The nearest are those a full scan finds, nearest first, ties by index. */
const scanLaw = (build: Build): Promise<void> =>
  fc.assert(
    fc.asyncProperty(cases, async ({ points, query, levels, count }) => {
      const mismatch = Uint8Array.from(levels, Number);
      const whole = (row: number[]): number[] => row.map((v, k) => (mismatch[k] ? Math.floor(8 * v) : v));
      const rows = fromRows(points.map(whole));
      const q = Float64Array.from(whole(query));
      const all = points.map((_, j) => ({ j, far: distance(rowOf(rows, j), q, mismatch) }));
      all.sort((a, b) => a.far - b.far || a.j - b.j);
      const near = (await build(rows, mismatch)).nearest(q, count);
      expect([...near.index]).toEqual(all.slice(0, count).map(({ j }) => j));
      all.slice(0, count).forEach(({ far }, t) => {
        expect(near.distance[t]).toBeCloseTo(far, 9);
      });
    }),
    { numRuns: 150 },
  );

describe("nearest neighbours", () => {
  test("are those of a full scan", () => scanLaw(real));

  test.each(Object.entries(neighbourMutants))("%s is refused", (_, mutant) => refuses(() => scanLaw(mutant)));

  test("many points: bins, words and early stops change nothing", async () => {
    const source = stream(3, "neighbours");
    const cols = 23;
    const data = Float64Array.from({ length: 3000 * cols }, () => source.next());
    const points = { data, rows: 3000, cols };
    const none = new Uint8Array(cols);
    const index = await real(points, none);
    for (let t = 0; t < 10; t++) {
      const q = Float64Array.from({ length: cols }, () => source.next());
      const all = Array.from({ length: 3000 }, (_, j) => ({ j, far: distance(rowOf(points, j), q, none) }));
      all.sort((a, b) => a.far - b.far);
      expect([...index.nearest(q, 25).index]).toEqual(all.slice(0, 25).map(({ j }) => j));
    }
  });

  test("no points, none asked for", async () => {
    const none = await real({ data: new Float64Array(0), rows: 0, cols: 2 }, new Uint8Array(2));
    expect(none.nearest(Float64Array.of(1, 2), 3).index.length).toBe(0);
    const one = await real(fromRows([[1, 2]]), new Uint8Array(2));
    expect(one.nearest(Float64Array.of(1, 2), 0).index.length).toBe(0);
  });
});
