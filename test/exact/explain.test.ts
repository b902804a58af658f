import { expect, test } from "vitest";
import { proofSentence, remarks } from "../../show/sentences.ts";
import { compileConstraints } from "../../src/data/constraints.ts";
import { bind, encodeRows, fitEncoder } from "../../src/data/encode.ts";
import { loanSchema, loans } from "../../src/data/loans.ts";
import { tableToMatrix } from "../../src/data/schema.ts";
import { explain } from "../../src/explain.ts";
import type { Explanation } from "../../src/explanation.ts";
import { takeRows } from "../../src/num/matrix.ts";
import type { ExplainInput } from "../../src/run/open.ts";
import { encodingFor, type ModelName, models } from "../../src/train/registry.ts";
import type { Matrix, Model } from "../../src/types.ts";

const { table, labels } = loans();
const rows = tableToMatrix(loanSchema, table);
const constraints = compileConstraints(loanSchema);

function modelOf(name: ModelName): Model {
  const encoder = fitEncoder(loanSchema, rows, encodingFor(name));
  const options = name === "logistic" || name === "mlp" ? {} : { trees: 20, maxDepth: 4 };
  return bind(models[name].fit(encodeRows(encoder, rows), labels, options, 1), encoder, constraints);
}

function taskOf(model: Model, count: number): ExplainInput {
  const scores = model.predict(rows, 1) as Float64Array;
  const indices = Array.from(scores.keys());
  const x = takeRows(rows, indices.filter((i) => scores[i]! < 0.5).slice(0, count));
  const references = takeRows(rows, indices.filter((i) => scores[i]! > 0.5).slice(0, 200));
  return { model, x, references, schema: loanSchema, training: rows, values: "least" };
}

const editsIn = (explanation: Explanation): number => explanation.totals.edits;
const sizes = (explanation: Explanation): number[] => explanation.rows.map((row) => row.edits.length);

test.each(["xgboost", "forest", "logistic"] as const)(
  "%s: plans of the least values have no more edits, are proven, legal and at the goal, and reasons stay",
  async (name) => {
    const model = modelOf(name);
    const task = taskOf(model, 12);
    const least = await explain(task);
    const borrowed = await explain({ ...task, values: "reference" });
    expect(least.rows.every((row) => row.valid)).toBe(true);
    expect(editsIn(least)).toBeLessThanOrEqual(editsIn(borrowed));
    least.rows.forEach((row, i) => {
      const other = borrowed.rows[i]!;
      expect(row.attributions).toEqual(other.attributions);
      expect(row.base).toBe(other.base);
      expect(row.proposal).toEqual(other.proposal);
      expect(row.edits.length).toBeLessThanOrEqual(other.edits.length);
      expect(row.proof).toEqual({
        claim: "optimal",
        edits: row.edits.length,
        scope: "model",
        change: "least",
      });
      expect(proofSentence(row.proof!)).toContain("none of as few that changes less");
      expect(row.reference).toBeNull();
    });
    if (name !== "logistic") {
      const told = least.rows.flatMap((row) => remarks(loanSchema, row));
      expect(told.some((text) => text.includes("keeps the result"))).toBe(true);
    }
    expect(least.curve.at(-1)!.divergence).toBe(0);
    expect(least.curve.length).toBe(editsIn(least) + 1);
    expect(least.options["values"]).toBe("least");
    expect(least.runHash).not.toBe(borrowed.runHash);
  },
);

test("a row's plan does not depend on the rows beside it", async () => {
  const task = taskOf(modelOf("xgboost"), 8);
  const together = await explain(task);
  for (const i of [0, 3, 7]) {
    const alone = await explain({ ...task, x: takeRows(task.x, [i]) });
    const [own, among] = [alone.rows[0]!, together.rows[i]!];
    expect([own.edits, own.ranges, own.proof]).toEqual([among.edits, among.ranges, among.proof]);
  }
});

test("other plans are the other smallest sets of features, each at the goal", async () => {
  const model = modelOf("xgboost");
  const task = taskOf(model, 8);
  const { rows: told } = await explain({ ...task, alternatives: 3 });
  expect(told.some((row) => row.alternatives.length > 0)).toBe(true);
  for (const row of told) {
    for (const edits of row.alternatives) {
      expect(edits.length).toBe(row.edits.length);
      const z = task.x.data.slice(row.row * task.x.cols, (row.row + 1) * task.x.cols);
      for (const edit of edits) {
        const k = loanSchema.features.findIndex((f) => f.name === edit.feature);
        const changed = tableToMatrix(loanSchema, withCell(row.x, k, edit.to));
        z[k] = changed.data[k]!;
      }
      const score = (model.predict(oneRow(z), 1) as Float64Array)[0]!;
      expect(score).toBeGreaterThan(0.5);
    }
  }
});

const oneRow = (data: Float64Array): Matrix => ({ data, rows: 1, cols: data.length });

function withCell(cells: Explanation["rows"][number]["x"], k: number, to: unknown) {
  const names = loanSchema.features.map((f) => f.name);
  return { names, rows: 1, columns: cells.map((cell, c) => [c === k ? (to as typeof cell) : cell]) };
}

test("models without bounds keep the values of references", async () => {
  const task = taskOf(modelOf("mlp"), 4);
  const least = await explain(task);
  const borrowed = await explain({ ...task, values: "reference" });
  expect(least.rows).toEqual(borrowed.rows);
  expect(sizes(least)).toEqual(sizes(borrowed));
});

test("least values go with nothing that chooses plans otherwise", async () => {
  const task = taskOf(modelOf("xgboost"), 1);
  await expect(explain({ ...task, policy: "greedy" })).rejects.toThrow(/values.*policy/);
  await expect(explain({ ...task, coupling: "transport" })).rejects.toThrow(/values.*coupling/);
  await expect(explain({ ...task, goal: { kind: "group" } })).rejects.toThrow(/values.*group/);
});
