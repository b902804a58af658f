import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  bind,
  embed,
  encodeRows,
  fitEncoder,
  fitMetric,
  inferSchema,
  loans,
  matrixToTable,
  metricCost,
  splitRows,
  squaredDistance,
  tableToMatrix,
} from "../../src/data/index.ts";
import { rowOf } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import type { Matrix, Model, Schema } from "../../src/types.ts";

const schema: Schema = {
  features: [
    { name: "n", kind: "numeric" },
    { name: "o", kind: "ordinal", categories: ["s", "m", "l"] },
    { name: "c", kind: "categorical", categories: ["red", "green", "blue"] },
    { name: "b", kind: "boolean" },
  ],
};
const gap = fc.constant(Number.NaN);
const cells = (numericGaps: boolean) =>
  fc.tuple(
    numericGaps
      ? fc.oneof(fc.double({ min: -5, max: 5, noNaN: true }), gap)
      : fc.double({ min: -5, max: 5, noNaN: true }),
    numericGaps ? fc.oneof(fc.integer({ min: 0, max: 2 }), gap) : fc.integer({ min: 0, max: 2 }),
    fc.oneof(fc.integer({ min: 0, max: 2 }), gap),
    fc.oneof(fc.integer({ min: 0, max: 1 }), gap),
  );
const rowsOf = (rows: readonly (readonly number[])[]): Matrix => ({
  data: Float64Array.from(rows.flat()),
  rows: rows.length,
  cols: 4,
});

describe("table and matrix", () => {
  test("round trip keeps every cell", () => {
    const { table, schema: s } = loans({ rows: 200 });
    expect(matrixToTable(s, tableToMatrix(s, table)).columns).toEqual(table.columns);
  });

  test.each([
    ["n", "abc"],
    ["n", Number.POSITIVE_INFINITY],
    ["c", "violet"],
    ["b", "maybe"],
  ])("%s = %j is refused with row, column and remedy", (name, bad) => {
    const good = { n: 1, o: "m", c: "red", b: true };
    const row = { ...good, [name]: bad };
    const table = { names: Object.keys(row), columns: Object.values(row).map((v) => [v]), rows: 1 };
    expect(() => tableToMatrix(schema, table)).toThrow(expect.objectContaining({ code: "VALUE_INVALID" }));
  });

  test("columns bind by name and a missing one is named", () => {
    const table = { names: ["b", "c", "o", "n"], columns: [[true], ["blue"], ["l"], [4]], rows: 1 };
    expect([...tableToMatrix(schema, table).data]).toEqual([4, 2, 2, 1]);
    expect(() => tableToMatrix(schema, { names: ["n"], columns: [[1]], rows: 1 })).toThrow(/"o"/);
  });

  test("a boolean has two levels, its own or false and true", () => {
    const column = (categories: readonly string[]): Schema => ({
      features: [{ name: "b", kind: "boolean", categories }],
    });
    const table = { names: ["b"], columns: [["yes", "no", null]], rows: 3 };
    expect([...tableToMatrix(column(["no", "yes"]), table).data]).toEqual([1, 0, Number.NaN]);
    for (const categories of [[], ["yes"], ["no", "yes", "maybe"], ["a", "b", "c", "d"]]) {
      expect(() => tableToMatrix(column(categories), table)).toThrow(
        expect.objectContaining({ code: "SCHEMA_INVALID", message: expect.stringContaining("feature b") }),
      );
    }
  });

  test("the embedded loans are seeded, mixed, with gaps and both labels", () => {
    const a = loans();
    const b = loans();
    expect(b).toEqual(a);
    expect(loans({ seed: 1 }).table.columns).not.toEqual(a.table.columns);
    expect(a.table.rows).toBe(1000);
    const share = a.labels.reduce((s, v) => s + v, 0) / 1000;
    expect(share).toBeGreaterThan(0.4);
    expect(share).toBeLessThan(0.8);
    expect(a.table.columns.flat().filter((v) => v === null).length).toBeGreaterThan(40);
  });
});

