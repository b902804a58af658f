import { describe, expect, test } from "vitest";
import { matrix } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import { rocAuc } from "../../src/num/stats.ts";
import { fitLogistic } from "../../src/train/logistic.ts";
import { authorsLoss, fitRbf } from "../../src/train/rbf.ts";
import { classTask } from "../../src/train/training.ts";
import { sampleClasses } from "../support/classes.ts";
import { fitMutants } from "../support/mutants/model.ts";
import { refuses } from "../support/refuses.ts";

/** A disc of class 1 inside class 0. */
function disc(seed: number): { x: ReturnType<typeof matrix>; y: number[] } {
  const random = stream(seed, "disc");
  const x = matrix(
    200,
    2,
    Float64Array.from({ length: 400 }, () => random.normal()),
  );
  return {
    x,
    y: Array.from({ length: 200 }, (_, i) => Number(Math.hypot(x.data[2 * i]!, x.data[2 * i + 1]!) < 1)),
  };
}

describe("the product's network", () => {
  test("finds a disc, which a line cannot", () => {
    const [train, unseen] = [disc(1), disc(2)];
    const ours = fitRbf(train.x, train.y, { units: 30 }, 1).predict(unseen.x);
    const line = fitLogistic(train.x, train.y).predict(unseen.x);
    expect(rocAuc(unseen.y, ours)).toBeGreaterThan(0.97);
    expect(rocAuc(unseen.y, line)).toBeLessThan(0.7);
  });

  test("has no more units than different rows, and one suffices to answer", () => {
    const x = matrix(6, 1, Float64Array.of(1, 1, 1, 2, 2, 2));
    const model = fitRbf(x, [0, 0, 0, 1, 1, 1], {}, 1);
    expect(model.toJSON()).toMatchObject({ units: 2, cols: 1 });
    expect(rocAuc([0, 0, 0, 1, 1, 1], model.predict(x))).toBe(1);
    const flat = matrix(4, 1, new Float64Array(4).fill(3));
    expect(fitRbf(flat, [0, 1, 0, 1], {}, 1).predict(flat)[0]).toBeCloseTo(0.5, 9);
  });

  test("far from every centre only the intercept speaks", () => {
    const { x, y } = sampleClasses(50, 2, 2, 1);
    const model = fitRbf(x, y, { units: 10 }, 1);
    const { intercepts } = model.toJSON() as { intercepts: number[] };
    expect(model.margin!(matrix(1, 2, Float64Array.of(1e4, 1e4)))[0]).toBe(intercepts[0]);
  });
});

describe("the authors' network", () => {
  const { x, y } = disc(3);
  const model = fitRbf(x, y, { variant: "authors" }, 1);

  test("has as many units as columns and a raw score", () => {
    expect(model.toJSON()).toMatchObject({ units: 2, cols: 2, link: "identity" });
    expect(model.predict(x, 0)).toEqual(model.predict(x, 1).map((s) => 1 - s));
  });

  const law = (lossOf: typeof authorsLoss): void => {
    const task = classTask("rbf", x, y, { weights: Array.from(y, (_, i) => 1 + (i % 2)) });
    const add = lossOf(task);
    const theta = Float64Array.of(0.3, -0.4, 1, 0.2, 0.7, 1.2, 0.5, -0.8, 0.1);
    const rows = Int32Array.from(y, (_, i) => i);
    const gradient = new Float64Array(9);
    add(theta, rows, gradient);
    gradient.forEach((g, p) => {
      const at = (h: number): number =>
        add(
          theta.map((v, q) => (q === p ? v + h : v)),
          rows,
          new Float64Array(9),
        );
      expect(Math.abs(g - (at(1e-5) - at(-1e-5)) / 2e-5)).toBeLessThan(1e-5 * Math.max(1, Math.abs(g)));
    });
  };
  test("descends along the derivative of its loss", () => law(authorsLoss));
  test("a width that learns too fast is refused", () => refuses(() => law(fitMutants.authorsLoss)));

  test("training ends below the loss of the best constant", () => {
    const scores = model.predict(x);
    const error = scores.reduce((sum, s, i) => sum + (s - y[i]!) ** 2, 0) / 200;
    const share = y.reduce((sum, label) => sum + label, 0) / 200;
    expect(error).toBeLessThan(share * (1 - share));
  });

  test("knows two classes", () => {
    const three = sampleClasses(30, 2, 3, 1);
    expect(() => fitRbf(three.x, three.y, { variant: "authors" })).toThrowError(/two classes/);
  });
});
