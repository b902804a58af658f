import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fitLogistic } from "../../src/train/logistic.ts";
import type { LinearStructure } from "../../src/types.ts";
import { repeatRows, sampleClasses } from "../support/classes.ts";
import { fitMutants } from "../support/mutants/model.ts";
import { refuses } from "../support/refuses.ts";

const cases = fc.record({
  classes: fc.constantFrom(2 as const, 3 as const),
  seed: fc.integer(),
  c: fc.constantFrom(0.01, 1, 100),
});

describe("the optimum", () => {
  /** ∂/∂w_k = w_k − c Σ_i (1[y_i = k] − s_ik) x_i and ∂/∂b_k = −c Σ_i (1[y_i = k] − s_ik) are zero. */
  const law = (fitted: typeof fitLogistic): void =>
    fc.assert(
      fc.property(cases, ({ classes, seed, c }) => {
        const { x, y } = sampleClasses(40, 3, classes, seed);
        const model = fitted(x, y, { c });
        for (let k = classes === 2 ? 1 : 0; k < classes; k++) {
          const { weights } = model.structure!(k) as LinearStructure;
          const misses = model.predict(x, k).map((s, i) => Number(y[i] === k) - s);
          const pull = (cell: (i: number) => number): number =>
            misses.reduce((sum, miss, i) => sum + c * miss * cell(i), 0);
          expect(Math.abs(pull(() => 1))).toBeLessThan(1e-7);
          weights.forEach((w, p) => {
            expect(Math.abs(w - pull((i) => x.data[i * 3 + p]!))).toBeLessThan(1e-7);
          });
        }
      }),
      { numRuns: 30 },
    );
  test("has gradient zero, for two and for three classes", () => law(fitLogistic));
  test("another strength of the penalty is refused", () => refuses(() => law(fitMutants.logistic)));
});

describe("weights", () => {
  const law = (fitted: typeof fitLogistic): void =>
    fc.assert(
      fc.property(
        cases,
        fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 40, maxLength: 40 }),
        (given, times) => {
          const { classes, seed, c } = given;
          const sample = sampleClasses(40, 3, classes, seed);
          const many = repeatRows(sample, times);
          const weighted = fitted(sample.x, sample.y, { c, weights: times }).predict(sample.x);
          const repeated = fitLogistic(many.x, many.y, { c }).predict(sample.x);
          weighted.forEach((s, i) => void expect(s).toBeCloseTo(repeated[i]!, 9));
        },
      ),
      { numRuns: 15 },
    );
  test("count rows", () => law(fitLogistic));
  test("a fit that ignores them is refused", () => refuses(() => law(fitMutants.unweighted)));

  test("balanced classes are n / (K · n_k) each", () => {
    const { x, y } = sampleClasses(40, 2, 3, 1);
    const counts = [0, 1, 2].map((k) => y.filter((label) => label === k).length);
    const classWeight = counts.map((n) => 40 / (3 * n));
    expect(fitLogistic(x, y, { classWeight: "balanced" }).toJSON()).toEqual(
      fitLogistic(x, y, { classWeight }).toJSON(),
    );
  });
});

describe("variants and structure", () => {
  const { x, y } = sampleClasses(60, 2, 2, 2);

  test("the outputs of two classes mirror each other", () => {
    const model = fitLogistic(x, y);
    const [zero, one] = [model.structure!(0), model.structure!(1)] as LinearStructure[];
    expect(zero!.intercept).toBe(-one!.intercept);
    expect(Array.from(zero!.weights)).toEqual(Array.from(one!.weights, (w) => -w));
    expect(model.margin!(x, 0)).toEqual(model.margin!(x, 1).map((m) => -m));
  });

  test("the authors' variant is linear, seeded, and knows two classes", () => {
    const model = fitLogistic(x, y, { variant: "authors" }, 1);
    expect(model.structure!(1)).toMatchObject({ kind: "linear", link: "logistic" });
    expect(model.toJSON()).toEqual(fitLogistic(x, y, { variant: "authors" }, 1).toJSON());
    expect(model.toJSON()).not.toEqual(fitLogistic(x, y, { variant: "authors" }, 2).toJSON());
    const three = sampleClasses(60, 2, 3, 2);
    expect(() => fitLogistic(three.x, three.y, { variant: "authors" })).toThrowError(/two classes, not 3/);
  });

  test("columns of very different size do no harm", () => {
    const wide = { ...x, data: x.data.map((v, c) => (c % 2 === 0 ? v * 1e6 : v * 1e-4)) };
    const scores = fitLogistic(wide, y, { c: 1e4 }).predict(wide);
    expect(scores.every((s) => s > 0 && s < 1)).toBe(true);
  });
});