describe("encoder", () => {
  test("groups cover all columns once; standard columns have mean 0 and sd 1", () => {
    const { table, schema: s } = loans();
    const x = tableToMatrix(s, table);
    const encoder = fitEncoder(s, x);
    const e = encodeRows(encoder, x);
    expect(encoder.groups.flat()).toEqual(encoder.names.map((_, c) => c));
    const income = Array.from({ length: e.rows }, (_, i) => e.data[i * e.cols + 1]!);
    const mean = income.reduce((a, b) => a + b, 0) / e.rows;
    expect(Math.abs(mean)).toBeLessThan(1e-12);
    expect(income.reduce((a, b) => a + (b - mean) ** 2, 0) / e.rows).toBeCloseTo(1, 12);
  });

  test("one-hot, gaps and kept gaps", () => {
    const x = rowsOf([
      [1, 0, 2, 1],
      [3, 2, Number.NaN, Number.NaN],
    ]);
    const flagged = encodeRows(fitEncoder(schema, x, { numeric: "raw" }), x);
    expect([...rowOf(flagged, 0)]).toEqual([1, 0, 0, 0, 1, 0, 1, 0]);
    expect([...rowOf(flagged, 1)]).toEqual([3, 2, 0, 0, 0, 1, 1, 1]);
    const kept = encodeRows(
      fitEncoder(schema, x, { numeric: "raw", categorical: "code", missing: "keep" }),
      x,
    );
    expect([...kept.data]).toEqual([1, 0, 2, 1, 3, 2, Number.NaN, Number.NaN]);
  });

  test("a bound model scores encoded rows; derived columns are recomputed and close the structure", () => {
    const model: Model = {
      outputs: ["s"],
      predict: (rows) => rows.data.filter((_, c) => c % rows.cols === 2),
    };
    const derived: Schema = {
      features: [
        { name: "a", kind: "numeric" },
        { name: "b", kind: "numeric" },
        { name: "sum", kind: "numeric", derived: "a + b" },
      ],
    };
    const x: Matrix = { data: Float64Array.of(1, 2, 99), rows: 1, cols: 3 };
    const bound = bind(model, fitEncoder(derived, x, { numeric: "raw" }));
    expect(bound.predict(x)).toEqual(Float64Array.of(3));
    expect(bound.encoding).toBeUndefined();
  });
});

describe("metric", () => {
  test("law: embedded points have exactly the metric's distance", () => {
    const law = (distance: typeof squaredDistance): void =>
      fc.assert(
        fc.property(fc.array(cells(false), { minLength: 2, maxLength: 6 }), (rows) => {
          const m = rowsOf(rows);
          const metric = fitMetric(schema, m);
          const [points] = embed(metric, [m])!;
          const d2 = rowOf(points!, 0).reduce((s, v, c) => s + (v - rowOf(points!, 1)[c]!) ** 2, 0);
          expect(d2).toBeCloseTo(distance(metric, rowOf(m, 0), rowOf(m, 1)), 9);
        }),
        { numRuns: 200, seed: 2 },
      );
    law(squaredDistance);
    expect(() => law((m, a, b) => 2 * squaredDistance(m, a, b))).toThrow();
  });

  test("missing against a value counts 1, against missing 0; the cost then has no points", () => {
    fc.assert(
      fc.property(fc.array(cells(true), { minLength: 2, maxLength: 5 }), (rows) => {
        const m = rowsOf([...rows, [Number.NaN, 0, 0, 0], [1, 0, 0, 0]]);
        const metric = fitMetric(schema, m);
        const out = new Float64Array(m.rows);
        const cost = metricCost(metric, m, m);
        cost.row(m.rows - 2, out);
        expect(out[m.rows - 1]).toBe(1);
        expect(out[m.rows - 2]).toBe(0);
        expect(cost.points).toBeUndefined();
        expect(out.every((v) => v >= 0)).toBe(true);
      }),
      { numRuns: 50, seed: 3 },
    );
  });
});

test("splitRows partitions the rows and refuses nonsense", () => {
  const { train, test: part } = splitRows(10, 0.3, stream(1, "split"));
  expect([...train, ...part].sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(part.length).toBe(3);
  expect(() => splitRows(1, 0.3, stream(1))).toThrow(expect.objectContaining({ code: "OPTION_INVALID" }));
});

test("1.0 and 0.0, as a frame of floats writes yes and no, are a boolean", () => {
  const table = {
    names: ["flag", "v"],
    columns: [
      ["1.0", "0.0", "1.0"],
      [1, 2, 3],
    ],
    rows: 3,
  };
  const { schema: inferred } = inferSchema(table);
  expect(inferred.features[0]).toEqual({ name: "flag", kind: "boolean" });
  expect(Array.from(tableToMatrix(inferred, table).data)).toEqual([1, 1, 0, 2, 1, 3]);
});
