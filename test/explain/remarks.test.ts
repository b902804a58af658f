import { describe, expect, test } from "vitest";
import { de } from "../../show/locales/de.ts";
import { remarks } from "../../show/remarks.ts";
import { explain } from "../../src/explain.ts";
import { fromRows } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import { withRealism } from "../../src/run/realism.ts";
import type { Matrix, Schema } from "../../src/types.ts";

/** Reached by a, or by b and c together. */
const model = (rows: Matrix): number[] =>
  Array.from({ length: rows.rows }, (_, i) => {
    const [a, b, c] = rows.data.subarray(rows.cols * i, rows.cols * i + 3);
    return Math.min(1, 0.1 + a! + 0.45 * b! * c!);
  });
const x = fromRows([[0, 0, 0]]);
const references = fromRows([[1, 1, 1]]);

describe("fewer alternatives than asked for", () => {
  const asked = async (alternatives: number, rest: object = {}) =>
    (await explain({ model, x, references, alternatives, ...rest })).rows[0]!;

  test("none exist: every set of edits to do without was tried", async () => {
    const row = await asked(3);
    expect(row.edits.map((e) => e.feature)).toEqual(["x0"]);
    expect(row.alternatives.map((plan) => plan.edits.map((e) => e.feature))).toEqual([["x1", "x2"]]);
    expect(row.fewerAlternatives).toBe("none exist");
  });

  test("nothing is said where there are as many as asked for, or none was", async () => {
    expect(await asked(1)).not.toHaveProperty("fewerAlternatives");
    expect(await asked(0)).not.toHaveProperty("fewerAlternatives");
  });

  test("none found: the effort ran out before all were tried", async () => {
    const random = stream(1, "effort");
    const weights = Array.from({ length: 14 }, () => 0.5 + random.next());
    const wide = (rows: Matrix): number[] =>
      Array.from({ length: rows.rows }, (_, i) => {
        const sum = weights.reduce((s, w, k) => s + w * rows.data[14 * i + k]!, 0);
        return sum > 6 ? 1 : 0;
      });
    const { rows } = await explain({
      model: wide,
      x: fromRows([new Array<number>(14).fill(0)]),
      references: fromRows([new Array<number>(14).fill(1)]),
      alternatives: 1000,
      effort: 40,
    });
    expect(rows[0]).toMatchObject({ fewerAlternatives: "none found" });
  });

  test("not searched: another coupling", async () => {
    expect((await asked(2, { coupling: "transport" })).fewerAlternatives).toBe("not searched");
  });

  test("is told in words, in German too", async () => {
    const row = await asked(3);
    const schema = { features: [] };
    expect(remarks(schema, row)).toEqual(["no further plan takes its values from the examples searched"]);
    expect(remarks(schema, row, de)[0]).toMatch(/kein weiterer Plan/);
  });
});

