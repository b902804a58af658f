import { expect, test } from "vitest";
import { fitMetric, restrict, squaredDistance } from "../../src/data/metric.ts";
import { encodeCell } from "../../src/data/schema.ts";
import { explain } from "../../src/explain.ts";
import type { Edit, ExplainedRow } from "../../src/explanation.ts";
import { fromRows, rowOf, takeRows } from "../../src/num/matrix.ts";
import { wilson } from "../../src/num/stats.ts";
import { sturdyWith } from "../../src/run/sturdy.ts";
import { fitIsolation } from "../../src/train/isolation.ts";
import type { Matrix, Model, ModelLike } from "../../src/types.ts";
import { hardStudy, type SmallStudy } from "../support/exact-studies.ts";

/** Studies of trees over three whole numbers, and models of others over the same columns. */
const studies = Array.from({ length: 40 }, (_, seed) => hardStudy(seed)).filter(
  ({ what, rows }) => !/logistic|svm|wild/.test(what) && rows.cols === 3,
);
const target = { output: 1, min: 0.6 } as const;
const goal = { kind: "each", target } as const;

function partsOf(study: SmallStudy, models: readonly ModelLike[]) {
  const scores = study.model.predict(study.rows, 1) as Float64Array;
  const reached = Array.from(scores.keys()).filter((i) => scores[i]! >= 0.6);
  const short = Array.from(scores.keys()).filter((i) => scores[i]! < 0.6);
  return {
    model: study.model,
    x: takeRows(study.rows, short.slice(0, 5)),
    references: takeRows(study.rows, reached),
    training: study.rows,
    schema: study.constraints.schema,
    goal,
    values: "least",
    sturdy: sturdyWith(models.slice(0, 2), models.slice(2, 7)),
  } as const;
}

function rowWith(study: SmallStudy, x: Float64Array, edits: readonly Edit[]): Matrix {
  const { features } = study.constraints.schema;
  const data = x.slice();
  for (const { feature, to } of edits) {
    const k = features.findIndex(({ name }) => name === feature);
    data[k] = encodeCell(features[k]!, to, 0);
  }
  return { data, rows: 1, cols: data.length };
}

const accepts = (model: ModelLike, row: Matrix): boolean => {
  const score = (model as Model).predict(row, 1);
  return (score as ArrayLike<number>)[0]! >= 0.6;
};

/** The second plan convinces every model, and both survivals are the shares of judges that accept. */
function checkRow(
  study: SmallStudy,
  row: ExplainedRow,
  x: Float64Array,
  models: readonly ModelLike[],
): number {
  const judges = models.slice(2, 7);
  const share = (edits: readonly Edit[]): number =>
    judges.filter((judge) => accepts(judge, rowWith(study, x, edits))).length / judges.length;
  if (row.survival) expect(row.survival).toMatchObject({ share: share(row.edits), models: judges.length });
  const { sturdy } = row;
  if (!sturdy) return 0;
  const z = rowWith(study, x, sturdy.edits);
  for (const model of [study.model, ...models.slice(0, 2)]) expect(accepts(model, z), study.what).toBe(true);
  expect(study.constraints.violations(x, z.data), study.what).toEqual([]);
  expect(sturdy.scores).toHaveLength(2);
  expect(sturdy.survival!.share).toBe(share(sturdy.edits));
  if (row.proof?.scope === "model" && sturdy.proof) {
    expect(sturdy.edits.length).toBeGreaterThanOrEqual(row.edits.length);
    if (sturdy.edits.length === row.edits.length)
      expect(sturdy.change!).toBeGreaterThanOrEqual(row.change! - 1e-9);
  }
  return 1;
}

