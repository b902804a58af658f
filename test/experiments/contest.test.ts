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
import { leftOutChances } from "../../experiments/judge.ts";
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
  expect(dominanceSheet([result]).columns).toEqual(["ours", "goal", "scenario", "by", "distance", "means"]);
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
  const [half, whole, none] = ["1 (50.0 %)", "2 (100.0 %)", "0 (0.0 %)"];
  const [free, , capped] = claimSheet([near, far]).rows;
  expect(free).toEqual([FREE, "label", 2, half, whole, half, whole, "a 2, b 1"]);
  expect(capped).toEqual([CAPPED, "label", 2, none, none, none, none, ""]);
});

test("a rival worse on one mean within its interval is counted apart", () => {
  const plan = (i: number): readonly [number, number, number, number] => [
    1,
    i % 2 === 0 ? 0.1 : 0.28,
    0.8,
    1,
  ];
  const result = scenarioOfPlans({ [FREE]: [2, 0.2, 0.8, 1], [CAPPED]: null, other: null });
  const rows = result.rows.map((row) =>
    row.name === "other" ? { ...row, perRow: row.perRow.map((_, i) => plan(i)) } : row,
  );
  const found = dominated([{ ...result, rows }], "label", FREE);
  expect(found.map(({ by, unsure }) => [by, unsure])).toEqual([["other", true]]);
  expect(claimSheet([{ ...result, rows }]).rows[0]!.slice(3, 7)).toEqual([
    ...["0 (0.0 %)", "0 (0.0 %)", "1 (100.0 %)", "1 (100.0 %)"],
  ]);
});

test("left out: lots decide among rows of as many edits, and rows without a plan are always left out", () => {
  const chances = leftOutChances(Uint8Array.of(1, 1, 1, 1, 0), Int32Array.of(2, 1, 2, 2, 0));
  expect(Array.from(chances)).toEqual([0, 0, 0, 0, 1]);
  const tied = leftOutChances(Uint8Array.of(1, 1, 1, 1, 1), Int32Array.of(3, 1, 3, 3, 1));
  expect(Array.from(tied, (c) => Number(c.toFixed(9)))).toEqual([
    0.333333333, 0, 0.333333333, 0.333333333, 0,
  ]);
});
