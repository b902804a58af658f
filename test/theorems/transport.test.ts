import fc from "fast-check";
import { expect, test } from "vitest";
import { sinkhorn, squaredEuclidean, transport } from "../../src/couple/index.ts";
import { w1 } from "../../src/num/divergence.ts";
import { rowOf } from "../../src/num/matrix.ts";
import type { Coupling, Matrix } from "../../src/types.ts";

const point = fc.array(fc.double({ min: -3, max: 3, noNaN: true }), { minLength: 2, maxLength: 2 });
const points = fc
  .array(point, { minLength: 1, maxLength: 6 })
  .map((rows): Matrix => ({ data: Float64Array.from(rows.flat()), rows: rows.length, cols: 2 }));

/** A score with Lipschitz constant ‖w‖: a wave along w. */
const score = (w: readonly number[], rows: Matrix): Float64Array =>
  Float64Array.from({ length: rows.rows }, (_, i) =>
    Math.sin(w[0]! * rowOf(rows, i)[0]! + w[1]! * rowOf(rows, i)[1]!),
  );

test("W1(f(x), f(r)) ≤ L·√(Σ p‖x − r‖²) for an L-Lipschitz score and the optimal plan", async () => {
  const law = (slope: (w: readonly number[]) => number): Promise<void> =>
    fc.assert(
      fc.asyncProperty(points, points, point, async (x, r, w) => {
        const { cost } = await transport(squaredEuclidean(x, r));
        const bound = slope(w) * Math.sqrt(Math.max(0, cost));
        expect(w1(score(w, x), score(w, r))).toBeLessThanOrEqual(bound + 1e-9);
      }),
      { numRuns: 200, seed: 10 },
    );
  await law((w) => Math.hypot(...w));
  await expect(law((w) => 0.5 * Math.hypot(...w))).rejects.toThrow();
});

test("Sinkhorn tends to the exact plan: its cost falls to the optimum as ε → 0 and never lies below it", async () => {
  type Solve = (cost: ReturnType<typeof squaredEuclidean>, epsilon: number) => Promise<Coupling>;
  const law = (solve: Solve): Promise<void> =>
    fc.assert(
      fc.asyncProperty(points, points, async (x, r) => {
        const cost = squaredEuclidean(x, r);
        const exact = (await transport(cost)).cost;
        const costs: number[] = [];
        for (const epsilon of [1, 0.1, 0.01]) costs.push((await solve(cost, epsilon)).cost);
        for (const [t, value] of costs.entries()) {
          expect(value).toBeGreaterThanOrEqual(exact - 1e-7);
          // The entropy of a coupling of n × m rows lies between 0 and log(nm), so ε buys at most ε·log(nm).
          expect(value).toBeLessThanOrEqual(exact + [1, 0.1, 0.01][t]! * Math.log(x.rows * r.rows) + 1e-7);
        }
      }),
      { numRuns: 60, seed: 11 },
    );
  await law((cost, epsilon) => sinkhorn(cost, { epsilon }));
  await expect(law((cost, epsilon) => sinkhorn(cost, { epsilon: epsilon + 5 }))).rejects.toThrow();
});
