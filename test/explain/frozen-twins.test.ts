import fc from "fast-check";
import { expect, test } from "vitest";
import { explain } from "../../src/explain.ts";
import { matrix, takeRows } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import { refuses } from "../support/refuses.ts";

type Impl = typeof explain;

/** Few values, so that rows are often alike in all that may move and differ in what may not. */
async function twinsKeepTheirPlans(impl: Impl): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.integer(), async (seed) => {
      const random = stream(seed, "twins");
      const table = (rows: number) =>
        matrix(
          rows,
          3,
          Float64Array.from({ length: 3 * rows }, () => random.int(3)),
        );
      const [x, references] = [table(6), table(6)];
      const weights = [random.normal(), random.normal(), random.normal()];
      const model = (rows: { readonly rows: number; readonly data: Float64Array }) =>
        Array.from({ length: rows.rows }, (_, i) => {
          const sum = weights.reduce((s, w, k) => s + w * rows.data[3 * i + k]!, 0);
          return 1 / (1 + Math.exp(-sum));
        });
      const features = ["frozen", "a", "b"].map((name) => ({
        name,
        kind: "numeric" as const,
        ...(name === "frozen" ? { immutable: true } : {}),
      }));
      const base = { model, references, schema: { features }, coupling: "transport" } as const;
      const order = random.permutation(6);
      const plain = await impl({ ...base, x });
      const moved = await impl({ ...base, x: takeRows(x, order) });
      order.forEach((from, to) => {
        const { row: _, ...own } = moved.rows[to]!;
        const { row: __, ...other } = plain.rows[from]!;
        // Rows that are equal in every cell are interchangeable.
        const equal = plain.rows.filter((one) => String(one.x) === String(own.x));
        if (equal.length === 1) expect(own).toEqual(other);
      });
    }),
    { numRuns: 150 },
  );
}

test("permuting rows that differ only in what is frozen permutes their plans", () =>
  twinsKeepTheirPlans(explain));
test("kills plans that depend on places", () =>
  refuses(() =>
    twinsKeepTheirPlans((input) =>
      explain({ ...input, coupling: "exact", pairs: Int32Array.from({ length: 6 }, (_, i) => i) }),
    ),
  ));
