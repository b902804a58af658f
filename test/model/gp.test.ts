import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { finish } from "../../src/model/steps.ts";
import { fromRows } from "../../src/num/matrix.ts";
import { loadModel } from "../../src/read/load.ts";
import { fitGp } from "../../src/train/gp.ts";
import { evidenceGradient, type Kernel, kernelMatrix, posteriorMode } from "../../src/train/laplace.ts";
import { repeatRows, sampleClasses } from "../support/classes.ts";
import { fitMutants } from "../support/mutants/model.ts";
import { refuses } from "../support/refuses.ts";

/**
 * Sixty points on a curve. The numbers below are those of scikit-learn 1.2.1 (GaussianProcessClassifier) on
 * X[i] = (1.5 sin 1.3i, 1.2 cos(0.7i + 0.4)), y = [X0·X1 + 0.3 sin 5.1i > 0].
 */
const x = fromRows(
  Array.from({ length: 60 }, (_, i) => [1.5 * Math.sin(1.3 * i), 1.2 * Math.cos(0.7 * i + 0.4)]),
);
const at = (i: number, k: number): number => x.data[2 * i + k]!;
const y = Array.from({ length: 60 }, (_, i) => Number(at(i, 0) * at(i, 1) + 0.3 * Math.sin(5.1 * i) > 0));
const points = fromRows([
  [0, 0],
  [1, 1],
  [-1, 1],
  [0.5, -0.8],
  [2, 2],
]);
const near = (scores: Float64Array, expected: readonly number[], digits: number): void => {
  expected.forEach((e, i) => void expect(scores[i]).toBeCloseTo(e, digits));
};

describe("scikit-learn's numbers", () => {
  test("fixed kernel", () => {
    const expected = [
      0.5980278438513551, 0.7995674518398346, 0.21196001760984018, 0.3563086007766856, 0.6525263873400036,
    ];
    near(fitGp(x, y).predict(points), expected, 10);
  });

  test("three classes, one against the rest", () => {
    const three = Array.from({ length: 60 }, (_, i) => (at(i, 0) > 0.6 ? 2 : at(i, 1) > 0 ? 1 : 0));
    const model = fitGp(x, three);
    const first = [
      0.4615762453097049, 0.11240692118979961, 0.17146323122252555, 0.41247920758966417, 0.27074137603617443,
    ];
    const last = [
      0.22380498484603537, 0.619619477225965, 0.1127020264304929, 0.4808451720832368, 0.4634262004924361,
    ];
    near(model.predict(points, 0), first, 10);
    near(model.predict(points, 2), last, 10);
  });

  test("optimised kernel, up to where its optimiser stops", () => {
    const model = fitGp(x, y, { optimise: true });
    const { constant, length } = model.toJSON() as { constant: number; length: number };
    expect(Math.log(constant)).toBeCloseTo(3.8396212521647266, 4);
    expect(Math.log(length)).toBeCloseTo(0.11483238766061016, 4);
    const expected = [
      0.7565524805555697, 0.9532558727812557, 0.03673895224574153, 0.1333741594418143, 0.6554253236422483,
    ];
    near(model.predict(points), expected, 5);
  });
});

describe("the evidence", () => {
  const law = (gradient: typeof evidenceGradient | typeof fitMutants.evidenceGradient): void =>
    fc.assert(
      fc.property(fc.integer(), fc.double({ min: -1, max: 2, noNaN: true }), (seed, log) => {
        const sample = sampleClasses(20, 2, 2, seed);
        const weights = Float64Array.from(sample.y, (_, i) => 1 + (i % 2));
        const evidence = (kernel: Kernel): number =>
          finish(posteriorMode(finish(kernelMatrix(sample.x, kernel)), sample.y, weights)).evidence;
        const kernelAt = (c: number, l: number): Kernel => ({ constant: Math.exp(c), length: Math.exp(l) });
        const kernel = kernelAt(log, 0.3);
        const k = finish(kernelMatrix(sample.x, kernel));
        const told = gradient(sample.x, kernel, k, finish(posteriorMode(k, sample.y, weights)));
        const slopes = told instanceof Float64Array ? told : finish(told);
        const h = 1e-4;
        const seen = [
          (evidence(kernelAt(log + h, 0.3)) - evidence(kernelAt(log - h, 0.3))) / (2 * h),
          (evidence(kernelAt(log, 0.3 + h)) - evidence(kernelAt(log, 0.3 - h))) / (2 * h),
        ];
        seen.forEach((s, p) => void expect(Math.abs(slopes[p]! - s)).toBeLessThan(1e-5 + 1e-4 * Math.abs(s)));
      }),
      { numRuns: 15 },
    );
  test("has the gradient it says", () => law(evidenceGradient));
  test("one a hundredth too large is refused", () => refuses(() => law(fitMutants.evidenceGradient)));
});

test("weights count rows", () => {
  const sample = sampleClasses(25, 2, 2, 1);
  const times = Array.from({ length: 25 }, (_, i) => 1 + (i % 3));
  const many = repeatRows(sample, times);
  const repeated = fitGp(many.x, many.y).predict(sample.x);
  const weighted = fitGp(sample.x, sample.y, { weights: times }).predict(sample.x);
  weighted.forEach((s, i) => void expect(s).toBeCloseTo(repeated[i]!, 8));
});

test("what is saved grows with the rows, not with their square, and what is learned outlives the rows", () => {
  const sample = sampleClasses(60, 3, 2, 2);
  const model = fitGp(sample.x, sample.y);
  const before = model.predict(sample.x);
  const saved = JSON.stringify(model.toJSON());
  expect(saved.length).toBeLessThan(60 * 5 * 25 + 200);
  const rows = { ...sample.x, data: sample.x.data.slice() };
  sample.x.data.fill(0);
  expect(model.predict(rows)).toEqual(before);
  expect(loadModel(saved).predict(rows)).toEqual(before);
});
