import { expect, test } from "vitest";
import { compileConstraints } from "../../src/data/constraints.ts";
import { bind, encodeRows, fitEncoder } from "../../src/data/encode.ts";
import { loanSchema, loans } from "../../src/data/loans.ts";
import { encodeCell, tableToMatrix } from "../../src/data/schema.ts";
import { explain } from "../../src/explain.ts";
import type { ExplainedRow } from "../../src/explanation.ts";
import { direct } from "../../src/generate/direct.ts";
import { fromRows, rowOf, takeRows } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import { gridSearch } from "../../src/run/grid.ts";
import { fitXgboost } from "../../src/train/xgboost.ts";
import type { Matrix, Model } from "../../src/types.ts";
import { hardStudy, smallStudy } from "../support/exact-studies.ts";

/** A model that tells nothing but scores, and how many rows it was asked about. */
function box({ outputs, predict }: Pick<Model, "outputs" | "predict">) {
  const told = { rows: 0 };
  const model: Model = {
    outputs,
    predict: (rows, output) => {
      told.rows += rows.rows;
      return predict(rows, output);
    },
  };
  return { model, told };
}

const { table, labels } = loans();
const rows = tableToMatrix(loanSchema, table);
const constraints = compileConstraints(loanSchema);
const encoder = fitEncoder(loanSchema, rows, { numeric: "raw", missing: "keep" });
const fitted = fitXgboost(encodeRows(encoder, rows), labels, { trees: 50, maxDepth: 4 }, 1);
const trees = bind(fitted, encoder, constraints);
const scores = trees.predict(rows, 1) as Float64Array;
const known = Array.from(scores.keys());

function loansOf(model: Model, count: number) {
  return {
    model,
    x: takeRows(rows, known.filter((i) => scores[i]! < 0.5).slice(0, count)),
    references: takeRows(rows, known.filter((i) => scores[i]! > 0.5).slice(0, 300)),
    schema: loanSchema,
    training: rows,
  };
}

const changes = (explained: readonly ExplainedRow[]): number =>
  explained.reduce((sum, { change = 0 }) => sum + change, 0);

test("loans: a model that tells only scores gets nearly the plans that its trees would prove, for twice the model rows", async () => {
  const [bare, with_] = [box(trees), box(trees)];
  const borrowed = await explain(loansOf(bare.model, 20));
  const tried = await explain({ ...loansOf(with_.model, 20), grid: gridSearch });
  const proven = await explain(loansOf(trees, 20));
  expect(with_.told.rows).toBeLessThanOrEqual(2 * bare.told.rows);
  expect(tried.totals.valid).toBe(20);
  expect(tried.totals.edits).toBeLessThanOrEqual(proven.totals.edits + 1);
  expect(changes(tried.rows)).toBeLessThan(1.1 * changes(proven.rows));
  expect(changes(tried.rows)).toBeLessThan(0.5 * changes(borrowed.rows));
  expect(tried.rows.map(({ attributions }) => attributions)).toEqual(
    borrowed.rows.map(({ attributions }) => attributions),
  );
  expect(tried.runHash).not.toBe(borrowed.runHash);
});

test("a row's plan on the grid does not depend on the rows beside it, nor on when the model answers", async () => {
  const all = await explain({ ...loansOf(box(trees).model, 6), grid: gridSearch });
  const later: Model = {
    outputs: trees.outputs,
    predict: async (asked, output) => trees.predict(asked, output) as Float64Array,
  };
  const awaited = await explain({ ...loansOf(later, 6), grid: gridSearch });
  expect(awaited.rows).toEqual(all.rows);
  for (const i of [1, 4]) {
    const task = loansOf(box(trees).model, 6);
    const alone = await explain({ ...task, x: takeRows(task.x, [i]), grid: gridSearch });
    expect(alone.rows[0]).toEqual({ ...all.rows[i]!, row: 0 });
  }
});

