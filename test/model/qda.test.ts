import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { matrix } from "../../src/num/matrix.ts";
import { mean, sd } from "../../src/num/stats.ts";
import { fitQda } from "../../src/train/qda.ts";
import { repeatRows, sampleClasses } from "../support/classes.ts";
import { fitMutants } from "../support/mutants/model.ts";
import { refuses } from "../support/refuses.ts";

describe("densities", () => {
  /** In one dimension: score_k ∝ n_k · e^(−(z − μ_k)²/2σ_k²) / σ_k with sample deviations. */
  const law = (fitted: typeof fitQda): void =>
    fc.assert(
      fc.property(fc.constantFrom(2 as const, 3 as const), fc.integer(), (classes, seed) => {
        const { x, y } = sampleClasses(30, 1, classes, seed);
        const model = fitted(x, y);
        const parts = Array.from({ length: classes }, (_, k) => {
          const own = Array.from(x.data).filter((_, i) => y[i] === k);
          return { n: own.length, mu: mean(own), sigma: sd(own, 1) };
        });
        for (const z of [-1, 0.2, 2]) {
          const density = parts.map(
            ({ n, mu, sigma }) => (n / sigma) * Math.exp(-((z - mu) ** 2) / (2 * sigma ** 2)),
          );
          const sum = density.reduce((a, b) => a + b, 0);
          density.forEach((p, k) => {
            expect(model.predict(matrix(1, 1, Float64Array.of(z)), k)[0]).toBeCloseTo(p / sum, 10);
          });
        }
      }),
      { numRuns: 30 },
    );
  test("are normal with the sample's moments", () => law(fitQda));
  test("a covariance divided by n is refused", () => refuses(() => law(fitMutants.qda)));

  test("weights count rows", () => {
    const sample = sampleClasses(40, 3, 3, 1);
    const times = Array.from({ length: 40 }, (_, i) => 1 + (i % 2));
    const many = repeatRows(sample, times);
    const weighted = fitQda(sample.x, sample.y, { weights: times }).predict(sample.x);
    fitQda(many.x, many.y)
      .predict(sample.x)
      .forEach((s, i) => void expect(weighted[i]).toBeCloseTo(s, 10));
  });

  test("class weights move the prior and nothing else", () => {
    const { x, y } = sampleClasses(40, 2, 2, 2);
    const plain = fitQda(x, y).margin!(x);
    const moved = fitQda(x, y, { classWeight: [1, 5] }).margin!(x);
    moved.forEach((m, i) => void expect(m - plain[i]!).toBeCloseTo(Math.log(5), 10));
  });
});

describe("singular covariances", () => {
  const { x, y } = sampleClasses(40, 3, 2, 3);
  const doubled = {
    ...x,
    data: x.data.map((v, c) => (c % 3 === 2 ? 2 * x.data[c - 1]! - x.data[c - 2]! : v)),
  };

  test("are refused with the column and a way out", () => {
    expect(() => fitQda(doubled, y)).toThrowError(/column 2 is constant or a combination.*regParam/);
    const flat = { ...x, data: x.data.map((v, c) => (c % 3 === 1 ? 7 : v)) };
    expect(() => fitQda(flat, y)).toThrowError(/column 1 is constant/);
  });

  test("the way out works", () => {
    expect(fitQda(doubled, y, { regParam: 0.1 }).predict(doubled).every(Number.isFinite)).toBe(true);
  });

  test("a class of one row has no covariance", () => {
    const fit = (): unknown => fitQda(matrix(3, 1, Float64Array.of(1, 2, 3)), [0, 0, 1]);
    expect(fit).toThrowError(/class 1 has rows of total weight 1/);
  });
});
