import { expect, test } from "vitest";
import { explain } from "../../src/explain.ts";
import { linearKernels } from "../../src/model/linear-kernels.ts";
import { fromRows } from "../../src/num/matrix.ts";
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
