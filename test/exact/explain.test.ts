import { expect, test } from "vitest";
import { remarks } from "../../show/remarks.ts";
import { proofSentence } from "../../show/sentences.ts";
import { compileConstraints } from "../../src/data/constraints.ts";
import { bind, encodeRows, fitEncoder } from "../../src/data/encode.ts";
import { loanSchema, loans } from "../../src/data/loans.ts";
import { fitMetric, restrict, squaredDistance } from "../../src/data/metric.ts";
import { tableToMatrix } from "../../src/data/schema.ts";
import { explain } from "../../src/explain.ts";
import type { Explanation } from "../../src/explanation.ts";
import { rowOf, takeRows } from "../../src/num/matrix.ts";
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
  return { model, x, references, schema: loanSchema, training: rows };
}

const editsIn = (explanation: Explanation): number => explanation.totals.edits;
const sizes = (explanation: Explanation): number[] => explanation.rows.map((row) => row.edits.length);

test.each(["xgboost", "forest", "logistic", "mlp"] as const)(
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
      expect(row.proof).toMatchObject({
        claim: "optimal",
        edits: row.edits.length,
        scope: "model",
        change: "least",
      });
      expect(proofSentence(row.proof!)).toContain("and none with as few edits changes less");
      expect(row.reference).toBeNull();
      expect(row.change!).toBeLessThanOrEqual(other.change! * (1 + 1e-9));
      const shares = row.planShares!;
      expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(row.before! - row.after!, 9);
      const edited = new Set(row.edits.map((edit) => edit.feature));
      shares.forEach((share, k) => {
        if (!edited.has(loanSchema.features[k]!.name)) expect(share).toBe(0);
      });
    });
    if (name !== "logistic") {
      const told = least.rows.flatMap((row) => remarks(loanSchema, row));
      expect(told.some((text) => /^enough: .* (at least|at most|between) /.test(text))).toBe(true);
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
    for (const { edits } of row.alternatives) {
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
  const { outputs, predict } = modelOf("mlp");
  const task = taskOf({ outputs, predict }, 4);
  const least = await explain(task);
  const borrowed = await explain({ ...task, values: "reference" });
  expect(least.rows).toEqual(borrowed.rows);
  expect(sizes(least)).toEqual(sizes(borrowed));
});

test("a choice among references keeps their values unless others are asked for", async () => {
  const task = taskOf(modelOf("xgboost"), 1);
  const values = async (more: Partial<ExplainInput>): Promise<unknown> =>
    (await explain({ ...task, ...more })).options["values"];
  expect(await values({})).toBe("least");
  expect(await values({ policy: "greedy" })).toBe("reference");
  expect(await values({ coupling: "transport" })).toBe("reference");
  expect(await values({ budget: { total: 3 } })).toBe("reference");
  expect(await values({ goal: { kind: "group" } })).toBe("reference");
  expect(await values({ budget: { perRow: 3 } })).toBe("least");
  const near = explain({ ...task, values: "near", policy: "greedy" });
  await expect(near).rejects.toThrow(/values.*policy/);
  const group = explain({ ...task, values: "least", goal: { kind: "group" } });
  await expect(group).rejects.toThrow(/goal.*each/);
  await expect(explain({ ...task, values: "reference", objective: "change" })).rejects.toThrow(/objective/);
});

test("values of near rows: every planned value is one of theirs, with no fewer edits than any values allow", async () => {
  const task = taskOf(modelOf("xgboost"), 8);
  const [near, least] = [await explain({ ...task, values: "near" }), await explain(task)];
  near.rows.forEach((row, i) => {
    expect(row.valid).toBe(true);
    expect(row.edits.length).toBeGreaterThanOrEqual(least.rows[i]!.edits.length);
    expect(row.attributions).toEqual(least.rows[i]!.attributions);
    const values = nearestValues(task, i);
    for (const { feature, to } of row.edits) expect(values(feature)).toContain(to);
  });
  expect(near.rows.some(({ proof }) => proof?.scope === "grid" && proof.near === 50)).toBe(true);
});

