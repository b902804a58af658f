import fc from "fast-check";
import { expect, test } from "vitest";
import { explain } from "../../src/explain.ts";
import type { Explanation } from "../../src/explanation.ts";
import { fromRows, takeRows } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import { merge } from "../../src/run/merge.ts";
import type { ExplainInput } from "../../src/run/open.ts";
import { curvesInTurn, withoutRenumbering } from "../support/mutants/merge.ts";
import { refuses } from "../support/refuses.ts";

/** A few rows, references and a curved score; sometimes a row that cannot be explained, sometimes pairs. */
function inputOf(seed: number, n: number, odd: boolean, paired: boolean): ExplainInput {
  const random = stream(seed, "merge law");
  const cells = (rows: number, shift: number): number[][] =>
    Array.from({ length: rows }, () =>
      Array.from({ length: 4 }, () => Math.round(8 * random.next()) / 4 + shift),
    );
  const x = cells(n, -1);
  if (odd) x[Math.floor(n / 2)]![1] = Number.POSITIVE_INFINITY;
  return {
    model: (rows) =>
      Array.from({ length: rows.rows }, (_, i) => {
        const [a, b, c, d] = rows.data.subarray(4 * i, 4 * i + 4) as unknown as [
          number,
          number,
          number,
          number,
        ];
        return 1 / (1 + Math.exp(4 - a - b * (1 + 0.3 * c) - 0.5 * d));
      }),
    x: fromRows(x),
    references: fromRows(cells(2 * n, 0.5)),
    ids: x.map((_, i) => `row ${i}`),
    seed,
    ...(paired ? { pairs: Array.from({ length: 2 * n }, (_, j) => j % n) } : {}),
  };
}

function part(input: ExplainInput, from: number, to: number): ExplainInput {
  const { pairs } = input;
  return {
    ...input,
    x: takeRows(
      input.x,
      Array.from({ length: to - from }, (_, i) => from + i),
    ),
    ids: input.ids!.slice(from, to),
    ...(pairs ? { pairs: Array.from(pairs, (i) => (i >= from && i < to ? i - from : -1)) } : {}),
  };
}

/** The counts of scored rows belong to the work, not to the result. */
function result({ attribution, totals, ...rest }: Explanation): unknown {
  return JSON.parse(
    JSON.stringify({
      ...rest,
      attribution: { ...attribution, evaluations: 0 },
      totals: { ...totals, modelRows: 0 },
    }),
  );
}

type Merge = typeof merge;

async function mergeOfSplitIsWhole(impl: Merge, runs: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 1e6 }),
      fc.integer({ min: 2, max: 9 }),
      fc.integer({ min: 1, max: 4 }),
      fc.boolean(),
      fc.boolean(),
      async (seed, n, wanted, odd, paired) => {
        const size = odd ? Math.max(2, wanted) : wanted; // a part has a row that can be explained
        const input = inputOf(seed, n, odd, paired);
        const parts: Explanation[] = [];
        for (let from = 0; from < n; from += size)
          parts.push(await explain(part(input, from, Math.min(n, from + size))));
        const merged = impl(parts, input);
        const whole = await explain(input);
        expect(result(merged)).toEqual(result(whole));
        expect(merged.totals.modelRows).toBeGreaterThanOrEqual(whole.totals.modelRows);
      },
    ),
    { numRuns: runs },
  );
}

test("merge(split) = whole", () => mergeOfSplitIsWhole(merge, 40));

test.each([withoutRenumbering, curvesInTurn])("the law rejects %o", async (mutant) => {
  await refuses(() => mergeOfSplitIsWhole(mutant, 40));
});

test("what joins its rows, or is not all of them, is refused", async () => {
  const input = inputOf(1, 4, false, false);
  const whole = await explain(input);
  expect(() => merge([whole], { ...input, budget: { total: 3 } })).toThrow(/separable/);
  expect(() => merge([whole], { ...input, goal: { kind: "group" } })).toThrow(/separable/);
  expect(() => merge([whole, whole], input)).toThrow(/8 rows/);
});
