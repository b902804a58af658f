import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { mostLikely } from "../../src/compose/most-likely.ts";
import { squaredEuclidean } from "../../src/couple/cost.ts";
import { transport } from "../../src/couple/transport.ts";
import { joint } from "../../src/match/index.ts";
import { fromRows, matrix, rowOf, toRows } from "../../src/num/matrix.ts";
import { type Random, stream } from "../../src/num/random.ts";
import type { Matrix } from "../../src/types.ts";
import type { Tried } from "../refine/brute-force.ts";
import { arbitrary, forest, linear, seeds } from "../refine/cases.ts";
import { otherTaste } from "../support/mutants/joint.ts";
import { refuses } from "../support/refuses.ts";
import { allSets, couplings } from "./joint-cases.ts";

type Impl = typeof joint;
type Prefer = "margin" | "near";
const GOAL = { kind: "each", target: { above: 0.55 } } as const;

/** Four rows whose distances have no ties. */
function randomRows(random: Random): Matrix {
  return matrix(
    4,
    3,
    Float64Array.from({ length: 12 }, () => 3 * random.next()),
  );
}

/** What a pair has to offer within d² ≤ cap: its fewest edits, and the most slack or least d² among them. */
function leadOf(all: readonly Tried[], cap: number, prefer: Prefer): { edits: number; dislike: number } {
  const good = all.filter((p) => p.slack > 0 && p.distance ** 2 <= cap + 1e-9);
  const edits = Math.min(Number.POSITIVE_INFINITY, ...good.map((p) => p.players.length));
  const least = good.filter((p) => p.players.length === edits);
  return {
    edits,
    dislike: Math.min(...least.map((p) => (prefer === "margin" ? -p.slack : p.distance ** 2))),
  };
}

async function capsOf(x: Matrix, r: Matrix): Promise<number[]> {
  const cost = squaredEuclidean(x, r);
  const { index } = mostLikely(await transport(cost), r, cost);
  const squared = (a: Float64Array, b: Float64Array): number =>
    a.reduce((sum, v, c) => sum + (v - b[c]!) ** 2, 0);
  return Array.from(index, (j, i) => squared(rowOf(x, i), rowOf(r, j)));
}

/** Of all couplings with the fewest edits, the one with the most slack (the least way) in the sum over rows. */
async function tiesAreBruteForce(
  impl: Impl,
  prefer: Prefer,
  mode: "one-to-one" | "free",
  cap: "transport" | "none",
): Promise<void> {
  let decided = 0;
  await fc.assert(
    fc.asyncProperty(seeds, async (seed) => {
      const random = stream(seed, "ties");
      const [x, r] = [randomRows(random), randomRows(random)];
      const model = [arbitrary(seed), forest(random, 3, 8, 3), linear(random, 3)][seed % 3]!;
      const found = await impl(model, x, r, { goal: GOAL, prefer, mode, cap });
      const caps = cap === "none" ? [] : await capsOf(x, r);
      const sets = await allSets(model, x, r, GOAL);
      const leads = sets.map((row, i) => row.map((all) => leadOf(all, caps[i] ?? Infinity, prefer)));
      const sums = [...couplings(4, 4, mode === "free" ? 4 : 1)]
        .map((partner) => partner.map((j, i) => leads[i]![j]!))
        .filter((own) => own.every(({ edits }) => Number.isFinite(edits)))
        .map(
          (own) => [own.reduce((s, l) => s + l.edits, 0), own.reduce((s, l) => s + l.dislike, 0)] as const,
        );
      if (sums.length === 0) return;
      const edits = Math.min(...sums.map(([e]) => e));
      const tied = sums.filter(([e]) => e === edits).map(([, dislike]) => dislike);
      const own = found.plans.map((plan) => (prefer === "margin" ? -plan.slack : plan.distance ** 2));
      expect(found.value).toBe(edits);
      expect(found.bound).toBe(edits);
      expect(own.reduce((a, b) => a + b, 0)).toBeCloseTo(Math.min(...tied), 6);
      decided += Number(Math.max(...tied) > Math.min(...tied) + 1e-6);
    }),
    { numRuns: 60 },
  );
  expect(decided).toBeGreaterThan(10);
}

/** Where the search goes beyond the tables, ties are broken by the plan it finds, not by the whole set of the table. */
async function tiesAreOfThePlanFound(impl: Impl): Promise<void> {
  const x = fromRows([
    [0, 0, 0, 0, 0],
    [0, 0, 0, 3, 3],
  ]);
  const r = fromRows([
    [1, 1, 1, 0, 0],
    [0, 0, 0, 2, 2],
  ]);
  const known = { "1,1,0,0,0": 0.6, "1,1,1,0,0": 0.9, "0,0,0,2,2": 0.7, "0,0,0,3,3": 0.6 };
  const scores = new Map<string, number>(Object.entries(known));
  const model = (rows: Matrix): number[] => toRows(rows).map((row) => scores.get(row.join()) ?? 0.1);
  const { plans, value } = await impl(model, x, r, { goal: GOAL, maxEdits: 1, prefer: "margin" });
  expect(value).toBe(2);
  expect(plans[0]!.slack).toBeCloseTo(0.15, 12);
}

describe("joint: which of several couplings with as few edits", () => {
  for (const mode of ["one-to-one", "free"] as const) {
    for (const prefer of ["margin", "near"] as const) {
      for (const cap of ["transport", "none"] as const) {
        test(`${mode}, ${prefer}, cap ${cap}: as brute force`, () =>
          tiesAreBruteForce(joint, prefer, mode, cap));
        test(`${mode}, ${prefer}, cap ${cap}: kills the other taste`, () =>
          refuses(() => tiesAreBruteForce(otherTaste, prefer, mode, cap)));
      }
    }
  }
  test("a plan found beyond the tables counts as what it is", () => tiesAreOfThePlanFound(joint));
  test("kills the other taste there", () => refuses(() => tiesAreOfThePlanFound(otherTaste)));
});
