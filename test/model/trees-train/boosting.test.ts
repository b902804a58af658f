import { describe, expect, test } from "vitest";
import { sigmoid } from "../../../src/model/link.ts";
import { fromRows } from "../../../src/num/matrix.ts";
import { fitAdaboost } from "../../../src/train/adaboost.ts";
import { fitGradboost } from "../../../src/train/gradboost.ts";
import { fitLightgbm } from "../../../src/train/lightgbm.ts";
import { fitXgboost } from "../../../src/train/xgboost.ts";
import { sampleClasses } from "../../support/classes.ts";
import { overshoots, type TreeFit } from "../../support/mutants/trees.ts";
import { refuses } from "../../support/refuses.ts";

const boosted: readonly [string, TreeFit][] = [
  ["gradboost", fitGradboost],
  ["xgboost", fitXgboost],
  ["xgboost exact", (x, y, o) => fitXgboost(x, y, { method: "exact", ...o })],
  ["lightgbm", fitLightgbm],
];

describe("the loss on the rows it learns from", () => {
  const rounds = [1, 2, 4, 8, 16, 32];
  const falls = (losses: readonly number[]): void => {
    for (let t = 1; t < losses.length; t++) expect(losses[t]).toBeLessThan(losses[t - 1]!);
  };
  const classLaw =
    (classes: 2 | 3) =>
    (fit: TreeFit): void => {
      const { x, y } = sampleClasses(150, 3, classes, 6);
      const loss = (trees: number): number => {
        const model = fit(x, y, { trees });
        const scores = model.outputs.map((_, k) => model.predict(x, k));
        return -y.reduce((sum, k, i) => sum + Math.log(scores[k]![i]!), 0);
      };
      falls(rounds.map(loss));
    };
  const numberLaw = (fit: TreeFit): void => {
    const { x } = sampleClasses(150, 3, 2, 6);
    const y = Float64Array.from({ length: 150 }, (_, i) => 100 + x.data[3 * i]! ** 2 + x.data[3 * i + 1]!);
    falls(
      rounds.map((trees) => {
        const scores = fit(x, y, { trees, task: "regression" }).predict(x);
        return scores.reduce((sum, s, i) => sum + (s - y[i]!) ** 2, 0);
      }),
    );
  };
  const laws = boosted.flatMap(([name, fit]) => [
    [`${name}, two classes`, fit, classLaw(2)] as const,
    [`${name}, three classes`, fit, classLaw(3)] as const,
    [`${name}, numbers`, fit, numberLaw] as const,
  ]);
  test.each(laws)("falls with every round: %s", (_, fit, law) => law(fit));
  test.each(laws)("steps too long are refused: %s", (_, fit, law) => refuses(() => law(overshoots(fit))));
});

describe("one round by hand", () => {
  // Left two of class 0, right one of each: prior 1/4.
  const x = fromRows([[0], [1], [2], [2]]);
  const y = [0, 0, 0, 1];
  const prior = Math.log(1 / 3);

  test("gradboost: prior log-odds, then η Σ r / Σ p(1 − p)", () => {
    const model = fitGradboost(x, y, { trees: 1, maxDepth: 1 });
    const step = (residuals: number): number => (0.1 * residuals) / (2 * (3 / 16));
    const expected = [prior + step(-0.5), prior + step(-0.5), prior + step(0.5), prior + step(0.5)];
    model.margin!(x).forEach((m, i) => void expect(m).toBeCloseTo(expected[i]!, 12));
    expect(model.predict(x)[3]).toBeCloseTo(sigmoid(expected[3]!), 12);
  });

  test("xgboost: score ½, then η G / (H + λ), α and γ", () => {
    const options = { trees: 1, maxDepth: 1, minChildWeight: 0 };
    const margins = (more: object): number[] =>
      Array.from(fitXgboost(x, y, { ...options, ...more }).margin!(x));
    const left = (0.3 * -1) / (0.5 + 1);
    margins({}).forEach((m, i) => void expect(m).toBeCloseTo(i < 2 ? left : 0, 12));
    expect(margins({ lambda: 3 })[0]).toBeCloseTo((0.3 * -1) / 3.5, 12);
    expect(margins({ alpha: 0.25 })[0]).toBeCloseTo((0.3 * -0.75) / 1.5, 12);
    // The split gains (−1)²/1.5 − (−1)²/2 = 1/6; without it the root answers −0.3/2.
    expect(margins({ gamma: 0.16 })[0]).toBeCloseTo(left, 12);
    expect(margins({ gamma: 0.17 })[0]).toBeCloseTo(-0.15, 12);
    expect(margins({ minChildWeight: 0.6 })[0]).toBeCloseTo(-0.15, 12);
  });

  test("lightgbm: like gradboost, and a tree without a split is none", () => {
    const model = fitLightgbm(x, y, { trees: 1, minSamplesLeaf: 2, minBinWeight: 1 });
    expect(model.margin!(x)[0]).toBeCloseTo(prior + (0.1 * -0.5) / (2 * (3 / 16)), 12);
    const stuck = fitLightgbm(x, y, { minSamplesLeaf: 3 });
    expect(stuck.structure(1).roots.length).toBe(0);
    expect(stuck.margin!(x)[0]).toBeCloseTo(prior, 12);
  });

  test("three classes: (K−1)/K of the residuals over p(1 − p), from the logarithms of the shares", () => {
    const three = fitGradboost(x, [0, 0, 1, 2], { trees: 1, maxDepth: 1, learningRate: 1 });
    const newton = (residuals: number, p: number): number => ((2 / 3) * residuals) / (2 * p * (1 - p));
    expect(three.margin!(x, 0)[0]).toBeCloseTo(Math.log(0.5) + newton(1, 0.5), 12);
    expect(three.margin!(x, 1)[3]).toBeCloseTo(Math.log(0.25) + newton(0.5, 0.25), 12);
  });
});

