import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { erf, mean, median, quantile, rocAuc, sd } from "../../src/num/stats.ts";
import { numMutants } from "../support/mutants/num.ts";
import { refuses } from "../support/refuses.ts";

const values = fc.array(fc.integer({ min: -20, max: 20 }), { minLength: 1, maxLength: 30 });

describe("moments and quantiles", () => {
  test("mean and both standard deviations by hand", () => {
    expect(mean([2, 4, 4, 4, 5, 5, 7, 9])).toBe(5);
    expect(sd([2, 4, 4, 4, 5, 5, 7, 9])).toBe(2);
    expect(sd([1, 2, 3, 4], 1)).toBeCloseTo(Math.sqrt(5 / 3), 15);
    expect(mean([])).toBeNaN();
  });

  const law = (of: typeof quantile): void =>
    fc.assert(
      fc.property(values, fc.integer({ min: 0, max: 40 }), (list, fortieths) => {
        // Position q(n − 1), a straight line between the neighbours.
        const q = fortieths / 40;
        const all = [...list].sort((a, b) => a - b);
        const at = q * (all.length - 1);
        const low = all[Math.floor(at)]!;
        const high = all[Math.ceil(at)]!;
        expect(of(list, q)).toBeCloseTo(low * (1 - (at % 1)) + high * (at % 1), 10);
      }),
    );
  test("a quantile lies on the line between order statistics", () => law(quantile));
  test("the nearest order statistic is refused", () => refuses(() => law(numMutants.quantile)));

  test("the median splits a list, and an empty list has none", () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 2, 3])).toBe(2.5);
    expect(median([])).toBeNaN();
  });
});

describe("area under the ROC curve", () => {
  const law = (auc: typeof rocAuc): void =>
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 1 }), fc.integer({ min: 0, max: 6 })), {
          minLength: 2,
          maxLength: 40,
        }),
        (rows) => {
          const labels = [0, 1, ...rows.map(([label]) => label)];
          const scores = [3, 3, ...rows.map(([, score]) => score)];
          let won = 0;
          let pairs = 0;
          labels.forEach((a, i) => {
            labels.forEach((b, j) => {
              if (a !== 1 || b !== 0) return;
              pairs++;
              won += scores[i]! > scores[j]! ? 1 : scores[i] === scores[j] ? 0.5 : 0;
            });
          });
          expect(auc(labels, scores)).toBeCloseTo(won / pairs, 12);
        },
      ),
    );
  test("is the share of pairs ranked right, ties half", () => law(rocAuc));
  test("ties counted as won are refused", () => refuses(() => law(numMutants.auc)));
  test("is not a number when a class is absent", () => expect(rocAuc([1, 1], [0.2, 0.3])).toBeNaN());
});

describe("error function", () => {
  // Taylor series in 60-digit arithmetic, rounded to doubles.
  const known: readonly (readonly [number, number])[] = [
    [0, 0],
    [1e-10, 1.1283791670955126e-10],
    [0.1, 0.1124629160182849],
    [0.5, 0.5204998778130465],
    [1, 0.8427007929497149],
    [1.5, 0.9661051464753108],
    [2.4, 0.999311486103355],
    [2.6, 0.9997639655834707],
    [3, 0.9999779095030014],
    [5, 0.9999999999984626],
    [7, 1],
  ];
  const law = (f: typeof erf): void => {
    for (const [x, y] of known) {
      expect(Math.abs(f(x) - y)).toBeLessThanOrEqual(4e-16 * Math.max(y, 1e-10));
      expect(f(-x)).toBe(-f(x));
    }
  };
  test("is right to the last bits and odd", () => law(erf));
  test("seven digits are refused", () => refuses(() => law(numMutants.erf)));
});
