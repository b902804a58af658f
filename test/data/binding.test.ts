import { describe, expect, test } from "vitest";
import { bindInputs, collapseOneHot } from "../../src/data/index.ts";
import { fromRows } from "../../src/num/matrix.ts";
import type { Matrix, Model, Schema, Table } from "../../src/types.ts";

const schema: Schema = {
  features: [
    { name: "age", kind: "numeric" },
    { name: "job", kind: "categorical", categories: ["none", "some"] },
  ],
};
/** Scores are the encoded cells read as digits, so a test sees what the model saw. */
const spy = (inputs?: string[]): Model & { seen: number[][] } => {
  const seen: number[][] = [];
  return {
    seen,
    outputs: ["s"],
    ...(inputs ? { inputs } : {}),
    predict: (rows: Matrix) => {
      for (let i = 0; i < rows.rows; i++)
        seen.push([...rows.data.subarray(i * rows.cols, (i + 1) * rows.cols)]);
      return new Float64Array(rows.rows);
    },
  };
};
const rows = fromRows([
  [30, 1],
  [null, null],
]);

describe("bindInputs", () => {
  test.each<[string[] | undefined, number[][]]>([
    [
      ["job", "age"],
      [
        [1, 30],
        [Number.NaN, Number.NaN],
      ],
    ],
    [
      ["age", "job_none", "job_some"],
      [
        [30, 0, 1],
        [Number.NaN, 0, 0],
      ],
    ],
    [
      ["num__age", "cat__job_some"],
      [
        [30, 1],
        [Number.NaN, 0],
      ],
    ],
    [
      ["job=none", "age"],
      [
        [0, 30],
        [0, Number.NaN],
      ],
    ],
    [
      ["f0", "f1"],
      [
        [30, 1],
        [Number.NaN, Number.NaN],
      ],
    ],
    [
      undefined,
      [
        [30, 1],
        [Number.NaN, Number.NaN],
      ],
    ],
  ])("inputs %j", (inputs, expected) => {
    const model = spy(inputs);
    const bound = bindInputs(model, schema);
    bound.predict(rows);
    expect(model.seen).toEqual(expected);
    expect(bound.encoding!.groups.flat().length).toBe(inputs?.length ?? 2);
  });

  test("an encoding file gives order, codes, scaling and what missing becomes", () => {
    const model = spy();
    bindInputs(model, schema, {
      inputs: [
        { feature: "job", codes: { none: 7, some: 9 }, missing: -1 },
        { feature: "age", mean: 10, scale: 20, missing: 0 },
        { feature: "job", level: "some" },
      ],
    }).predict(rows);
    expect(model.seen).toEqual([
      [9, 1, 1],
      [-1, 0, 0],
    ]);
  });

  test("a mismatch lists both sides and what to write", () => {
    expect(() => bindInputs(spy(["wage", "age"]), schema)).toThrow(
      /model inputs: wage, age[\s\S]*table columns: age, job[\s\S]*encoding file/,
    );
    expect(() => bindInputs(spy(), schema, { inputs: [{ feature: "wage" }] })).toThrow(/wage/);
    expect(() => bindInputs(spy(), schema, { inputs: [{ feature: "job", level: "x" }] })).toThrow(
      /none, some/,
    );
    expect(() => bindInputs(spy(), schema, { inputs: [{ feature: "job", codes: { none: 1 } }] })).toThrow(
      /some/,
    );
  });
});

describe("collapseOneHot", () => {
  const table = (columns: Record<string, (string | number)[]>): Table => ({
    names: Object.keys(columns),
    columns: Object.values(columns),
    rows: Object.values(columns)[0]!.length,
  });

  test("full and dropped-first groups become one column; other flags stay", () => {
    const { table: t, groups } = collapseOneHot(
      table({
        age: [30, 40, 50],
        cat__job_none: [1, 0, 0],
        cat__job_some: [0, 1, 1],
        "home=own": [1, 0, 0],
        "home=rent": [0, 1, 0],
        flag_a: [1, 1, 0],
        flag_b: [1, 0, 0],
      }),
    );
    expect(t.names).toEqual(["age", "job", "home", "flag_a", "flag_b"]);
    expect(t.columns[1]).toEqual(["none", "some", "some"]);
    expect(t.columns[2]).toEqual(["own", "rent", "(other)"]);
    expect(groups.map((g) => g.dropped)).toEqual(["(other)", undefined]);
  });

  const guessed = { has_car: [1, 0, 0], has_house: [0, 1, 0] };

  test("columns that are features, outcome or id stay as they are", () => {
    expect(collapseOneHot(table(guessed)).table.names).toEqual(["has"]);
    expect(collapseOneHot(table(guessed), { keep: ["has_car"] }).table.names).toEqual([
      "has_car",
      "has_house",
    ]);
    expect(collapseOneHot(table(guessed), { features: ["job"] }).groups).toEqual([]);
    expect(collapseOneHot(table(guessed), { features: ["has"] }).table.names).toEqual(["has"]);
  });

  test("a second table is read as the first was, and a row with half a level is refused", () => {
    const { groups } = collapseOneHot(table({ home_own: [1, 0], home_rent: [0, 1] }));
    const second = (own: number, rent: number): Table =>
      collapseOneHot(table({ ...guessed, home_own: [1, own, 0], home_rent: [0, rent, 1] }), {
        groups,
        features: ["home", "has_car"],
      }).table;
    expect(second(0, 1).names).toEqual(["has_car", "has_house", "home"]);
    expect(second(0, 1).columns[2]).toEqual(["own", "rent", "rent"]);
    expect(() => second(1, 1)).toThrow(/row 1 has a 1 in home_own and home_rent/);
    expect(() => second(0, 0)).toThrow(/row 1 has no 1 among the indicator columns of home/);
  });

  test("a table without groups comes back as it was", () => {
    const plain = table({ a: [1, 2], b: [0, 1] });
    expect(collapseOneHot(plain).table).toBe(plain);
  });
});