test("rows that are as good as certain leave nothing to divide by", () => {
  const x = fromRows([[0], [1]]);
  const model = fitGradboost(x, [0, 1], { learningRate: 1, trees: 80 });
  expect(Array.from(model.predict(x))).toEqual([expect.closeTo(0, 12), 1]);
  expect(Number.isFinite(model.margin!(x)[1])).toBe(true);
});

describe("AdaBoost by hand", () => {
  const x = fromRows([[0], [0], [0], [1], [1], [1]]);
  const y = [0, 0, 1, 1, 1, 0];

  test("SAMME: one stump votes with ln((1 − e)/e), scores are σ(±1)", () => {
    const model = fitAdaboost(x, y, { trees: 1, algorithm: "SAMME" });
    expect(model.predict(x)[0]).toBeCloseTo(sigmoid(-1), 12);
    expect(model.predict(x)[5]).toBeCloseTo(sigmoid(1), 12);
  });

  test("SAMME.R: one stump adds ln p₁ − ln p₀", () => {
    const model = fitAdaboost(x, y, { trees: 1 });
    expect(model.margin!(x)[0]).toBeCloseTo(Math.log(1 / 3) - Math.log(2 / 3), 12);
    expect(model.predict(x)[5]).toBeCloseTo(2 / 3, 12);
  });

  test("a stump that is always right ends it, one that knows nothing is not kept", () => {
    const right = fitAdaboost(fromRows([[0], [1]]), [0, 1], { algorithm: "SAMME" });
    expect(right.structure(1).roots.length).toBe(1);
    const flat = fromRows([[0], [0]]);
    const nothing = fitAdaboost(flat, [0, 1], { algorithm: "SAMME" });
    expect(nothing.structure(1).roots.length).toBe(0);
    expect(Array.from(nothing.predict(flat))).toEqual([0.5, 0.5]);
  });
});

describe("rows and columns left out of a round", () => {
  const { x, y } = sampleClasses(200, 4, 2, 9);
  test.each(boosted)("%s learns from a part of the rows and scores the others", (_, fit) => {
    const accuracy = (options: object): number => {
      const scores = fit(x, y, { trees: 40, ...options }, 2).predict(x);
      return scores.filter((s, i) => Number(s > 0.5) === y[i]).length / 200;
    };
    expect(accuracy({ subsample: 0.5 })).toBeGreaterThan(0.85);
  });

  test("rows left out of a round are corrected by it too", () => {
    const y = Float64Array.from({ length: 200 }, (_, i) => 10 * x.data[4 * i]!);
    const options = { task: "regression", subsample: 0.5, learningRate: 0.5 } as const;
    const deep = { gradboost: { maxDepth: 40 }, xgboost: { maxDepth: 40, minChildWeight: 0, lambda: 0 } };
    const [g, h] = [
      fitGradboost(x, y, { ...options, ...deep.gradboost }, 1),
      fitXgboost(x, y, { ...options, ...deep.xgboost }, 1),
    ];
    for (const model of [g, h]) {
      const worst = Math.max(...model.predict(x).map((s, i) => Math.abs(s - y[i]!)));
      expect(worst).toBeLessThan(0.05);
    }
  });

  test("colsample: a tree sees its columns alone", () => {
    for (const fit of [fitXgboost, fitLightgbm]) {
      const { roots, feature } = fit(x, y, { trees: 12, colsample: 0.25 }, 3).structure(1);
      const seen = Array.from(roots, (root, t) => {
        const own = feature.slice(root, roots[t + 1] ?? feature.length).filter((k) => k >= 0);
        return new Set(own).size;
      });
      expect(Math.max(...seen)).toBe(1);
      expect(new Set(feature.filter((k) => k >= 0)).size).toBeGreaterThan(1);
    }
  });
});
