import { describe, expect, test } from "vitest";
import { fromRows, matrix } from "../../src/num/matrix.ts";
import { policies, refine } from "../../src/refine/index.ts";
import type { GroupGoal, Matrix } from "../../src/types.ts";
import { fixture, hasFixture } from "../support/fixtures.ts";
import { drawsEvenly, neverDraws } from "../support/mutants/refine.ts";
import { refuses } from "../support/refuses.ts";
import type { Refine } from "./laws.ts";

interface SamplingFile {
  cases: { varphi: number[][]; C: number; inclusion: number[][] }[];
}

/** The share of draws that hold a cell is its exact inclusion probability within 4σ. */
async function inclusionIsExact(impl: Refine): Promise<void> {
  const draws = 1000;
  for (const { varphi, C, inclusion } of fixture<SamplingFile>("sampling.json").cases) {
    const attribution = fromRows(varphi);
    const x = fromRows(varphi.map((row, i) => row.map((_, k) => i + k)));
    const q = fromRows(varphi.map((row, i) => row.map((_, k) => i + k + 1)));
    const held = new Float64Array(attribution.data.length);
    for (let seed = 0; seed < draws; seed++) {
      const { plan } = await impl({
        ...{ model: (rows) => new Float64Array(rows.rows), x, q, attribution, seed },
        ...{ policy: "sample", stop: "budget", budget: { total: C }, goal: { kind: "group" } },
      });
      plan.forEach((c, cell) => {
        held[cell]! += c;
      });
    }
    inclusion.flat().forEach((p, cell) => {
      expect(Math.abs(held[cell]! / draws - p)).toBeLessThanOrEqual(4 * Math.sqrt((p * (1 - p)) / draws));
    });
  }
}

describe.skipIf(!hasFixture("sampling.json"))(
  "sampling.json (needs the reference numbers beside the repository)",
  () => {
    test("inclusion frequencies", () => inclusionIsExact(refine));
    test("kills even weights", () => refuses(() => inclusionIsExact(drawsEvenly)));
    test("kills a draw that never draws", () => refuses(() => inclusionIsExact(neverDraws)));
  },
);

describe("the order of cells", () => {
  test("the registry names the policies of the paper and ours", () => {
    expect(Object.keys(policies)).toEqual(["sample", "top", "greedy", "minimal"]);
  });

  test("cells with φ = 0 follow all others; with φ = 0 everywhere the draw is even", async () => {
    const model = (rows: Matrix): Float64Array => new Float64Array(rows.rows);
    const [x, q] = [matrix(2, 2), matrix(2, 2, new Float64Array(4).fill(1))];
    const goal: GroupGoal = { kind: "group" };
    const first = new Float64Array(4);
    for (let seed = 0; seed < 400; seed++) {
      const base = { model, x, q, goal, seed, policy: "sample", stop: "budget" } as const;
      const some = await refine({
        ...base,
        attribution: fromRows([
          [0, 2],
          [0, -1],
        ]),
      });
      expect([...some.order.slice(0, 2)].sort()).toEqual([1, 3]);
      const none = await refine({ ...base, attribution: matrix(2, 2) });
      first[none.order[0]!]!++;
    }
    for (const count of first)
      expect(Math.abs(count / 400 - 0.25)).toBeLessThan(4 * Math.sqrt((0.25 * 0.75) / 400));
  });

  test("top takes the larger φ̂, ties by row, then by player", async () => {
    const x = matrix(2, 2);
    const q = fromRows([
      [1, 1],
      [1, 0],
    ]);
    const attribution = fromRows([
      [-0.5, 0.2],
      [0.5, 9],
    ]);
    const model = (rows: Matrix): Float64Array => new Float64Array(rows.rows);
    const { order } = await refine({
      model,
      x,
      q,
      attribution,
      policy: "top",
      stop: "budget",
      goal: { kind: "group" },
    });
    expect([...order]).toEqual([0, 2, 1]);
  });

  test("only the share of |φ| counts: neither sign nor scale changes a draw", async () => {
    const model = (rows: Matrix): Float64Array => new Float64Array(rows.rows);
    const [x, q] = [matrix(3, 3), matrix(3, 3, new Float64Array(9).fill(1))];
    const attribution = fromRows([
      [1, 2, 3],
      [4, 5, 6],
      [7, 8, 9],
    ]);
    for (const policy of ["sample", "top"]) {
      const base = { model, x, q, policy, stop: "budget", goal: { kind: "group" } } as const;
      const { order } = await refine({ ...base, attribution });
      const scaled = await refine({
        ...base,
        attribution: { ...attribution, data: attribution.data.map((v) => -40 * v) },
      });
      expect([...scaled.order]).toEqual([...order]);
    }
  });
});
