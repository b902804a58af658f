import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { startWork } from "../../src/budget.ts";
import { stream } from "../../src/num/random.ts";
import { type Choices, meanCurve } from "../../src/refine/index.ts";
import { alwaysLargest, overclaims } from "../support/mutants/refine.ts";
import { refuses } from "../support/refuses.ts";
import { seeds } from "./cases.ts";

type MeanCurveFunction = typeof meanCurve;

function sizesOf(k: number): Uint8Array {
  return Uint8Array.from({ length: 2 ** k }, (_, mask) => mask.toString(2).replaceAll("0", "").length);
}

/** Random groups: scores without rule, logistic, on a lattice, in two clusters, or labels. */
function groupOf(seed: number, n: number, most: number, style = seed % 5): Choices[] {
  const random = stream(seed, "group");
  return Array.from({ length: n }, () => {
    const k = 1 + random.int(most);
    const weights = Float64Array.from({ length: k }, () => random.normal() * 0.8 + 0.2);
    const start = random.normal() - 1;
    const values = Float64Array.from({ length: 2 ** k }, (_, mask) => {
      if (style === 0) return random.next();
      const margin = weights.reduce((sum, w, b) => sum + ((mask >> b) & 1 ? w : 0), start);
      const score = 1 / (1 + Math.exp(-margin));
      if (style === 1) return score;
      if (style === 2) return Math.round(score * 7) / 7;
      return style === 3 ? Number(score > 0.5) * 0.8 + 0.1 + 0.001 * score : Number(score > 0.5);
    });
    return { sizes: sizesOf(k), values };
  });
}

/** least[C] over all plans, by trying them. */
function bruteForce(rows: readonly Choices[], goal: number): number[] {
  const least: number[] = [];
  const visit = (i: number, sum: number, edits: number): void => {
    if (i === rows.length)
      least[edits] = Math.min(least[edits] ?? Number.POSITIVE_INFINITY, Math.abs(sum / rows.length - goal));
    else
      rows[i]!.values.forEach((v, t) => {
        visit(i + 1, sum + v, edits + rows[i]!.sizes[t]!);
      });
  };
  visit(0, 0, 0);
  for (let C = 1; C < least.length; C++)
    least[C] = Math.min(least[C] ?? Number.POSITIVE_INFINITY, least[C - 1]!);
  return least;
}

/** What holds of every curve, whether or not the optimum can be tried out. */
async function checkCurve(
  impl: MeanCurveFunction,
  rows: readonly Choices[],
  goal: number,
): Promise<Float64Array[]> {
  const { value, bound, plan } = await impl(rows, goal, Number.POSITIVE_INFINITY, startWork("test"));
  value.forEach((v, C) => {
    expect(v).toBeLessThanOrEqual((value[C - 1] ?? v) + 1e-12);
    expect(bound[C]!).toBeLessThanOrEqual(v + 1e-12);
    expect(v - bound[C]!).toBeLessThanOrEqual(1e-4 * value[0]! + 1e-12);
    const choice = plan(C);
    const edits = choice.reduce((sum, t, i) => sum + rows[i]!.sizes[t]!, 0);
    expect(edits).toBeLessThanOrEqual(C);
    const mean = choice.reduce((sum, t, i) => sum + rows[i]!.values[t]!, 0) / rows.length;
    expect(Math.abs(mean - goal)).toBeCloseTo(v, 10);
  });
  return [value, bound];
}

/** bound ≤ brute force ≤ value for every budget, equal before the crossing. */
async function curveIsOptimal(impl: MeanCurveFunction): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      seeds,
      fc.integer({ min: 1, max: 4 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      async (seed, n, goal) => {
        const rows = groupOf(seed, n, 3);
        const [value, bound] = (await checkCurve(impl, rows, goal)) as [Float64Array, Float64Array];
        const optimum = bruteForce(rows, goal);
        expect(value).toHaveLength(optimum.length);
        optimum.forEach((least, C) => {
          expect(bound[C]!).toBeLessThanOrEqual(least + 1e-12);
          expect(value[C]!).toBeGreaterThanOrEqual(least - 1e-12);
        });
      },
    ),
    { numRuns: 80 },
  );
}

describe("the least |mean f(z) − mean y*| for every budget", () => {
  test("bounds brute force within 1e-4 of D(f(x), y*) and never rises", () => curveIsOptimal(meanCurve));
  test("kills the largest sum past the crossing", () => refuses(() => curveIsOptimal(alwaysLargest)));
  test("kills a bound above the optimum", () => refuses(() => curveIsOptimal(overclaims(meanCurve))));

  test("is certified for groups too large to try", async () => {
    await fc.assert(
      fc.asyncProperty(
        seeds,
        fc.integer({ min: 5, max: 30 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (seed, n, goal) => {
          await checkCurve(meanCurve, groupOf(seed, n, 6), goal);
        },
      ),
      { numRuns: 25 },
    );
  });

  test("two-sided past the crossing: one row, one edit, .6 or .45 for .5", async () => {
    const rows = [{ sizes: sizesOf(2), values: Float64Array.of(0.2, 0.6, 0.45, 0.9) }];
    const { value, bound } = await meanCurve(rows, 0.5, 2, startWork("test"));
    expect(value[1]).toBeCloseTo(0.05, 12);
    expect(bound[1]).toBeCloseTo(0.05, 9);
  });

  test("choices that are not to be had are never taken", async () => {
    const rows = [{ sizes: sizesOf(2), values: Float64Array.of(0.2, Number.NaN, Number.NaN, 0.5) }];
    const { value, plan } = await meanCurve(rows, 0.5, 2, startWork("test"));
    expect(value[1]).toBeCloseTo(0.3, 12);
    expect([...plan(1)]).toEqual([0]);
    expect([...plan(2)]).toEqual([3]);
  });

  test("a group whose table of decisions would not fit is bounded by concave envelopes", async () => {
    const rows = groupOf(9, 9000, 4, 1);
    const { value, bound } = await meanCurve(rows, 0.45, Number.POSITIVE_INFINITY, startWork("test"));
    const gaps = value.map((v, C) => v - bound[C]!);
    expect(gaps.every((gap) => gap >= -1e-12 && gap <= 1e-4 * value[0]!)).toBe(true);
    // The exact programme has no gap before the crossing.
    const crossing = value.findIndex((v) => v < 1e-3);
    expect(crossing).toBeGreaterThan(0);
    expect(gaps.findIndex((gap) => gap > 0)).toBeLessThan(crossing);
  });
});
