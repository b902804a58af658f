import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { asModel } from "../../src/model/contract.ts";
import { divergences } from "../../src/num/divergence.ts";
import { fromRows, matrix, toRows } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import { refine } from "../../src/refine/index.ts";
import type { GroupGoal, Matrix } from "../../src/types.ts";
import { blindToAttribution, curvesFromScores, rises, takesAllOfGreedy } from "../support/mutants/refine.ts";
import { refuses } from "../support/refuses.ts";
import { arbitrary, forest, linear, seeds, smallRows } from "./cases.ts";
import type { Refine } from "./laws.ts";

const DIVERGENCES = ["w1", "transport", "mmd", "mean", "median"] as const;

function groupCase(seed: number, n = 4) {
  const random = stream(seed, "group");
  const cols = 1 + random.int(4);
  const model = [arbitrary(seed), linear(random, cols), forest(random, cols, 6, 3)][seed % 3]!;
  const [x, q] = [smallRows(random, n, cols), smallRows(random, n, cols)];
  const attribution = matrix(
    n,
    cols,
    Float64Array.from({ length: n * cols }, () => random.normal()),
  );
  return { model, x, q, attribution, seed };
}

/** The curve is D of the nested plans, z stops at the first C that reaches the level (else where D is least), and D is that of z. */
async function curveIsTrue(impl: Refine): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      ...([
        seeds,
        fc.constantFrom("sample", "top", "greedy"),
        fc.constantFrom(...DIVERGENCES),
        fc.boolean(),
      ] as const),
      async (seed, policy, divergence, labels) => {
        const base = { ...groupCase(seed), policy, prune: false };
        const desired = [0.9, 0.2, 0.7];
        const goal: GroupGoal = {
          kind: "group",
          divergence,
          on: labels ? "label" : "score",
          level: 0.6,
          desired,
        };
        const scale = (s: number): number => (labels ? Number(s > 0.5) : s);
        const D = (scores: readonly number[]): number =>
          divergences[divergence](scores.map(scale), desired.map(scale));
        const free = await impl({ ...base, goal, stop: "budget" });
        for (const { C, D: d, effect } of free.curve) {
          const at = await impl({ ...base, goal, stop: "budget", budget: { total: C } });
          expect(d).toBeCloseTo(D(at.rows.map((row) => row.after)), 10);
          const start = free.curve[0]!.D;
          if (start === 0) expect(effect).toBeNull();
          else expect(effect).toBeCloseTo(1 - d / start, 9);
        }
        const stopped = await impl({ ...base, goal });
        const enough = 0.4 * free.curve[0]!.D + 1e-9;
        const first = free.curve.find((point) => point.D <= enough);
        const nearest = free.curve.reduce((a, b) => (b.D < a.D ? b : a));
        expect(stopped.reached.C).toBe((first ?? nearest).C);
        expect(stopped.reached.D).toBeCloseTo(D(stopped.rows.map((row) => row.after)), 12);
        expect(stopped.reached.goal).toBe(first !== undefined);
        for (const row of stopped.rows) expect(row.valid).toBe(first !== undefined);
      },
    ),
    { numRuns: 60 },
  );
}

/** For `minimal` the curve of MeanD never rises, no other policy gets below it, and z attains it. */
async function optimumIsBest(impl: Refine): Promise<void> {
  await fc.assert(
    fc.asyncProperty(seeds, fc.constantFrom("score", "label"), async (seed, on) => {
      const base = groupCase(seed);
      const goal: GroupGoal = { kind: "group", divergence: "mean", on, desired: [0.8, 0.9, 0.3] };
      const { curve } = await impl({ ...base, goal, policy: "minimal" });
      curve.forEach((point, C) => {
        expect(point.D).toBeLessThanOrEqual((curve[C - 1] ?? point).D + 1e-12);
        expect(point.bound!).toBeLessThanOrEqual(point.D + 1e-12);
      });
      for (const policy of ["sample", "top", "greedy"]) {
        const other = await refine({ ...base, goal, policy, stop: "budget", prune: false });
        for (const { C, D } of other.curve) expect(D).toBeGreaterThanOrEqual(curve[C]!.bound! - 1e-12);
      }
      for (let total = 0; total < curve.length; total += 2) {
        const at = await impl({ ...base, goal, policy: "minimal", stop: "budget", budget: { total } });
        expect(at.reached.C).toBeLessThanOrEqual(total);
        expect(at.reached.D).toBeCloseTo(curve[total]!.D, 10);
      }
    }),
    { numRuns: 40 },
  );
}

/** Where the sets of a row are too many to try, `minimal` still never needs more than `top` or `greedy`. */
async function neverBehind(impl: Refine): Promise<void> {
  let longer = 0;
  await fc.assert(
    fc.asyncProperty(seeds, fc.constantFrom("score", "label"), async (seed, on) => {
      const random = stream(seed, "many");
      const [n, cols] = [4, 6];
      const model = [arbitrary(seed), linear(random, cols)][seed % 2]!;
      const [x, q] = [smallRows(random, n, cols), smallRows(random, n, cols)];
      const values = Float64Array.from({ length: n * cols }, () => random.normal());
      const goal: GroupGoal = { kind: "group", divergence: "mean", on, desired: [1, 1, 0.9] };
      const base = { x, q, attribution: matrix(n, cols, values), goal, stop: "budget", effort: 8 } as const;
      const closed = (rows: Matrix) => asModel(model).predict(rows);
      const { curve } = await impl({ ...base, model: closed, policy: "minimal" });
      const slack = on === "label" ? 1e-12 : 1e-4 * curve[0]!.D;
      for (const policy of ["top", "greedy"]) {
        const other = await refine({ ...base, model: closed, policy, prune: false });
        for (const { C, D } of other.curve) expect(curve[C]!.D).toBeLessThanOrEqual(D + slack);
      }
      longer += Number(curve.some(({ bound, D }) => bound! < D));
    }),
    { numRuns: 60 },
  );
  expect(longer).toBeGreaterThan(20);
}

