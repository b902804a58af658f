import { expect, test } from "vitest";
import { explain } from "../../src/explain.ts";
import { linearKernels } from "../../src/model/linear-kernels.ts";
import { fromRows } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import type { Model } from "../../src/types.ts";

/** 0.4 − 0.1·a, in the open. */
const falling: Model = {
  outputs: ["score"],
  predict: ({ data, rows }) => Float64Array.from({ length: rows }, (_, i) => 0.4 - 0.1 * data[i]!),
  structure: () => ({
    kind: "linear",
    intercept: 0.4,
    weights: Float64Array.of(-0.1),
    link: "identity",
    kernels: linearKernels,
  }),
};

test("a last value that misses the target by rounding alone is asked for once, not until the effort is spent", async () => {
  const { rows } = await explain({
    model: falling,
    x: fromRows([[3]]),
    references: fromRows([[0]]),
    goal: { kind: "each", target: { min: 0.4 - 0.1 + 1e-16 } },
    limits: { modelRows: 100 },
    schema: { features: [{ name: "a", kind: "integer", min: 1, max: 3 }] },
  });
  expect(rows[0]).toMatchObject({ status: "infeasible", proof: { claim: "none exists" } });
});

test.each([
  ["down", -1, {}],
  ["up", 1, {}],
  ["beyond a tolerance", 1, { tolerance: 0.5 }],
  ["down beyond a tolerance", -1, { tolerance: 0.5 }],
] as const)(
  "numbers of arbitrary decimals go as far as they must and no farther: %s",
  async (_, sign, own) => {
    const random = stream(3, "arbitrary decimals");
    const weights = [sign, sign * 2] as const;
    const model: Model = {
      outputs: ["score"],
      predict: ({ data, rows }) =>
        Float64Array.from(
          { length: rows },
          (_, i) => weights[0] * data[2 * i]! + weights[1] * data[2 * i + 1]!,
        ),
      structure: () => ({
        kind: "linear",
        intercept: 0,
        weights: Float64Array.from(weights),
        link: "identity",
        kernels: linearKernels,
      }),
    };
    const table = fromRows(Array.from({ length: 60 }, () => [random.normal() * Math.PI, random.normal()]));
    const [a, b] = [sign * -1.1 * Math.PI, 0.3 * Math.E];
    const score = weights[0] * a + weights[1] * b;
    const explained = await explain({
      model,
      x: fromRows([[a, b]]),
      references: fromRows([[a, b]]),
      training: table,
      goal: { kind: "each", target: { min: score + 1.5 } },
      schema: {
        features: [
          { name: "a", kind: "numeric", min: -9, max: 9, ...own },
          { name: "b", kind: "numeric", immutable: true },
        ],
      },
    });
    const [row] = explained.rows;
    expect(row).toMatchObject({
      status: "ok",
      edits: [{ feature: "a" }],
      proof: { claim: "optimal", scope: "model", change: "least" },
    });
    expect(Number(row!.edits[0]!.to)).toBeCloseTo(a + sign * 1.5, 4);
    expect(row!.after).toBeGreaterThanOrEqual(score + 1.5);
  },
);
