import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bootstrap, holm, ratioOfMeans, wilcoxon } from "../../experiments/statistics.ts";
import { stream } from "../../src/num/random.ts";
import { mean } from "../../src/num/stats.ts";

/** P by trying all signs. */
function bruteForce(differences: readonly number[]): number {
  const used = differences.filter((d) => d !== 0);
  const sizes = used.map(Math.abs);
  const rank = sizes.map(
    (v) => sizes.filter((u) => u < v).length + (sizes.filter((u) => u === v).length + 1) / 2,
  );
  const centre = rank.reduce((a, b) => a + b, 0) / 2;
  const off = Math.abs(used.reduce((sum, d, t) => sum + (d > 0 ? rank[t]! : 0), 0) - centre);
  let count = 0;
  for (let mask = 0; mask < 2 ** used.length; mask++) {
    const plus = rank.reduce((sum, r, t) => sum + ((mask >> t) & 1 ? r : 0), 0);
    if (Math.abs(plus - centre) >= off - 1e-9) count++;
  }
  return count / 2 ** used.length;
}

describe("wilcoxon", () => {
  test("is the share of all choices of signs", () => {
    const small = fc.array(fc.integer({ min: -4, max: 4 }), { minLength: 1, maxLength: 10 });
    fc.assert(
      fc.property(small, (differences) => {
        expect(wilcoxon(differences).p).toBeCloseTo(bruteForce(differences), 12);
      }),
      { numRuns: 60 },
    );
  });

  test("agrees with published values: 8 positive differences give 2/256, and large samples the normal tail", () => {
    expect(wilcoxon([1, 2, 3, 4, 5, 6, 7, 8])).toEqual({ n: 8, p: 2 / 256 });
    expect(wilcoxon([0, 0])).toEqual({ n: 0, p: 1 });
    const many = Array.from({ length: 40 }, (_, t) => (t % 2 === 0 ? 1 : -1) * (t + 1));
    expect(wilcoxon(many).p).toBeGreaterThan(0.8);
    expect(wilcoxon(many.map(Math.abs)).p).toBeLessThan(1e-6);
  });
});

test("Holm's correction keeps the order and never lowers a p value", () => {
  expect(holm([0.01, 0.04, 0.03]).map((p) => Number(p.toFixed(6)))).toEqual([0.03, 0.06, 0.06]);
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 8 }),
      (ps) => {
        const adjusted = holm(ps);
        adjusted.forEach((p, t) => {
          expect(p).toBeGreaterThanOrEqual(ps[t]!);
          expect(p).toBeLessThanOrEqual(Math.max(1, ps[t]!));
        });
      },
    ),
  );
});

test("the bootstrap interval covers what it estimates about as often as it says", () => {
  let covered = 0;
  for (let t = 0; t < 100; t++) {
    const random = stream(t, "cover");
    const values = Array.from({ length: 30 }, () => random.normal());
    const [low, high] = bootstrap(values, mean, random, 200);
    covered += Number(low <= 0 && 0 <= high);
  }
  expect(covered).toBeGreaterThan(84);
  expect(covered).toBeLessThan(100);
  expect(
    ratioOfMeans([
      [1, 2],
      [3, 6],
    ]),
  ).toBe(0.5);
});
