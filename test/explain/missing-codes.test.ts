import { expect, test } from "vitest";
import { explain } from "../../src/explain.ts";
import { linearKernels } from "../../src/model/linear-kernels.ts";
import { fromRows } from "../../src/num/matrix.ts";
import type { Model } from "../../src/types.ts";

/** a + b, in the open. */
const sum: Model = {
  outputs: ["score"],
  predict: ({ data, rows }) => Float64Array.from({ length: rows }, (_, i) => data[2 * i]! + data[2 * i + 1]!),
  structure: () => ({
    kind: "linear",
    intercept: 0,
    weights: Float64Array.of(1, 1),
    link: "identity",
    kernels: linearKernels,
  }),
};

test.each([
  [true, "references"],
  [false, "model"],
] as const)(
  "a code for a missing value is a permitted value where gaps may be edited: %s",
  async (editMissing, scope) => {
    const { rows } = await explain({
      model: sum,
      x: fromRows([[1, 1]]),
      references: fromRows([[3, 2]]),
      values: "reference",
      goal: { kind: "each", target: { min: 10 } },
      schema: {
        features: [
          { name: "a", kind: "numeric", min: 0, max: 3, missing: [999], editMissing },
          { name: "b", kind: "numeric", min: 0, max: 2 },
        ],
      },
    });
    // The model puts (999, 1) at the target.
    expect(rows[0]!.proof).toMatchObject({ claim: "none exists", scope });
  },
);
