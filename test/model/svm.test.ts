import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { finish } from "../../src/model/steps.ts";
import { matrix } from "../../src/num/matrix.ts";
import { rocAuc } from "../../src/num/stats.ts";
import { fitSvm, hyperplane } from "../../src/train/svm.ts";
import { type ClassTask, classTask } from "../../src/train/training.ts";
import type { LinearStructure } from "../../src/types.ts";
import { repeatRows, sampleClasses } from "../support/classes.ts";
import { fitMutants } from "../support/mutants/model.ts";
import { refuses } from "../support/refuses.ts";

describe("the hyperplane", () => {
  /** θ = 2c Σ_i s_i y_i max(0, 1 − y_i θ·(x_i, 1)) (x_i, 1), the intercept included. */
  const law = (solve: (task: ClassTask, c: number) => Float64Array): void =>
    fc.assert(
      fc.property(fc.integer(), fc.constantFrom(0.1, 1, 50), (seed, c) => {
        const { x, y } = sampleClasses(40, 3, 2, seed);
        const theta = solve(classTask("svm", x, y), c);
        const pull = new Float64Array(4);
        for (let i = 0; i < 40; i++) {
          const z = [...x.data.subarray(3 * i, 3 * i + 3), 1];
          const sign = 2 * y[i]! - 1;
          const short = Math.max(0, 1 - sign * z.reduce((sum, v, p) => sum + v * theta[p]!, 0));
          z.forEach((v, p) => {
            pull[p]! += 2 * c * sign * short * v;
          });
        }
        theta.forEach((t, p) => void expect(Math.abs(t - pull[p]!)).toBeLessThan(1e-8 * Math.max(1, c)));
      }),
      { numRuns: 30 },
    );
  test("is where the gradient of the squared hinge vanishes", () =>
    law((task, c) => finish(hyperplane(task, c))));
  test("a thousandth beside it is refused", () => refuses(() => law(fitMutants.hyperplane)));

  test("by hand: x = ±1 gives w = 4/5, b = 0", () => {
    const theta = finish(hyperplane(classTask("svm", matrix(2, 1, Float64Array.of(-1, 1)), [0, 1]), 1));
    expect(theta[0]).toBeCloseTo(0.8, 12);
    expect(theta[1]).toBeCloseTo(0, 12);
  });

  test("weights count rows", () => {
    const sample = sampleClasses(30, 2, 2, 3);
    const times = Array.from({ length: 30 }, (_, i) => 1 + (i % 3));
    const many = repeatRows(sample, times);
    const weighted = finish(hyperplane(classTask("svm", sample.x, sample.y, { weights: times }), 1));
    const repeated = finish(hyperplane(classTask("svm", many.x, many.y), 1));
    weighted.forEach((w, p) => void expect(w).toBeCloseTo(repeated[p]!, 9));
  });
});

describe("probabilities", () => {
  test("rank as the margin does and mean what they say", () => {
    const { x, y } = sampleClasses(600, 2, 2, 4);
    const model = fitSvm(x, y, {}, 1);
    const theta = finish(hyperplane(classTask("svm", x, y), 1));
    const { weights } = model.structure!(1) as LinearStructure;
    // Platt's slope is positive: one factor for all weights.
    const slope = weights[0]! / theta[0]!;
    expect(slope).toBeGreaterThan(0);
    expect(weights[1]! / theta[1]!).toBeCloseTo(slope, 9);
    const scores = model.predict(x);
    const mean = scores.reduce((sum, s) => sum + s, 0) / 600;
    expect(Math.abs(mean - y.reduce((sum, k) => sum + k, 0) / 600)).toBeLessThan(0.03);
  });

  test("do without folds where a class has a single row", () => {
    const x = matrix(5, 1, Float64Array.of(-2, -1, 0, 1, 5));
    const model = fitSvm(x, [0, 0, 0, 0, 1]);
    expect(model.predict(x).every((s) => s > 0 && s < 1)).toBe(true);
    expect(rocAuc([0, 0, 0, 0, 1], model.predict(x))).toBe(1);
  });

  test("never turn the ranking round, even on noise", () => {
    for (let seed = 0; seed < 20; seed++) {
      const { x } = sampleClasses(12, 2, 2, seed);
      const y = Array.from({ length: 12 }, (_, i) => i % 2);
      const theta = finish(hyperplane(classTask("svm", x, y), 1));
      const { weights } = fitSvm(x, y, {}, seed).structure!(1) as LinearStructure;
      expect(weights[0]! * theta[0]!).toBeGreaterThanOrEqual(0);
    }
  });
});

test("the authors' variant is least squares on 0/1 with the raw output as score", () => {
  const { x, y } = sampleClasses(80, 2, 2, 5);
  const model = fitSvm(x, y, { variant: "authors" }, 1);
  expect(model.structure!(1)).toMatchObject({ kind: "linear", link: "identity" });
  const scores = model.predict(x);
  expect(scores.some((s) => s < 0 || s > 1)).toBe(true);
  expect(model.predict(x, 0)).toEqual(scores.map((s) => 1 - s));
  const right = scores.filter((s, i) => s > 0.5 === (y[i] === 1)).length;
  expect(right / 80).toBeGreaterThan(0.7);
});
