import { describe, expect, test } from "vitest";
import { goalSentence } from "../../show/sentences.ts";
import { explain } from "../../src/explain.ts";
import { goalScore } from "../../src/model/goal-score.ts";
import { reachOf } from "../../src/model/target.ts";
import { fromRows } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import type { Matrix, Model, Target } from "../../src/types.ts";

/** Softmax over four classes of three columns. */
const WEIGHTS = [
  [0.9, -0.4, 0.1],
  [-0.7, 0.8, 0.3],
  [0.2, 0.1, -1.1],
  [-0.4, -0.6, 0.7],
];
const outputs = ["j0", "j1", "j2", "j3"];
const scoresOf = (row: ArrayLike<number>): number[] => {
  const e = WEIGHTS.map((w) => Math.exp(w[0]! * row[0]! + w[1]! * row[1]! + w[2]! * row[2]!));
  const sum = e.reduce((a, b) => a + b, 0);
  return e.map((v) => v / sum);
};
const four = (asynchronous: boolean): Model => ({
  outputs,
  predict: (rows, output = 0) => {
    const scores = Float64Array.from(
      { length: rows.rows },
      (_, i) => scoresOf(rows.data.subarray(3 * i, 3 * i + 3))[output]!,
    );
    return asynchronous ? Promise.resolve(scores) : scores;
  },
});

const random = stream(3, "contest");
const draw = (count: number): number[][] =>
  Array.from({ length: count }, () => Array.from({ length: 3 }, () => 2 * random.normal()));
const table = draw(400);
const margin = (row: ArrayLike<number>, wanted: readonly number[]): number => {
  const s = scoresOf(row);
  const most = (own: boolean): number => Math.max(...s.filter((_, o) => wanted.includes(o) === own));
  return most(true) - most(false);
};
const cases: [Target, readonly number[], string][] = [
  [{ class: "j2", not: true }, [0, 1, 3], "not j2"],
  [{ class: ["j1", "j3"] }, [1, 3], "j1 or j3"],
];

describe.each(cases)("the goal %j", (target, wanted, name) => {
  const short = table.filter((row) => margin(row, wanted) <= 0).slice(0, 12);
  const asked = (model: Model) =>
    explain({
      model,
      x: fromRows(short),
      references: fromRows(table.filter((row) => margin(row, wanted) > 0).slice(0, 60)),
      goal: { kind: "each", target },
    });

  test("scores before and after are margins to it, re-scored elsewhere", async () => {
    const { rows, output, effect } = await asked(four(false));
    expect(output).toBe(name);
    for (const [i, row] of rows.entries()) {
      const z = short[i]!.slice();
      for (const edit of row.edits) z[Number(edit.feature.slice(1))] = Number(edit.to);
      expect(row.before).toBeCloseTo(margin(short[i]!, wanted), 12);
      expect(row.after).toBeCloseTo(margin(z, wanted), 12);
      expect(row.after).toBe(row.margin);
      expect(row.valid).toBe(row.after! > 0);
      expect(row.proposed).toBeGreaterThan(0);
    }
    expect(effect.after).toBeLessThan(effect.before);
  });

  test("attributions are of it: they add up to the margin of the row less that of its references", async () => {
    const { rows, attribution } = await asked(four(false));
    expect(attribution.residual).toBeLessThan(1e-12);
    for (const row of rows) {
      const sum = row.attributions.reduce((a, b) => a + b, 0);
      expect(row.base! + sum).toBeCloseTo(row.before!, 10);
      expect(sum).toBeLessThan(0);
    }
  });

  test("a model that answers later gives the same", async () => {
    expect(await asked(four(true))).toEqual(await asked(four(false)));
  });

  test("rows are charged for every output that is asked", () => {
    let charged = 0;
    const { model, output } = goalScore(four(false), reachOf(four(false), target), (rows) => {
      charged += rows;
    });
    const rows: Matrix = fromRows(short);
    model.predict(rows, output);
    expect(charged).toBe(3 * rows.rows);
  });

  test("the goal says what the scores are", () => {
    const goal = { kind: "each", target } as const;
    expect(goalSentence(goal, name)).toMatch(/margins to it: the largest score of a class wanted/);
  });
});

test("one class wanted keeps its own score", async () => {
  const goal = { kind: "each", target: { class: "j1" } } as const;
  const x = fromRows(table.filter((row) => margin(row, [1]) <= 0).slice(0, 4));
  const references = fromRows(table.filter((row) => margin(row, [1]) > 0).slice(0, 20));
  const { rows, output } = await explain({ model: four(false), x, references, goal });
  expect(output).toBe("j1");
  expect(rows[0]!.before).toBeCloseTo(scoresOf(x.data.subarray(0, 3))[1]!, 12);
  expect(goalSentence(goal, "j1")).not.toMatch(/margins/);
});
