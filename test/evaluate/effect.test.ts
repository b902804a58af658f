import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type DivergenceName, divergence, divergences } from "../../src/evaluate/divergence.ts";
import { effect, reached } from "../../src/evaluate/effect.ts";
import { effectMutants } from "../support/mutants/evaluate.ts";
import { refuses } from "../support/refuses.ts";

const score = fc.integer({ min: 0, max: 1000 }).map((v) => v / 1000);
const scores = fc.array(score, { minLength: 1, maxLength: 8 });
const NAMES = Object.keys(divergences) as DivergenceName[];

/** 0 at x, 1 at y*, null where x is at y*, below 0 beyond x; reached ⇔ D(f(z), y*) ≤ (1 − level)·D(f(x), y*). */
function effectLaw(impl: { effect: typeof effect; reached: typeof reached }): void {
  for (const name of NAMES) {
    expect(impl.effect(name, [0, 0], [0, 0], [1, 1])).toBe(0);
    expect(impl.effect(name, [0, 0], [1, 1], [1, 1])).toBeCloseTo(1, 12);
    expect(impl.effect(name, [0, 1], [0, 0], [1, 0])).toBeNull();
    expect(impl.effect(name, [0.4, 0.4], [0, 0], [1, 1])).toBeLessThan(0);
    expect(impl.reached(name, [0, 0], [1, 1], [1, 1])).toBe(true);
    expect(impl.reached(name, [0, 0], [0, 0], [1, 1])).toBe(false);
    expect(impl.reached(name, [0, 0], [0, 0], [1, 1], { level: 0 })).toBe(true);
  }
  fc.assert(
    fc.property(fc.constantFrom(...NAMES), scores, scores, scores, score, (name, fx, fz, desired, level) => {
      const before = divergence(name, fx, desired);
      const after = divergence(name, fz, desired);
      fc.pre(before > 1e-6 && Math.abs(after - (1 - level) * before) > 1e-7);
      const share = impl.effect(name, fx, fz, desired);
      expect(share).toBeCloseTo(1 - after / before, 9);
      expect(impl.reached(name, fx, fz, desired, { level })).toBe(after < (1 - level) * before);
    }),
  );
}

describe("effect", () => {
  test("keeps its law", () => effectLaw({ effect, reached }));

  test.each(Object.entries(effectMutants))("%s is refused", async (_, impl) => {
    await refuses(() => effectLaw(impl));
  });

  test("half of the way is a half: the means of three rows", () => {
    expect(effect("mean", [0, 0, 0], [0.5, 0.5, 0.5], [1, 1, 1])).toBeCloseTo(0.5, 15);
    expect(reached("mean", [0, 0], [0.8, 0.8], [1, 1], { level: 0.8 })).toBe(true);
    expect(reached("mean", [0, 0], [0.79, 0.8], [1, 1], { level: 0.8 })).toBe(false);
  });

  test.each([-0.1, 1.1, Number.NaN])("a level of %s is refused", (level) => {
    expect(() => reached("mean", [0], [0], [1], { level })).toThrow(
      expect.objectContaining({ code: "OPTION_INVALID" }),
    );
  });
});
