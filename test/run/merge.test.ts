import fc from "fast-check";
import { expect, test } from "vitest";
import { explain } from "../../src/explain.ts";
import type { Explanation } from "../../src/explanation.ts";
import { fromRows, takeRows } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import { merge } from "../../src/run/merge.ts";
import type { ExplainInput } from "../../src/run/open.ts";
import { curveLost, curvesInTurn, hashOfTheFirst, withoutRenumbering } from "../support/mutants/merge.ts";
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

type Merge = typeof merge;

async function mergeOfSplitIsWhole(impl: Merge, runs: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 1e6 }),
      fc.integer({ min: 2, max: 9 }),
      fc.integer({ min: 1, max: 4 }),
      fc.boolean(),
      fc.boolean(),
      async (seed, n, size, odd, paired) => {
        const input = inputOf(seed, n, odd, paired);
        const parts: Explanation[] = [];
        for (let from = 0; from < n; from += size)
          parts.push(await explain(part(input, from, Math.min(n, from + size))));
        const merged = impl(parts, input);
        const whole = await explain(input);
        expect(JSON.stringify(merged)).toBe(JSON.stringify(whole));
      },
    ),
    { numRuns: runs },
  );
}

test("merge(split) = whole", () => mergeOfSplitIsWhole(merge, 40));

test.each([withoutRenumbering, curvesInTurn, curveLost, hashOfTheFirst])(
  "the law rejects %o",
  async (mutant) => {
    await refuses(() => mergeOfSplitIsWhole(mutant, 40));
  },
);

test("what joins its rows, or is not all of them, is refused", async () => {
  const input = inputOf(1, 4, false, false);
  const whole = await explain(input);
  expect(() => merge([whole], { ...input, budget: { total: 3 } })).toThrow(/separable/);
  expect(() => merge([whole], { ...input, goal: { kind: "group" } })).toThrow(/separable/);
  expect(() => merge([whole, whole], input)).toThrow(/8 rows/);
  expect(() => merge([], input)).toThrow(/0 parts/);
  expect(() => merge([whole, whole], input, { stopped: true })).toThrow(/8 rows/);
});

test("of a run that was stopped, the rows that are done are told, the others say that they were not reached", async () => {
  const input = inputOf(2, 6, true, false); // row 3 cannot be read
  const whole = await explain(input);
  const first = await explain(part(input, 0, 2));
  const stopped = merge([first], input, { stopped: true });
  expect(stopped.rows.slice(0, 2)).toEqual(whole.rows.slice(0, 2));
  expect(stopped.rows[3]).toEqual(whole.rows[3]);
  for (const i of [2, 4, 5]) {
    expect(stopped.rows[i]).toMatchObject({
      row: i,
      id: `row ${i}`,
      status: "budget",
      reason: "the run was stopped before it came to this row.",
      x: whole.rows[i]!.x,
      valid: false,
      edits: [],
    });
  }
  expect(stopped.totals.ok).toBe(first.totals.ok);
  expect([stopped.runHash, stopped.options]).toEqual([whole.runHash, whole.options]);
  expect(stopped.curve.at(-1)!.divergence).toBeCloseTo(1 - first.totals.valid / 5, 12);
  const none = merge([], { ...input, goal: { kind: "group", on: "label" } }, { stopped: true });
  expect(none.rows.map((row) => row.status)).toEqual(
    whole.rows.map((_, i) => (i === 3 ? "invalid_input" : "budget")),
  );
  expect(none).toMatchObject({ curve: [], coupling: null, effect: { on: "label", share: null } });
});
