import loadHighs from "highs";
import { describe, expect, test } from "vitest";
import { fromRows, rowOf } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import { refine } from "../../src/refine/index.ts";
import type { Matrix } from "../../src/types.ts";

// The package's types describe its CommonJS twin.
const load = loadHighs as unknown as typeof loadHighs.default;
const N = 50;
const D = 9;
const GOAL = 0.44;

/** A logistic score with interactions. */
function score(z: Float64Array): number {
  let margin = -1.4;
  for (let k = 0; k < D; k++) margin += (0.3 + 0.1 * k) * z[k]! - 0.25 * z[k]! * z[(k + 1) % D]!;
  return 1 / (1 + Math.exp(-margin));
}

const model = (rows: Matrix): Float64Array =>
  Float64Array.from({ length: rows.rows }, (_, i) => score(rowOf(rows, i)));

function group(): { x: Matrix; q: Matrix } {
  const random = stream(11, "highs");
  const x = Array.from({ length: N }, () => Array.from({ length: D }, () => random.normal() * 0.7));
  const q = x.map((row) => row.map((v) => (random.next() < 0.45 ? v + 0.8 + random.normal() * 0.8 : v)));
  return { x: fromRows(x), q: fromRows(q) };
}

/** min η subject to |Σ_i Σ_S a_iS g_iS − goal| ≤ η, one subset per row, at most C edits: the paper's MILP. */
function milp(x: Matrix, q: Matrix, C: number, value: (s: number) => number): string {
  const [names, ones, counts, sums]: string[][] = [[], [], [], []];
  for (let i = 0; i < N; i++) {
    const movable = Array.from({ length: D }, (_, k) => k).filter((k) => rowOf(x, i)[k] !== rowOf(q, i)[k]);
    const own = Array.from({ length: 2 ** movable.length }, (_, mask) => {
      const z = rowOf(x, i).slice();
      const chosen = movable.filter((_k, b) => (mask >> b) & 1);
      for (const k of chosen) z[k] = rowOf(q, i)[k]!;
      const name = `a${i}_${mask}`;
      sums!.push(`${value(score(z)) / N} ${name}`);
      if (chosen.length > 0) counts!.push(`${chosen.length} ${name}`);
      return name;
    });
    names!.push(...own);
    ones!.push(`one${i}: ${own.join(" + ")} = 1`);
  }
  return `Minimize
 obj: eta
Subject To
 up: ${sums!.join(" + ")} - eta <= ${GOAL}
 low: ${sums!.join(" + ")} + eta >= ${GOAL}
 edits: ${counts!.join(" + ")} <= ${C}
 ${ones!.join("\n ")}
Bounds
 eta >= 0
Binary
 ${names!.join("\n ")}
End`;
}

describe("the group curve against HiGHS (n = 50, d = 9)", async () => {
  const highs = await load();
  const { x, q } = group();
  const solve = (C: number, value: (s: number) => number) =>
    highs.solve(milp(x, q, C, value), {
      mip_rel_gap: 0,
      mip_abs_gap: 1e-7,
      output_flag: false,
      time_limit: 50,
    });
  const curveOf = async (on: "score" | "label") => {
    const desired = on === "score" ? [GOAL] : Array.from({ length: 100 }, (_, t) => Number(t < 100 * GOAL));
    const { curve } = await refine({
      model,
      x,
      q,
      policy: "minimal",
      goal: { kind: "group", divergence: "mean", on, desired },
    });
    return curve;
  };

  test("labels: equal everywhere", async () => {
    const curve = await curveOf("label");
    for (const C of [5, 15, 30, 90]) {
      const { Status, ObjectiveValue } = solve(C, (s) => Number(s > 0.5));
      expect(Status).toBe("Optimal");
      expect(curve[C]!.D).toBeCloseTo(ObjectiveValue, 6);
      expect(curve[C]!.gap).toBeCloseTo(0, 9);
    }
  });

  test("scores: equal before the crossing", async () => {
    const curve = await curveOf("score");
    const crossing = curve.findIndex(({ D: d }) => d < 1e-4);
    expect(crossing).toBeGreaterThan(10);
    for (const C of [1, Math.floor(crossing / 3), Math.floor((2 * crossing) / 3), crossing - 1]) {
      const { Status, ObjectiveValue } = solve(C, (s) => s);
      expect(Status).toBe("Optimal");
      expect(Math.abs(curve[C]!.D - ObjectiveValue)).toBeLessThanOrEqual(1e-6);
    }
  });

  test("scores: bound ≤ optimum ≤ value past it, the gap within 1e-4 of D(f(x), y*)", async () => {
    const curve = await curveOf("score");
    const crossing = curve.findIndex(({ D: d }) => d < 1e-4);
    for (const { C, D: value, bound, gap } of curve.slice(crossing)) {
      expect(gap, `gap at C = ${C}`).toBeLessThanOrEqual(1e-4 * curve[0]!.D);
      expect(bound!).toBeLessThanOrEqual(value);
    }
    for (const C of [crossing, crossing + 5]) {
      const { Status, ObjectiveValue } = solve(C, (s) => s);
      expect(Status).toBe("Optimal");
      expect(curve[C]!.bound!).toBeLessThanOrEqual(ObjectiveValue + 1e-7);
      expect(ObjectiveValue).toBeLessThanOrEqual(curve[C]!.D + 1e-6);
    }
  });
});
