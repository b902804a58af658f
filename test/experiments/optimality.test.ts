import { expect, test } from "vitest";
import { highsOptimum } from "../../experiments/highs.ts";
import { choices, optimality, optimum } from "../../experiments/optimality.ts";
import { scenarioOf } from "../../experiments/settings.ts";
import { setUp } from "../../experiments/setup.ts";
import { takeRows } from "../../src/num/matrix.ts";
import { mean } from "../../src/num/stats.ts";

const options = { preset: "paper", seed: 0, runs: 5, folder: "nowhere" } as const;
const scenario = scenarioOf("loans-bagging-knn");

test("our optimum on labels is HiGHS's for every budget", async () => {
  const { model, x, r, pairs, fr } = await setUp(scenario, options);
  const some = Int32Array.from({ length: 12 }, (_, i) => i);
  const [from, to] = [
    takeRows(x, some),
    takeRows(
      r,
      some.map((i) => pairs![i]!),
    ),
  ];
  const goal = fr.subarray(0, 12);
  const ours = (await optimum(model, from, to, goal, {})).map(({ D }) => D);
  const budgets = ours.map((_, C) => C).slice(0, 16);
  const theirs = await highsOptimum(await choices(model, from, to), mean(goal), budgets);
  budgets.forEach((C, t) => {
    expect(theirs[t]).toBeCloseTo(ours[C]!, 6);
  });
  expect(ours.some((D, C) => C > 0 && D > ours[C - 1]! + 1e-12)).toBe(false);
  expect(ours[0]).toBeGreaterThan(0.5);
});

test("the optimality result compares both pairings and its own check agrees", async () => {
  const { curves, checks } = await optimality(scenario, options, 200);
  expect(curves.map(({ name }) => name)).toEqual([
    "CF-p_OT",
    "optimum, pairs of CF-p_OT",
    "CF-p_Ect",
    "optimum, pairs of CF-p_Ect",
  ]);
  expect(checks.map(({ on }) => on).sort()).toEqual([
    ...new Array<string>(10).fill("label"),
    ...new Array<string>(12).fill("score"),
  ]);
  for (const { on, bound, ours, highs, agrees } of checks) {
    expect(agrees).toBe(true);
    if (on === "label") expect(highs).toBeCloseTo(ours, 6);
    expect(bound).toBeLessThanOrEqual(highs! + 1e-6);
    expect(highs!).toBeLessThanOrEqual(ours + 1e-6);
  }
});