test.each(["with bounds", "without bounds"])("sturdy plans convince all models %s", async (kind) => {
  let found = 0;
  for (const [s, study] of studies.slice(0, 4).entries()) {
    const others: Model[] = studies.slice(s + 1, s + 8).map(({ model }) => model);
    const models: readonly ModelLike[] =
      kind === "with bounds" ? others : others.map(({ outputs, predict }) => ({ outputs, predict }));
    const parts = partsOf(study, models);
    if (parts.x.rows === 0 || parts.references.rows === 0) continue;
    const { rows } = await explain(parts as never);
    for (const [i, row] of rows.entries()) found += checkRow(study, row, rowOf(parts.x, i), models);
    // A row's second plan does not depend on the other rows.
    const alone = await explain({ ...parts, x: takeRows(parts.x, [1]) } as never);
    expect({ ...alone.rows[0], row: 1 }).toEqual(rows[1]);
  }
  expect(found).toBeGreaterThan(5);
});

test("plans no odder than the row are so, and rows without one say so", async () => {
  let kept = 0;
  for (const study of studies.slice(0, 4)) {
    const { sturdy: _, ...parts } = partsOf(study, []);
    if (parts.x.rows === 0 || parts.references.rows === 0) continue;
    const usual = fitIsolation(study.rows);
    const { rows } = await explain({ ...parts, usual } as never);
    rows.forEach((row, i) => {
      const x = rowOf(parts.x, i);
      const sum = (of: Matrix): number => usual.kernels.margins(usual, of)[0]!;
      const own = sum({ data: x, rows: 1, cols: x.length });
      if (row.valid) kept++;
      if (row.valid) expect(sum(rowWith(study, x, row.edits))).toBeGreaterThanOrEqual(own - 1e-9);
      else expect(row.reason).toMatch(/no more unusual than the row itself|no permitted values/);
    });
  }
  expect(kept).toBeGreaterThan(3);
});

test("a forest of oddness needs the values it is searched over", async () => {
  const usual = fitIsolation(fromRows([[0], [1], [2]]));
  const model = (rows: Matrix): Float64Array => rows.data.slice();
  const parts = { model, x: fromRows([[0]]), references: fromRows([[1]]), usual };
  await expect(explain({ ...parts, values: "reference" })).rejects.toMatchObject({ code: "OPTION_INVALID" });
});

test("Wilson's interval", () => {
  expect(wilson(0, 20)).toEqual({ low: 0, high: expect.closeTo(0.1611, 4) });
  expect(wilson(6, 20)).toEqual({ low: expect.closeTo(0.1455, 4), high: expect.closeTo(0.519, 3) });
  expect(wilson(20, 20).high).toBe(1);
});

test("an isolation forest finds the odd row odd", () => {
  const data = Array.from({ length: 200 }, (_, i) => [Math.sin(i), Math.cos(3 * i)]);
  const rows = fromRows([...data, [9, -9]]);
  const forest = fitIsolation(rows);
  const usual = forest.kernels.margins(forest, rows);
  expect(usual.indexOf(Math.min(...usual))).toBe(200);
  expect(fitIsolation(rows)).toEqual(forest);
  expect(fitIsolation(rows, { seed: 1 }).threshold).not.toEqual(forest.threshold);
});

test.each(["with bounds", "without bounds"])("sturdy plans go no farther than asked %s", async (kind) => {
  let [near, few] = [0, 0];
  for (const [s, study] of studies.slice(0, 4).entries()) {
    const others: Model[] = studies.slice(s + 1, s + 3).map(({ model }) => model);
    const parts = partsOf(
      study,
      kind === "with bounds" ? others : others.map(({ outputs, predict }) => ({ outputs, predict })),
    );
    if (parts.references.rows === 0) continue;
    const metric = restrict(fitMetric(study.constraints.schema, study.rows), study.constraints.editable);
    const { rows } = await explain({ ...parts, maxDistance: 1 });
    rows.forEach((row, i) => {
      if (!row.sturdy) return;
      const x = rowOf(parts.x, i);
      near++;
      expect(
        squaredDistance(metric, x, rowWith(study, x, row.sturdy.edits).data),
        study.what,
      ).toBeLessThanOrEqual(1);
    });
    const single = await explain({ ...parts, budget: { perRow: 1 } });
    for (const row of single.rows) {
      if (!row.sturdy) continue;
      few++;
      expect(row.sturdy.edits, study.what).toHaveLength(1);
    }
  }
  expect(Math.min(near, few)).toBeGreaterThan(0);
});
