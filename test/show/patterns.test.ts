import fc from "fast-check";
import { expect, test } from "vitest";
import { en } from "../../show/locales/en.ts";
import { featurePatterns, planPatterns, typicalChange } from "../../show/patterns.ts";
import { madeUpExplanation } from "../support/explanations.ts";

test("patterns count every edit once", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 12 }),
      fc.nat(99),
      (rows, cols, seed) => {
        const explanation = madeUpExplanation({ rows, cols, seed });
        for (const of of ["edits", "proposal"] as const) {
          const patterns = featurePatterns(explanation, of);
          const all = explanation.rows.reduce((sum, row) => sum + row[of].length, 0);
          expect(patterns.reduce((sum, p) => sum + p.rows, 0)).toBe(all);
          for (const p of patterns) expect(p.up + p.down + p.other).toBe(p.rows);
          const order = patterns.map((p) => p.rows);
          expect(order).toEqual([...order].sort((a, b) => b - a));
        }
        const plans = planPatterns(explanation);
        const changed = explanation.rows.filter((row) => row.edits.length > 0);
        expect(plans.flatMap((p) => p.rows.map((row) => row.row)).sort((a, b) => a - b)).toEqual(
          changed.map((row) => row.row),
        );
      },
    ),
    { numRuns: 40 },
  );
});

test("the typical change is a median of numbers and the commonest of levels", () => {
  const edit = (from: string | number, to: string | number) => ({ feature: "f", from, to, attribution: 0 });
  const numbers = [edit(10, 5), edit(10, 8), edit(10, 20)];
  expect(typicalChange({ name: "f", kind: "numeric", unit: "kg" }, numbers, en)).toBe("−2 kg");
  const levels = { name: "f", kind: "categorical" as const, categories: ["a", "b", "c"] };
  expect(typicalChange(levels, [edit("a", "b"), edit("c", "b"), edit("a", "b")], en)).toBe("a → b (2×)");
  expect(typicalChange(levels, [edit("a", "b")], en)).toBe("a → b");
});