/** A label that only some columns together change: no step towards them shows, so a chain takes many others too. */
async function keepsWhatPruningSaves(impl: Refine): Promise<void> {
  let saved = 0;
  await fc.assert(
    fc.asyncProperty(seeds, fc.constantFrom("score", "label"), async (seed, on) => {
      const random = stream(seed, "hidden");
      const [n, cols] = [3, 9];
      const wanted = Array.from({ length: cols }, () => random.int(3) === 0);
      const model = (rows: Matrix) =>
        toRows(rows).map((row) => (wanted.every((must, c) => !must || row[c] === 1) ? 0.9 : 0.1));
      const [x, q] = [matrix(n, cols), matrix(n, cols, new Float64Array(n * cols).fill(1))];
      const values = Float64Array.from({ length: n * cols }, () => random.normal());
      const goal: GroupGoal = { kind: "group", divergence: "mean", on };
      const base = { model, x, q, attribution: matrix(n, cols, values), goal, effort: 12 };
      const { reached } = await impl({ ...base, policy: "minimal" });
      const pruned = await refine({ ...base, policy: "greedy" });
      const whole = await refine({ ...base, policy: "greedy", prune: false });
      expect(reached.goal).toBe(pruned.reached.goal);
      expect(reached.C).toBeLessThanOrEqual(pruned.reached.C);
      saved += Number(pruned.reached.C < whole.reached.C);
    }),
    { numRuns: 30 },
  );
  expect(saved).toBeGreaterThan(10);
}

describe("goals of a group", () => {
  test("minimal is never behind what greedy keeps when it prunes", () => keepsWhatPruningSaves(refine));
  test("kills a minimal that does not leave out what greedy does", () =>
    refuses(() => keepsWhatPruningSaves(takesAllOfGreedy)));
  test("minimal is never behind top or greedy, however many sets there are", () => neverBehind(refine));
  test("kills a minimal that does not look at what they take", () =>
    refuses(() => neverBehind(blindToAttribution)));
  test("the curve is D of the plans", () => curveIsTrue(refine));
  test("kills a curve that forgets labels", () => refuses(() => curveIsTrue(curvesFromScores)));
  test("the optimum of MeanD is never beaten and never rises", () => optimumIsBest(refine));
  test("kills a curve that rises", () => refuses(() => optimumIsBest(rises)));

  test("on labels W1, W2² and MMD share the optimum of MeanD", async () => {
    const base = { ...groupCase(10, 6), policy: "minimal" };
    const goal = { kind: "group", on: "label", desired: [1, 1, 0] } as const;
    const mean = (await refine({ ...base, goal: { ...goal, divergence: "mean" } })).curve;
    for (const [divergence, of] of [
      ["w1", (d: number) => d],
      ["transport", (d: number) => d],
      ["mmd", (d: number) => 2 * (1 - Math.exp(-1)) * d * d],
    ] as const) {
      const { curve, reached } = await refine({ ...base, goal: { ...goal, divergence } });
      curve.forEach(({ D }, C) => {
        expect(D).toBeCloseTo(of(mean[C]!.D), 12);
      });
      expect(reached.D).toBeCloseTo(curve[reached.C]!.D, 10);
    }
  });

  test("labels exactly at the threshold are the model's, whichever way scores are summed", async () => {
    const random = stream(4, "threshold");
    const model = forest(random, 4, 10, 3);
    const [x, q] = [smallRows(random, 8, 4), smallRows(random, 8, 4)];
    const goal: GroupGoal = { kind: "group", divergence: "mean", on: "label", desired: [1] };
    const plain = (rows: Matrix): Float64Array => model.predict(rows, 1) as Float64Array;
    const [inside, outside] = [
      await refine({ model, x, q, goal, policy: "minimal" }),
      await refine({ model: plain, x, q, goal, policy: "minimal" }),
    ];
    expect(inside.curve).toEqual(outside.curve);
  });

  test("pruning drops edits the goal does not need", async () => {
    const model = (rows: Matrix): Float64Array =>
      Float64Array.from(toRows(rows), ([a, b, c]) => 0.2 * a! + 0.6 * b! + 0 * c!);
    const [x, q] = [matrix(3, 3), matrix(3, 3, new Float64Array(9).fill(1))];
    const attribution = fromRows(Array.from({ length: 3 }, () => [1, 2, 3]));
    const goal: GroupGoal = { kind: "group", divergence: "mean", level: 0.7 };
    const whole = await refine({ model, x, q, attribution, goal, policy: "greedy", prune: false });
    const pruned = await refine({ model, x, q, attribution, goal, policy: "greedy" });
    expect(whole.plan.reduce((a, b) => a + b, 0)).toBeGreaterThan(pruned.plan.reduce((a, b) => a + b, 0));
    expect(pruned.reached).toMatchObject({ C: 3, goal: true });
    for (const row of pruned.rows) expect(row.edits).toEqual([1]);
  });

  test("without y* the group is compared with f(q)", async () => {
    const base = groupCase(12);
    const { reached, curve } = await refine({
      ...base,
      policy: "top",
      stop: "budget",
      goal: { kind: "group" },
    });
    expect(reached.D).toBeCloseTo(0, 12);
    expect(curve.at(-1)!.D).toBeCloseTo(0, 12);
  });
});
