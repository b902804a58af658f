import fc from "fast-check";
import { expect, test } from "vitest";
import { waterfallSteps } from "../../show/steps.ts";
import { dropsTheRest, startsAtTheBase } from "../support/mutants/show.ts";
import { refuses } from "../support/refuses.ts";

/** Bars form a chain from the base to base + Σφ; every feature with φ ≠ 0 is in exactly one of them. */
function waterfallLaw(impl: typeof waterfallSteps): void {
  const phi = fc.oneof(fc.constant(0), fc.double({ min: -1, max: 1, noNaN: true }));
  fc.assert(
    fc.property(
      fc.array(phi, { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 2, max: 12 }),
      (values, most) => {
        const base = 0.25;
        const end = values.reduce((sum, v) => sum + v, base);
        const found = impl({ attributions: values, base, before: end }, most);
        const used = values.flatMap((v, k) => (v === 0 ? [] : [k]));
        if (used.length === 0) {
          expect(found).toBeUndefined();
          return;
        }
        const { steps } = found!;
        expect(steps.length).toBeLessThanOrEqual(most);
        expect(steps.flatMap((step) => step.features).sort((a, b) => a - b)).toEqual(used);
        steps.forEach((step, s) => {
          expect(step.from).toBe(s === 0 ? base : steps[s - 1]!.to);
          expect(step.to).toBe(step.from + step.phi);
          expect(step.phi).toBeCloseTo(
            step.features.reduce((sum, k) => sum + values[k]!, 0),
            12,
          );
        });
        expect(steps.at(-1)!.to).toBe(found!.end);
        expect(found!.end).toBeCloseTo(end, 12);
        expect(found!.space).toBe("score");
      },
    ),
    { numRuns: 300 },
  );
}

test("a waterfall adds up", () => {
  waterfallLaw(waterfallSteps);
});

test.each([dropsTheRest, startsAtTheBase])(
  "a waterfall that does not add up is noticed: %o",
  async (mutant) => {
    await refuses(() => waterfallLaw(mutant));
  },
);

test("attributions of margins are told apart from those of scores", () => {
  const row = { attributions: [1, -3], base: 2, before: 0.5 };
  expect(waterfallSteps(row)!.space).toBe("margin");
  expect(waterfallSteps({ ...row, base: null })).toBeUndefined();
});