test("plans on the grid have no more edits than references or the direct search give, no more change, and are what they say", async () => {
  const tally = { rows: 0, fewer: 0, nearer: 0, pairs: 0, ranges: 0 };
  for (let seed = 0; seed < 24; seed++) {
    const study = seed % 2 === 1 ? hardStudy(seed) : smallStudy(30_000 + seed);
    const { model } = box(study.model);
    const of = study.reach.outputs.map((o) => study.model.predict(study.rows, o) as Float64Array);
    const at = (i: number): boolean => study.reach.reached(study.reach.slack(of, i), study.minMargin);
    const all = Array.from({ length: study.rows.rows }, (_, i) => i);
    const x = takeRows(study.rows, all.filter((i) => !at(i)).slice(0, 4));
    const references = takeRows(study.rows, all.filter(at).slice(0, 2));
    if (x.rows === 0 || references.rows === 0) continue;
    const { target } = study;
    const goal = { kind: "each", target, minMargin: study.minMargin } as const;
    const task = { model, x, references, training: study.rows, schema: study.constraints.schema, goal };
    const borrowed = await explain(task);
    const tried = await explain({ ...task, grid: gridSearch });
    const searched = await direct(
      {
        model,
        x,
        references: study.rows,
        constraints: study.constraints,
        target,
        minMargin: study.minMargin,
      },
      {},
      stream(1, "direct"),
    );
    tried.rows.forEach((row, i) => {
      check(row, borrowed.rows[i]!, rowsOf(searched.rows, searched.pairs!, i), i);
    });
    function check(row: ExplainedRow, before: ExplainedRow, own: readonly Float64Array[], i: number): void {
      const what = `${study.what}, row ${i}`;
      const from = rowOf(study.constraints.complete(x), i);
      tally.rows++;
      if (before.valid) {
        expect(row.valid, what).toBe(true);
        expect(row.edits.length, what).toBeLessThanOrEqual(before.edits.length);
        if (row.edits.length < before.edits.length) tally.fewer++;
        else expect(row.change ?? 0, what).toBeLessThanOrEqual((before.change ?? 0) * (1 + 1e-9));
        if ((row.change ?? 0) < (before.change ?? 0)) tally.nearer++;
      }
      for (const z of own) {
        const edits = study.constraints.editable.reduce(
          (sum, may, k) => sum + (may && !study.constraints.same(k, from[k]!, z[k]!) ? 1 : 0),
          0,
        );
        expect(row.valid, what).toBe(true);
        expect(row.edits.length, what).toBeLessThanOrEqual(edits);
      }
      if (row.proof?.scope === "grid") {
        tally.pairs++;
        expect(row.edits.length, what).toBeGreaterThan(1);
      }
      for (const { feature, to, known: how } of row.ranges ?? []) {
        tally.ranges++;
        expect(how).toBe("tested");
        const { features } = study.constraints.schema;
        const z = from.slice();
        for (const edit of row.edits) {
          const k = features.findIndex(({ name }) => name === edit.feature);
          z[k] = encodeCell(features[k]!, edit.feature === feature ? to : edit.to, i);
        }
        expect(reaches(study.constraints.complete({ data: z, rows: 1, cols: z.length })), what).toBe(true);
      }
    }
    function reaches(row: Matrix): boolean {
      const told = study.reach.outputs.map((o) => study.model.predict(row, o) as Float64Array);
      return study.reach.reached(study.reach.slack(told, 0), study.minMargin);
    }
  }
  expect(tally.rows).toBeGreaterThan(50);
  expect(Math.min(tally.nearer, tally.ranges)).toBeGreaterThan(10);
  expect(Math.min(tally.fewer, tally.pairs)).toBeGreaterThan(0);
});

function rowsOf(found: Matrix, pairs: Int32Array, i: number): Float64Array[] {
  return Array.from(pairs.keys()).flatMap((j) => (pairs[j] === i ? [rowOf(found, j)] : []));
}

test("a limit on model rows and costs leave the plans of references", async () => {
  const task = loansOf(box(trees).model, 2);
  const limited = await explain({ ...task, grid: gridSearch, limits: { modelRows: 100_000 } });
  expect(limited.rows.map(({ edits }) => edits)).toEqual(
    (await explain(task)).rows.map(({ edits }) => edits),
  );
  const priced = await explain({ ...task, grid: gridSearch, objective: "cost" });
  expect(priced.rows.every(({ proof }) => proof?.scope !== "grid")).toBe(true);
});

test("the ends that the schema permits are on the grid, also beyond the values that references have", async () => {
  const told = await explain({
    model: (asked: Matrix) =>
      Array.from({ length: asked.rows }, (_, i) => asked.data[2 * i]! / 10 + asked.data[2 * i + 1]! / 100),
    x: fromRows([[0, 0]]),
    references: fromRows([
      [4, 20],
      [5, 30],
    ]),
    schema: {
      features: [
        { name: "a", kind: "integer", min: 0, max: 9 },
        { name: "b", kind: "integer", min: 0, max: 30 },
      ],
    },
    goal: { kind: "each", target: { min: 0.55 } },
    grid: gridSearch,
  });
  expect(told.rows[0]!.edits).toMatchObject([{ feature: "a", from: 0, to: 6 }]);
});

test("neither a number beside a code for a missing value nor a step beyond the end of its column is tried", async () => {
  const codes = fromRows(
    Array.from({ length: 60 }, (_, i) => [i % 7 === 0 ? 99 : (i % 20) / 10, (i % 26) / 10]),
  );
  const features = [
    { name: "a", kind: "numeric", missing: [99] },
    { name: "b", kind: "numeric", step: 0.2 },
  ] as const;
  const asked: number[][] = [[], []];
  const model = (rows: Matrix): number[] =>
    Array.from({ length: rows.rows }, (_, i) => {
      const [a = 0, b = 0] = rowOf(rows, i);
      asked[0]!.push(a);
      asked[1]!.push(b);
      return (a !== 99 && a > 50) || b > 2.45 ? 1 : 0.4 + b / 100;
    });
  const x = fromRows([[1.5, 1]]);
  const task = { model, constraints: compileConstraints({ features }), target: { output: 0, above: 0.5 }, x };
  const { report } = await direct({ ...task, references: codes }, { vary: ["a"] }, stream(1, "codes"));
  expect(report.status).toEqual(["infeasible"]);
  const goal = { kind: "each", target: { output: 0, above: 0.5 } } as const;
  const question = { model, x, references: x, training: codes, schema: { features }, goal, grid: gridSearch };
  const { rows: explained } = await explain(question);
  expect(explained[0]!.status).toBe("infeasible");
  expect(asked[0]!.filter((a) => a > 2 && a !== 99)).toEqual([]);
  expect(Math.max(...asked[1]!)).toBeLessThan(2.45);
});
