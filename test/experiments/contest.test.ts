import { expect, test } from "vitest";
import { type ContestResult, contest } from "../../experiments/contest.ts";
import {
  claimSheet,
  comparisonSheet,
  contestSheet,
  dominanceSheet,
  dominated,
  leftOutSheet,
} from "../../experiments/contest-report.ts";
import { type Arena, openArena } from "../../experiments/contest-setup.ts";
import { CAPPED, CONTESTANTS, FREE, looksInside } from "../../experiments/contestants.ts";
import { leftOutChances } from "../../experiments/judge.ts";
import { aboutContest } from "../../experiments/page-contest.ts";
import { scenarioOf } from "../../experiments/settings.ts";
import { sameValue, takeCols } from "../../src/num/matrix.ts";
import { modelRowMutants } from "../support/mutants/experiments.ts";

/** A row is charged once, and a method that looks inside a tree asks for more of a plain function. */
function countsModelRows({ rows }: ContestResult): void {
  for (const contestant of CONTESTANTS) {
    const [label, score] = rows.filter(({ name }) => name === contestant.name);
    for (const { modelRows, blackBoxRows } of [label!, score!]) {
      if (looksInside(contestant)) expect(blackBoxRows).toBeGreaterThan(modelRows);
      else expect(blackBoxRows).toBe(modelRows);
    }
    // On a tree few scores are above the target class's threshold, so both goals ask for about as many rows.
    if (contestant.name === "nice") expect(score!.modelRows).toBeLessThan(2 * label!.modelRows);
  }
}

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
  countsModelRows(result);
  for (const mutant of Object.values(modelRowMutants))
    expect(() => countsModelRows(mutant(result))).toThrow();
  const { columns, rows: sheet } = contestSheet([result], "label");
  expect(sheet).toHaveLength(names.length);
  expect(sheet[0]![columns.indexOf("as a black box")]).toBe(String(result.rows[0]!.blackBoxRows));
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
  const near = (other: readonly [number, number, number, number]) =>
    dominated([scenarioOfPlans({ ...ours, other })], "label", FREE, ["edits", "L2"]).length;
  expect([
    near([2, 0, 0, 0.5]),
    near([1, 0, 0, 1]),
    near([1, 0.9, 0.9, 2]),
    near([3, 0.9, 0.9, 0.5]),
  ]).toEqual([1, 1, 0, 0]);
  const close = scenarioOfPlans({ ...ours, a: [1, 0.2, 0.8, 1], b: [1, 0.2, 0.8, 1] });
  const far = { ...scenarioOfPlans({ ...ours, a: [1, 0.2, 0.8, 2] }), split: 1 };
  const [half, whole, none] = ["1 (50.0 %)", "2 (100.0 %)", "0 (0.0 %)"];
  const [free, , capped] = claimSheet([close, far]).rows;
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

/** Cells of the references that are neither the row's own nor seen in training. */
function invented({ x, r, train }: Arena): number {
  const seen = Array.from({ length: x.cols }, (_, k) => new Set(takeCols(train, [k]).data));
  return r.data.filter((v, t) => !(sameValue(v, x.data[t]!) || seen[t % x.cols]!.has(v))).length;
}

test("the references are made by the scenario's generator: KNN takes training rows, DiCE draws values", async () => {
  const options = { folder: "none", seed: 0, split: 0, direction: "wanted", rows: 8, retrains: 0 } as const;
  const dice = scenarioOf("loans-tree-dice");
  const drawn = (arena: Arena): void => expect(invented(arena)).toBeGreaterThan(0);
  drawn(await openArena(dice, options));
  const neighbours = await openArena({ ...dice, generator: "knn" }, options);
  expect(() => drawn(neighbours)).toThrow();
});

test("who is left out is told by data set, direction, feature and group; one split is one split", () => {
  const of = (scenario: string, groups: string[]) =>
    ({
      ...{ scenario, split: 0, direction: "wanted", rows: [] },
      leftOut: groups.map((group) => ({ feature: "age", group, rows: 2, left: 1 })),
    }) as unknown as ContestResult;
  const results = [
    of("hotel-tree-knn", ["b"]),
    of("german-tree-knn", ["b"]),
    of("hotel-mlp-knn", ["a", "b"]),
  ];
  expect(leftOutSheet(results).rows.map((row) => [row[0], row[3], row[4]])).toEqual([
    ["german", "b", 2],
    ["hotel", "a", 2],
    ["hotel", "b", 4],
  ]);
  const about = (splits: number): string =>
    aboutContest({ splits, rows: 3, retrains: 1, why: [], results }).join(" ");
  expect(about(1)).toContain("; 1 split;");
  expect(about(2)).toContain("; 2 splits;");
});

test("left out: lots decide among rows of as many edits, and rows without a plan are always left out", () => {
  const chances = leftOutChances(Uint8Array.of(1, 1, 1, 1, 0), Int32Array.of(2, 1, 2, 2, 0));
  expect(Array.from(chances)).toEqual([0, 0, 0, 0, 1]);
  const tied = leftOutChances(Uint8Array.of(1, 1, 1, 1, 1), Int32Array.of(3, 1, 3, 3, 1));
  expect(Array.from(tied, (c) => Number(c.toFixed(9)))).toEqual([
    0.333333333, 0, 0.333333333, 0.333333333, 0,
  ]);
});
