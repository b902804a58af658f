import { expect, test } from "vitest";
import type { Saving } from "../../experiments/savings.ts";
import { saving } from "../../experiments/savings.ts";
import { savingsSheets, savingsVerdict } from "../../experiments/savings-report.ts";
import { runScenario, type ScenarioResult } from "../../experiments/scenario.ts";
import { MODELS, scenarioOf } from "../../experiments/settings.ts";
import { exactMutants, savingsMutants } from "../support/mutants/experiments.ts";

const options = { preset: "paper", seed: 0, runs: 10, folder: "none" } as const;

/** The same rows, draws and couplings as in the modification table; never more edits, never below the bound. */
function agrees({ sampling, joint, bound }: Saving, { methods }: ScenarioResult): void {
  const of = (name: string) =>
    methods.find(({ method }) => method === name)!.levels.find(({ level }) => level === 0.8)!.firstHit;
  expect([sampling, joint]).toEqual([of("CF-p_OT"), of("joint + minimal")]);
  expect(joint!).toBeLessThanOrEqual(sampling!);
  expect(joint!).toBeGreaterThanOrEqual(bound!);
}

/** Over all values no method of the table needs fewer edits, and a row that flips takes one at least. */
function leastOfAll({ methods, start, n }: ScenarioResult): void {
  const of = (name: string) => methods.find(({ method }) => method === name)!;
  const hits = (name: string) => of(name).levels.map(({ firstHit }) => firstHit ?? Number.POSITIVE_INFINITY);
  hits("exact").forEach((edits, l) => {
    expect(of("exact").levels[l]!.reached).toBe(1);
    expect(edits).toBeGreaterThanOrEqual(Math.floor([0.8, 1][l]! * start * n) / n - 1e-9);
    for (const { method, why } of methods) {
      if (why === undefined) expect(edits).toBeLessThanOrEqual(hits(method)[l]! + 1e-9);
    }
  });
}

test("what is saved is what the modification table says", async () => {
  const scenario = scenarioOf("loans-bagging-knn");
  const [own, table] = [await saving(scenario, options, {}), await runScenario(scenario, options)];
  agrees(own, table);
  leastOfAll(table);
  for (const mutant of Object.values(exactMutants)) expect(() => leastOfAll(mutant(table))).toThrow();
  for (const mutant of Object.values(savingsMutants)) expect(() => agrees(mutant(own), table)).toThrow();
});

test("the interval of what is saved holds what is saved, and is a point where all scenarios save the same", () => {
  const of = (joint: number[]): string =>
    savingsVerdict(
      joint.map((edits, t) => ({
        scenario: `german-${MODELS[t]}-knn`,
        sampling: 1,
        joint: edits,
        reached: 1,
      })),
    )[1]!;
  expect(of([0.5, 0.5, 0.5])).toContain("interval 50 % … 50 %");
  expect(of([0.5, 0.5, 0.5])).toContain("Every run of the sampling reaches the level.");
  const [low, high] = of([0.1, 0.5, 0.9])
    .match(/interval (\d+) % … (\d+) %/)!
    .slice(1)
    .map(Number);
  expect([low! < 50, high! > 50, low! >= 10, high! <= 90]).toEqual([true, true, true, true]);
});

test("a scenario that cannot be run says why and leaves the others their means", () => {
  const savings: Saving[] = [
    { scenario: "german-forest-knn", n: 50, sampling: 2, joint: 0.8, bound: 0.8 },
    { scenario: "german-mlp-knn", n: 50, sampling: 1, reached: 0.9, joint: 0.8, bound: 0.7 },
    { scenario: "german-forest-dice", n: 50, sampling: 0.8, joint: 0.8, bound: 0.8 },
    { scenario: "german-qda-dice", why: "a column is constant" },
  ];
  const [sheet] = savingsSheets(savings);
  expect(sheet!.columns).toEqual(["model", "DiCE", "KNN", "mean"]);
  expect(sheet!.rows).toEqual([
    ["forest", "0.80 → 0.80 (0 %)", "2.00 → 0.80 (60 %)", "1.40 → 0.80 (43 %)"],
    ["mlp", "–", "1.00 → 0.80 (20 %)", "1.00 → 0.80 (20 %)"],
    ["mean", "0.80 → 0.80 (0 %)", "1.50 → 0.80 (47 %)", "1.27 → 0.80 (37 %)"],
  ]);
  const [, german, absent] = savingsVerdict(savings);
  expect(german).toContain("3 scenarios: 1.27 → 0.80 (37 %); with KNN 1.50 → 0.80 (47 %), at least 20 %");
  expect(german).toContain("In 2 no one-to-one coupling");
  expect(german).toMatch(/95 % interval \d+ % … \d+ % \(bootstrap over scenarios\)/);
  expect(german).toContain("mean 27 % and median 20 %, and 1 of 3 save at least 40 %");
  expect(german).toContain("In 1 of 3 scenarios some runs of the sampling never reach the level");
  expect(absent).toBe("Without a result: german-qda-dice: a column is constant.");
});
