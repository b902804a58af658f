import { expect, test } from "vitest";
import { type ContestResult, contest } from "../../experiments/contest.ts";
import {
  claimSheet,
  comparisonSheet,
  contestSheet,
  dominanceSheet,
  dominated,
} from "../../experiments/contest-report.ts";
import { CAPPED, CONTESTANTS, FREE } from "../../experiments/contestants.ts";
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
    expect(of(CAPPED).validity).toBeGreaterThanOrEqual(of("transport + minimal").validity);
    expect(of(FREE).validity).toBeGreaterThanOrEqual(of(CAPPED).validity);
    // Without the cap there are more mixtures to choose from; with it no row goes farther than the whole proposal.
    of(FREE).perRow.forEach((row, i) => {
      for (const name of [CAPPED, "transport + minimal"]) {
        if (of(name).perRow[i]) expect(row![0]).toBeLessThanOrEqual(of(name).perRow[i]![0]);
      }
    });
  }
  expect(contestSheet([result], "label").rows).toHaveLength(names.length);
  expect(comparisonSheet([result], "score").rows).toHaveLength(2 * (names.length - 1));
  expect(dominanceSheet([result]).columns).toEqual(["ours", "goal", "scenario", "by", "distance"]);
  expect(result.ablation.length).toBeGreaterThan(40);
});

/** A scenario of twenty rows in which each method has the same plan [edits, margin, yNN, L2] for every row. */
function scenarioOfPlans(
  plans: Record<string, readonly [number, number, number, number] | null>,
): ContestResult {
  const rows = ["label", "score"].flatMap((goal) =>
    Object.entries(plans).map(([name, plan]) => ({
      goal,
      name,
      perRow: Array.from({ length: 20 }, () => plan),
    })),
  );
  return { scenario: "loans-tree-knn", split: 0, direction: "wanted", rows } as unknown as ContestResult;
}

test("ours is dominated by what is no worse on edits, margin and yNN and better on one; how far it goes is told", () => {
  const ours = { [FREE]: [2, 0.2, 0.8, 1] as const, [CAPPED]: null };
  const by = (other: readonly [number, number, number, number] | null) =>
    dominated([scenarioOfPlans({ ...ours, other })], "label", FREE).map(({ farther }) => farther);
  expect(by([1, 0.2, 0.8, 1])).toEqual([false]);
  expect(by([2, 0.3, 0.8, 1])).toEqual([false]);
  expect(by([2, 0.2, 0.9, 2])).toEqual([true]);
  expect(by([2, 0.2, 0.8, 0.5])).toEqual([]);
  expect(by([1, 0.1, 0.9, 0.5])).toEqual([]);
  expect(by([1, 0.3, 0.7, 0.5])).toEqual([]);
  expect(by([3, 0.3, 0.9, 0.5])).toEqual([]);
  expect(by(null)).toEqual([]);
  const near = scenarioOfPlans({ ...ours, a: [1, 0.2, 0.8, 1], b: [1, 0.2, 0.8, 1] });
  const far = { ...scenarioOfPlans({ ...ours, a: [1, 0.2, 0.8, 2] }), split: 1 };
  const claim = [FREE, "label", 2, "1", "50.0 %", "2", "100.0 %", "a 2, b 1"];
  expect(claimSheet([near, far]).rows[0]).toEqual(claim);
  expect(claimSheet([near, far]).rows[2]).toEqual([CAPPED, "label", 2, "0", "0.0 %", "0", "0.0 %", ""]);
});