/** Cells of the 50 rows at the target that are nearest in the mixed metric, sorted out here. */
function nearestValues({ model, x }: ExplainInput, i: number): (feature: string) => unknown[] {
  const scores = (model as Model).predict(rows, 1) as Float64Array;
  const metric = restrict(fitMetric(loanSchema, rows), constraints.editable);
  const at = x.data.slice(i * x.cols, (i + 1) * x.cols);
  const away = (j: number): number => squaredDistance(metric, at, rowOf(rows, j));
  const near = Array.from(scores.keys())
    .filter((j) => scores[j]! > 0.5)
    .sort((a, b) => away(a) - away(b))
    .slice(0, 50);
  return (feature) =>
    near.map((j) => table.columns[loanSchema.features.findIndex((f) => f.name === feature)]![j]);
}

test("plans alone: the same plans, no reasons, and no word of references", async () => {
  const task = taskOf(modelOf("forest"), 8);
  const [alone, whole] = [await explain({ ...task, only: "plans" }), await explain(task)];
  alone.rows.forEach((row, i) => {
    const { edits, ranges, proof, after, useless } = whole.rows[i]!;
    const bare = (list: typeof edits) => list.map(({ attribution: _, ...edit }) => edit);
    expect(bare(row.edits)).toEqual(bare(edits));
    expect([row.ranges, row.proof, row.after, row.useless]).toEqual([ranges, proof, after, useless]);
    expect(row.attributions.every((phi) => phi === 0)).toBe(true);
    expect(row.base).toBeNull();
  });
  expect(alone.coupling).toBeNull();
});

test("locking a feature never gives fewer edits; a feature called useless changes nothing when it is locked", async () => {
  const task = taskOf(modelOf("xgboost"), 6);
  const free = await explain(task);
  expect(free.rows.some((row) => row.useless)).toBe(true);
  for (const [k, { name }] of loanSchema.features.entries()) {
    const features = loanSchema.features.map((f, at) => (at === k ? { ...f, immutable: true } : f));
    const locked = await explain({ ...task, schema: { ...loanSchema, features } });
    locked.rows.forEach((row, i) => {
      const own = free.rows[i]!;
      if (row.valid) expect(row.edits.length).toBeGreaterThanOrEqual(own.edits.length);
      if (own.useless?.features.includes(name))
        expect(row.edits.map((edit) => [edit.feature, edit.to])).toEqual(
          own.edits.map((edit) => [edit.feature, edit.to]),
        );
    });
  }
});

test("the front begins with the plan, has ever more edits and ever less change; objective change ends it", async () => {
  const task = taskOf(modelOf("xgboost"), 6);
  const { rows: told } = await explain({ ...task, front: 2 });
  const { rows: slight } = await explain({ ...task, objective: "change" });
  expect(told.some((row) => row.front!.length > 1)).toBe(true);
  told.forEach((row, i) => {
    const front = row.front!;
    expect(front[0]!.edits).toEqual(row.edits);
    for (const [p, { edits, change }] of front.entries()) {
      if (p === 0) continue;
      expect(edits.length).toBeGreaterThan(front[p - 1]!.edits.length);
      expect(change).toBeLessThan(front[p - 1]!.change);
    }
    expect(slight[i]!.change!).toBeLessThanOrEqual(front.at(-1)!.change * (1 + 1e-9));
  });
});

test.each([{ policy: "greedy" }, { coupling: "transport" }] as const)(
  "least values settle the plan of %o: the same features, no farther from x, less change",
  async (choice) => {
    const task = taskOf(modelOf("xgboost"), 8);
    const [borrowed, settled] = [
      await explain({ ...task, ...choice }),
      await explain({ ...task, ...choice, values: "least" }),
    ];
    let less = 0;
    settled.rows.forEach((row, i) => {
      const other = borrowed.rows[i]!;
      expect(row.valid).toBe(other.valid);
      expect(row.attributions).toEqual(other.attributions);
      for (const edit of row.edits) {
        const q = other.edits.find(({ feature }) => feature === edit.feature)!;
        if (typeof edit.to === "number")
          expect((edit.to - Number(q.from)) * (Number(q.to) - edit.to)).toBeGreaterThanOrEqual(0);
        else expect(edit.to).toBe(q.to);
      }
      if (row.valid && row.change! < other.change!) less++;
    });
    expect(less).toBeGreaterThan(0);
  },
);
