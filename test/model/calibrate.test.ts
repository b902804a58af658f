import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CalibrationTable, calibrate } from "../../src/model/calibrate.ts";
import { reachOf } from "../../src/model/target.ts";
import { fromRows } from "../../src/num/matrix.ts";
import type { Matrix, Model } from "../../src/types.ts";
import { extrapolated, stairs } from "../support/mutants/calibrate.ts";
import { refuses } from "../support/refuses.ts";

const firstColumn = (rows: Matrix): Float64Array =>
  Float64Array.from({ length: rows.rows }, (_, i) => rows.data[i * rows.cols]!);
const single: Model = { outputs: ["score"], predict: firstColumn };
const pair: Model = {
  outputs: ["no", "yes"],
  predict: (rows, output = 1) => firstColumn(rows).map((s) => (output === 1 ? s : 1 - s)),
};
const TABLE: CalibrationTable = [
  [0, 0.1],
  [0.5, 0.2],
  [1, 0.8],
];

const steps = fc.array(fc.tuple(fc.double({ min: 0.01, max: 3, noNaN: true }), fc.nat(20)), {
  minLength: 2,
  maxLength: 8,
});
/** A rising table. */
const tables = steps.map((list): [number, number][] => {
  const total = list.reduce((sum, [, up]) => sum + up, 0) || 1;
  let [score, up] = [-2, 0];
  return list.map(([step, rise]) => {
    score += step;
    up += rise;
    return [score, up / total];
  });
});

function law(impl: typeof calibrate): void {
  fc.assert(
    fc.property(tables, fc.array(fc.double({ min: -5, max: 30, noNaN: true })), (table, scores) => {
      const at = (points: readonly number[]): number[] =>
        Array.from(impl(single, table).predict(fromRows(points.map((s) => [s]))) as Float64Array);
      const edges = table.map(([s]) => s);
      const values = table.map(([, p]) => p);
      expect(at(edges)).toEqual(values);
      const middles = edges.slice(1).map((s, t) => (s + edges[t]!) / 2);
      at(middles).forEach((p, t) => {
        expect(p).toBeCloseTo((values[t]! + values[t + 1]!) / 2, 9);
      });
      expect(at([edges[0]! - 1, edges.at(-1)! + 1])).toEqual([values[0], values.at(-1)]);
      const rising = at([...scores, 0].sort((a, b) => a - b));
      for (let i = 1; i < rising.length; i++)
        expect(rising[i]! - rising[i - 1]!).toBeGreaterThanOrEqual(-1e-15);
    }),
    { numRuns: 200 },
  );
}

describe("calibrate", () => {
  test("straight lines between the points, constant beyond", async () => {
    const scores = await calibrate(single, TABLE).predict(
      fromRows([[-3], [0], [0.25], [0.5], [0.75], [1], [9]]),
    );
    [0.1, 0.1, 0.15, 0.2, 0.5, 0.8, 0.8].forEach((p, i) => {
      expect(scores[i]).toBeCloseTo(p, 12);
    });
  });

  test("both outputs of a pair add to one and a target is on the calibrated scale", async () => {
    const model = calibrate(pair, TABLE);
    const rows = fromRows([[0.7], [0.8]]);
    const [no, yes] = [await model.predict(rows, 0), await model.predict(rows, 1)];
    expect(yes[0]! + no[0]!).toBe(1);
    expect([...yes].map((p) => p > 0.5)).toEqual([false, true]);
    const reach = reachOf(model, { class: "yes" });
    expect([0, 1].map((i) => reach.reached(reach.slack([yes], i)))).toEqual([false, true]);
  });

  test("a model that answers later is calibrated all the same", async () => {
    const later: Model = { outputs: ["score"], predict: async (rows) => firstColumn(rows) };
    expect([...(await calibrate(later, TABLE).predict(fromRows([[0.5]])))]).toEqual([0.2]);
  });

  test("it meets every point and the middle between two, stays at its ends, and is monotone", () =>
    law(calibrate));

  test.each([stairs, extrapolated])("the law rejects %o", async (mutant) => {
    await refuses(() => law(mutant));
  });

  test("a falling table is the complement of a rising one", () => {
    fc.assert(
      fc.property(tables, fc.double({ min: -5, max: 30, noNaN: true }), (table, score) => {
        const at = (points: CalibrationTable): number =>
          (calibrate(single, points).predict(fromRows([[score]])) as Float64Array)[0]!;
        expect(at(table.map(([s, p]) => [s, 1 - p]))).toBeCloseTo(1 - at(table), 12);
      }),
      { numRuns: 100 },
    );
  });

  test.each<[string, unknown]>([
    ["one point", [[0, 1]]],
    ["no list", { pairs: [] }],
    [
      "a probability above 1",
      [
        [0, 0.2],
        [1, 1.5],
      ],
    ],
    [
      "no number",
      [
        [0, 0.2],
        ["x", 0.5],
      ],
    ],
    ["no pair", [[0, 0.2], 3]],
    [
      "equal scores",
      [
        [0, 0.2],
        [0, 0.5],
      ],
    ],
    [
      "falling scores",
      [
        [1, 0.2],
        [0, 0.5],
      ],
    ],
    [
      "up and down",
      [
        [0, 0.2],
        [1, 0.6],
        [2, 0.5],
      ],
    ],
    [
      "up and back",
      [
        [0, 0.2],
        [1, 0.6],
        [2, 0.2],
      ],
    ],
  ])("refuses %s", (_, table) => {
    expect(() => calibrate(single, table as CalibrationTable)).toThrow(
      expect.objectContaining({ code: "OPTION_INVALID" }),
    );
  });

  test("refuses a model of three outputs", () => {
    expect(() => calibrate({ ...pair, outputs: ["a", "b", "c"] }, TABLE)).toThrow(
      expect.objectContaining({ code: "OPTION_INVALID" }),
    );
  });
});