describe("realism", () => {
  const schema: Schema = {
    features: [
      { name: "age", kind: "numeric", immutable: true },
      { name: "income", kind: "numeric" },
      { name: "job", kind: "categorical", categories: ["clerk", "cook", "pilot"] },
    ],
  };
  const random = stream(2, "people");
  /** The young earn 20 to 40 and are not pilots; the old earn 60 to 90. */
  const people = Array.from({ length: 1000 }, (_, i) =>
    i % 2
      ? [20 + 5 * random.next(), 20 + 20 * random.next(), random.int(2)]
      : [60 + 5 * random.next(), 60 + 30 * random.next(), random.int(3)],
  );
  const table = fromRows(people);
  const plan = async (score: (row: Float64Array) => number, reference: number[]) => {
    const scored = (rows: Matrix): number[] =>
      Array.from({ length: rows.rows }, (_, i) => score(rows.data.subarray(3 * i, 3 * i + 3)));
    const made = await explain({
      model: scored,
      x: fromRows([[22, 30, 0]]),
      references: fromRows([reference]),
      training: table,
      schema,
    });
    return withRealism(made, table).rows[0]!;
  };
  const byIncome = (edge: number) => (row: Float64Array) => Number(row[1]! > edge);

  test("a value usual for people otherwise alike is not remarked upon", async () => {
    expect(await plan(byIncome(35), [22, 38, 0])).not.toHaveProperty("unusual");
  });

  test("one outside the central 99 % of the 200 nearest rows is, though others in the table have it", async () => {
    const row = await plan(byIncome(50), [22, 75, 0]);
    expect(row.edits).toMatchObject([{ feature: "income", to: 75 }]);
    const [odd] = row.unusual!;
    expect(odd).toMatchObject({ feature: "income", to: 75, among: 200 });
    expect(Number(odd!.high)).toBeLessThan(41);
    expect(Number(odd!.low)).toBeGreaterThan(19);
    expect(remarks(schema, row)[0]).toMatch(/^income 75 is unusual: 99 % of the 200 rows .* have 20.* to 3/);
  });

  test("of fewer rows than 200 none is left out: a value that the table has is usual", async () => {
    const often = (incomes: readonly number[], times: number) =>
      fromRows(Array.from({ length: times }, () => incomes.map((income) => [22, income, 0])).flat());
    const made = await explain({
      model: (rows) => Array.from({ length: rows.rows }, (_, i) => Number(rows.data[3 * i + 1]! > 45)),
      x: fromRows([[22, 30, 0]]),
      references: fromRows([[22, 50, 0]]),
      schema,
    });
    expect(withRealism(made, often([20, 30, 40, 50], 8)).rows[0]).not.toHaveProperty("unusual");
    expect(withRealism(made, often([20, 30, 40], 8)).rows[0]!.unusual).toMatchObject([
      { feature: "income", to: 50, among: 24, low: 20, high: 40 },
    ]);
    // Fewer than 20 rows say nothing of what is usual.
    expect(withRealism(made, often([20, 30, 40], 6))).toMatchObject({ realism: [] });
    expect(withRealism(made, often([20, 30, 40], 6)).rows[0]).not.toHaveProperty("unusual");
  });

  test("so is a level none of them has, and only such a level", async () => {
    const row = await plan((r) => Number(r[2] === 2), [22, 30, 2]);
    expect(row.unusual).toEqual([{ feature: "job", to: "pilot", among: 200 }]);
    expect(await plan((r) => Number(r[2] === 1), [22, 30, 1])).not.toHaveProperty("unusual");
  });

  test("the order of the table does not matter", async () => {
    const scored = byIncome(50);
    const row = await plan(scored, [22, 75, 0]);
    const made = await explain({
      model: (rows) => Array.from({ length: rows.rows }, (_, i) => scored(rows.data.subarray(3 * i))),
      x: fromRows([[22, 30, 0]]),
      references: fromRows([[22, 75, 0]]),
      training: table,
      schema,
    });
    expect(withRealism(made, fromRows(people.toReversed())).rows[0]!.unusual).toEqual(row.unusual);
  });

  test("values and rules are counted for every kind of plan", async () => {
    const ruled: Schema = { ...schema, rules: ["income < 70 or age > 50"] };
    const made = await explain({
      model: (rows) => Array.from({ length: rows.rows }, (_, i) => byIncome(50)(rows.data.subarray(3 * i))),
      x: fromRows([[22, 30, 0]]),
      references: fromRows([
        [22, 75, 0],
        [22, 65, 2],
      ]),
      training: table,
      schema: ruled,
      values: "reference",
    });
    const [row] = made.rows;
    expect(row!.edits).toMatchObject([{ feature: "income", to: 65 }]);
    const edit = (feature: string, to: number | string) => ({ feature, from: 0, to, attribution: 0 });
    const told = {
      ...row!,
      proposal: [edit("income", 75), edit("job", "cook")],
      sturdy: { edits: [edit("job", "pilot")], after: 1, scores: [], proof: null },
    };
    const { realism } = withRealism({ ...made, rows: [told] }, table);
    expect(realism).toEqual([
      { kind: "plan", plans: 1, values: 1, unusual: 1, rulesBroken: 0 },
      { kind: "sturdy", plans: 1, values: 1, unusual: 1, rulesBroken: 0 },
      { kind: "proposal", plans: 1, values: 2, unusual: 1, rulesBroken: 1 },
    ]);
  });
});
