import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { squaredLoss } from "../../src/model/loss.ts";
import { matrix } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import { fitMlp } from "../../src/train/mlp.ts";
import { initialise, network, networkLoss } from "../../src/train/network.ts";
import { sampleClasses } from "../support/classes.ts";
import { fitMutants } from "../support/mutants/model.ts";
import { refuses } from "../support/refuses.ts";

describe("back-propagation", () => {
  const law = (lossOf: typeof networkLoss): void =>
    fc.assert(
      fc.property(fc.integer(), fc.constantFrom([3], [4, 5], []), (seed, hidden) => {
        // tanh: smooth everywhere, so that differences tell the truth.
        const net = network([3, ...hidden, 2], "tanh");
        const { x, y } = sampleClasses(9, 3, 2, seed);
        const weights = Float64Array.from(y, (_, i) => 1 + (i % 2));
        const add = lossOf(net, { x, weights }, (margins, i, delta) => {
          const parts = Array.from(margins, (m, o) => squaredLoss("logistic", m, o === y[i] ? 1 : 0));
          parts.forEach(({ slope }, o) => {
            delta[o] = slope;
          });
          return parts.reduce((sum, { loss }) => sum + loss, 0);
        });
        const theta = initialise(net, () => 1, stream(seed, "start"));
        const rows = Int32Array.from(y, (_, i) => i);
        const gradient = new Float64Array(net.parameters);
        add(theta, rows, gradient);
        const at = (p: number, h: number): number => {
          const moved = theta.slice();
          moved[p]! += h;
          return add(moved, rows, new Float64Array(net.parameters));
        };
        gradient.forEach((g, p) => {
          expect(Math.abs(g - (at(p, 1e-5) - at(p, -1e-5)) / 2e-5)).toBeLessThan(1e-7 + 1e-4 * Math.abs(g));
        });
      }),
      { numRuns: 20 },
    );
  test("is the derivative of the loss", () => law(networkLoss));
  test("one wrong weight is refused", () => refuses(() => law(fitMutants.networkLoss)));
});

describe("training", () => {
  const xor = matrix(4, 2, Float64Array.of(0, 0, 0, 1, 1, 0, 1, 1));

  test("learns what no line can tell apart", () => {
    const model = fitMlp(xor, [0, 1, 1, 0], { hidden: [16], epochs: 2000, rate: 0.01 }, 1);
    expect(Array.from(model.predict(xor), (s) => Math.round(s))).toEqual([0, 1, 1, 0]);
  });

  test.each(["relu", "tanh"] as const)("separates three classes with %s", (activation) => {
    const { x, y } = sampleClasses(200, 2, 3, 1);
    const model = fitMlp(x, y, { hidden: [12], activation, epochs: 150, rate: 0.01 }, 1);
    const best = [0, 1, 2].map((k) => model.predict(x, k));
    const right = y.filter((label, i) => best.every((s) => s[i]! <= best[label]![i]!)).length;
    expect(right / 200).toBeGreaterThan(0.75);
  });

  test("stops when the loss stands still", () => {
    const { x, y } = sampleClasses(30, 2, 2, 2);
    const short = fitMlp(x, y, { hidden: [4], epochs: 5000, tolerance: 1, patience: 3 }, 1);
    // No epoch gains 1: the first sets the best, four more are waited for.
    const five = fitMlp(x, y, { hidden: [4], epochs: 5, tolerance: 1, patience: 3 }, 1);
    const four = fitMlp(x, y, { hidden: [4], epochs: 4, tolerance: 1, patience: 3 }, 1);
    expect(short.toJSON()).toEqual(five.toJSON());
    expect(short.toJSON()).not.toEqual(four.toJSON());
  });

  test("the penalty shrinks the weights", () => {
    const { x, y } = sampleClasses(60, 2, 2, 3);
    const size = (l2: number): number => {
      const { parameters } = fitMlp(x, y, { hidden: [8], epochs: 300, rate: 0.01, l2 }, 1).toJSON() as {
        parameters: number[];
      };
      return parameters.reduce((sum, p) => sum + p * p, 0);
    };
    expect(size(100)).toBeLessThan(0.5 * size(0));
  });

  test("the authors' network is d → 10 → 10 → 1", () => {
    const { x, y } = sampleClasses(40, 3, 2, 4);
    expect(fitMlp(x, y, { variant: "authors" }, 1).toJSON()).toMatchObject({
      sizes: [3, 10, 10, 1],
      activation: "relu",
    });
  });

  test("says so when it runs away", () => {
    const x = matrix(2, 2, Float64Array.of(-1e308, 1e308, 1e308, -1e308));
    const fit = (): unknown => fitMlp(x, [0, 1], { rate: 10, epochs: 50 });
    expect(fit).toThrowError(expect.objectContaining({ code: "FIT_FAILED" }) as Error);
  });
});
