import { describe, expect, test } from "vitest";
import { squaredEuclidean } from "../../src/couple/cost.ts";
import { toDense } from "../../src/couple/dense.ts";
import { sinkhorn } from "../../src/couple/sinkhorn.ts";
import { fromRows } from "../../src/num/matrix.ts";
import { fixture, hasFixture } from "../support/fixtures.ts";

interface SinkhornFixture {
  readonly tolerance: { readonly plan_abs: number; readonly objective_rel: number };
  readonly cases: readonly {
    readonly name: string;
    readonly x: number[][];
    readonly r: number[][];
    readonly a: number[];
    readonly b: number[];
    readonly results: readonly {
      readonly eps: number;
      readonly plan: number[][];
      readonly transport_cost: number;
      readonly kl: number;
    }[];
  }[];
}

describe("sinkhorn against 40-digit Newton", () => {
  const file = "ot_sinkhorn.json";
  const reference = hasFixture(file) ? fixture<SinkhornFixture>(file) : undefined;

  test.skipIf(!reference)(`plans and values of ${file} (skipped where the file is missing)`, async () => {
    const { tolerance, cases } = reference!;
    for (const { x, r, a, b, results } of cases) {
      for (const { eps, plan, transport_cost, kl } of results) {
        const p = await sinkhorn(squaredEuclidean(fromRows(x), fromRows(r)), { epsilon: eps, a, b });
        const mass = toDense(p).data;
        const expected = plan.flat();
        mass.forEach((v, at) => {
          expect(Math.abs(v - expected[at]!)).toBeLessThanOrEqual(tolerance.plan_abs);
        });
        const divergence = p.mass.reduce(
          (s, v, e) => s + v * Math.log(v / (a[p.rows[e]!]! * b[p.cols[e]!]!)),
          0,
        );
        expect(Math.abs(p.cost / transport_cost - 1)).toBeLessThanOrEqual(tolerance.objective_rel);
        expect(Math.abs(divergence / kl - 1)).toBeLessThanOrEqual(tolerance.objective_rel);
        expect(p.converged).toBe(true);
      }
    }
  });
});
