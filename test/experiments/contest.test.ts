import { expect, test } from "vitest";
import { contest } from "../../experiments/contest.ts";
import { comparisonSheet, contestSheet, dominanceSheet } from "../../experiments/contest-report.ts";
import { CONTESTANTS } from "../../experiments/contestants.ts";
import { scenarioOf } from "../../experiments/settings.ts";

test("a contest on the embedded data: every row, both goals, the claims that must hold in each", async () => {
  const options = { folder: "none", seed: 0, split: 0, direction: "wanted", rows: 8, retrains: 1 } as const;
  const result = await contest(scenarioOf("loans-tree-knn"), options);
  const names = CONTESTANTS.map(({ name }) => name);
  for (const goal of ["label", "score"] as const) {
    const rows = result.rows.filter((row) => row.goal === goal);
    expect(rows.map(({ name }) => name)).toEqual(names);
    const of = (name: string) => rows.find((row) => row.name === name)!;
    // Fewest over the same mixtures: row by row no policy on the transport proposal needs fewer edits.
    const least = of("transport + minimal").perRow;
    for (const name of ["sampling, stop and prune", "top-φ, stop and prune", "greedy on q, no attribution"]) {
      of(name).perRow.forEach((row, i) => {
        if (row && least[i]) expect(row[0]).toBeGreaterThanOrEqual(least[i]![0]);
      });
    }
    // The transport partner is a candidate of the joint choice, so nobody is lost by it.
    expect(of("joint + minimal").validity).toBeGreaterThanOrEqual(of("transport + minimal").validity);
  }
  expect(contestSheet([result], "label").rows).toHaveLength(names.length);
  expect(comparisonSheet([result], "score").rows).toHaveLength(names.length - 1);
  expect(dominanceSheet([result]).columns).toEqual(["goal", "scenario", "by"]);
  expect(result.ablation.length).toBeGreaterThan(40);
});
