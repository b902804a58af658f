import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileConstraints } from "../../src/data/constraints.ts";
import { bind, fitEncoder } from "../../src/data/encode.ts";
import { squaredDistance } from "../../src/data/metric.ts";
import type { Task } from "../../src/generate/contract.ts";
import { type DirectOptions, direct } from "../../src/generate/direct.ts";
import { openRun } from "../../src/generate/run.ts";
import { treeKernels } from "../../src/model/trees/kernels.ts";
import { predictTrees } from "../../src/model/trees/predict.ts";
import { fromRows, rowOf, toRows } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import type { Model, Schema, Trees } from "../../src/types.ts";
import { editsPerRow, plainTask } from "../support/generate.ts";
import { directMutants } from "../support/mutants/generate.ts";
import { refuses } from "../support/refuses.ts";

const random = () => stream(1, "direct");
const LEVELS: Schema = {
  features: ["a", "b", "c", "d"].map((name) => ({ name, kind: "categorical", categories: ["0", "1", "2"] })),
};
/** All 81 rows of the table. */
const ALL = fromRows(
  Array.from({ length: 81 }, (_, t) => [
    t % 3,
    Math.floor(t / 3) % 3,
    Math.floor(t / 9) % 3,
    Math.floor(t / 27),
  ]),
);
const code = (row: ArrayLike<number>): number => row[0]! + 3 * row[1]! + 9 * row[2]! + 27 * row[3]!;

describe("direct", () => {
  type Search = (task: Task, options: DirectOptions) => ReturnType<typeof direct>;
  const wide = { beam: 10_000, branch: 100 };
  /** With a wide beam: the fewest edits of any legal row at the target, and of those the nearest. */
  const fewestLaw = (search: Search): Promise<void> =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 81, maxLength: 81 }),
        fc.integer({ min: 0, max: 80 }),
        async (tenths, start) => {
          const x = fromRows([Array.from(rowOf(ALL, start))]);
          const task = plainTask(LEVELS, x, ALL, (row) =>
            tenths[code(row)]! >= 9 ? 0.9 : tenths[code(row)]! / 20,
          );
          const generated = await search(task, wide);
          const edits = (row: number[]): number => row.filter((v, k) => v !== x.data[k]).length;
          const good = toRows(ALL).filter((row) => tenths[code(row)]! >= 9);
          const least = Math.min(...good.map(edits));
          expect(editsPerRow(task, generated)).toEqual(good.length > 0 ? [least] : []);
        },
      ),
      { numRuns: 100 },
    );
  test("finds the fewest edits", () => fewestLaw((task, options) => direct(task, options, random())));
  test.each(Object.entries(directMutants))("%s is refused", (_, search) => refuses(() => fewestLaw(search)));

  test("of equally many edits the nearest", async () => {
    const schema: Schema = { features: [{ name: "a", kind: "integer" }] };
    const line = fromRows(Array.from({ length: 21 }, (_, t) => [t]));
    const task = plainTask(schema, fromRows([[10]]), line, (row) => Number(row[0]! < 3 || row[0]! > 15));
    expect(toRows((await direct(task, {}, random())).rows)).toEqual([[16]]);
  });

  test("goes no farther than maxEdits", async () => {
    const task = plainTask(LEVELS, fromRows([[0, 0, 0, 0]]), ALL, (row) =>
      Number(row.filter((v) => v === 2).length >= 3),
    );
    expect((await direct(task, { maxEdits: 2 }, random())).report.status).toEqual(["infeasible"]);
    expect(editsPerRow(task, await direct(task, {}, random()))).toEqual([3]);
  });

  test("several plans differ", async () => {
    const task = plainTask(LEVELS, fromRows([[0, 0, 0, 0]]), ALL, (row) => Number(row.some((v) => v === 1)));
    const { rows } = await direct(task, { count: 4 }, random());
    expect(new Set(toRows(rows).map(String)).size).toBe(4);
    const { metric } = openRun("test", task, {}, {});
    for (let t = 0; t < 4; t++) expect(squaredDistance(metric, rowOf(rows, t), rowOf(task.x, 0))).toBe(1);
  });
});

describe("split thresholds", () => {
  /** One tree over the encoded column: 1 between two thresholds, 0 outside. */
  const window = (low: number, high: number): Trees => ({
    kind: "trees",
    kernels: treeKernels,
    base: 0,
    link: "identity",
    roots: Int32Array.of(0),
    feature: Int32Array.of(0, -1, 0, -1, -1),
    threshold: Float64Array.of(low, 0, high, 0, 0),
    left: Int32Array.of(1, -1, 3, -1, -1),
    right: Int32Array.of(2, -1, 4, -1, -1),
    value: Float64Array.of(0, 0, 0, 1, 0),
    flags: new Uint8Array(5),
    inclusive: true,
    float32: false,
  });
  const schema: Schema = { features: [{ name: "a", kind: "numeric" }] };
  const references = fromRows([[0], [1], [9], [10]]);
  const encoder = fitEncoder(schema, references);
  const encoded = (v: number): number => (v - encoder.rules[0]!.shift) / encoder.rules[0]!.scale;
  const trees = window(encoded(4), encoded(5));
  const inner: Model = {
    outputs: ["score"],
    predict: (rows) => predictTrees(trees, rows),
    structure: () => trees,
  };
  const taskOf = (model: Model): Task => ({
    model: bind(model, encoder),
    x: fromRows([[1]]),
    references,
    constraints: compileConstraints(schema),
    target: { above: 0.5 },
  });

  test("a window between training values is found through the encoding", async () => {
    const { report, rows } = await direct(taskOf(inner), {}, random());
    expect(report.status).toEqual(["ok"]);
    expect(rows.data[0]).toBeGreaterThan(4);
    expect(rows.data[0]).toBeLessThanOrEqual(5);
  });

  test("and not without the tree's inside", async () => {
    const { outputs, predict } = inner;
    const { report } = await direct(taskOf({ outputs, predict }), {}, random());
    expect(report.status).toEqual(["infeasible"]);
  });
});
