import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bindInputs, collapseOneHot, inferSchema, tableToMatrix } from "../../src/data/index.ts";
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
    const bound = bindInputs(model, schema, undefined, undefined, true);
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

  /** What the model is told of a row does not depend on the other rows of its table: it is the same or refused. */
  const sameInAnyTable = (impl: typeof bindInputs): void => {
    const told = (column: readonly (string | null)[], i: number): number[] | string => {
      const table = { names: ["age", "job"], columns: [column.map(() => 1), column], rows: column.length };
      const { schema: found } = inferSchema(table);
      const model = spy(found.features.map((f) => f.name));
      try {
        impl(model, found).predict(tableToMatrix(found, table));
      } catch (error) {
        return (error as { code: string }).code;
      }
      return model.seen[i]!;
    };
    const cell = fc.oneof(
      fc.constantFrom("red", "blue", "k.A.", "1,5", null),
      fc.integer({ min: 0, max: 30 }).map(String),
    );
    fc.assert(
      fc.property(fc.array(cell, { minLength: 2, maxLength: 30 }), (column) => {
        const some = column.slice(0, Math.ceil(column.length / 2));
        fc.pre(some.some((c) => c !== null));
        const [few, all] = [told(some, 0), told(column, 0)];
        if (typeof few === "object" && typeof all === "object" && all.length === few.length)
          expect(few).toEqual(all);
      }),
      { numRuns: 300, seed: 4 },
    );
  };

  test("law: a row is told the same whoever else is in its table, or refused", () => {
    sameInAnyTable(bindInputs);
    expect(() =>
      sameInAnyTable((model, own) => bindInputs(model, own, undefined, undefined, true)),
    ).toThrow();
  });

  const withLevels = (categories: string[], kind: "categorical" | "ordinal" = "categorical"): Schema => ({
    features: [schema.features[0]!, { name: "job", kind, categories }],
  });
  const numbers = Array.from({ length: 20 }, (_, i) => String(i));

  test.each<[string, Schema, string, RegExp]>([
    ["text", schema, "SCHEMA_INVALID", /job is text \(none, some\).*--encoding.*--schema/],
    [
      "numbers but one",
      withLevels([...numbers, "k.A."]),
      "VALUE_INVALID",
      /"k\.A\." is not a number.*--missing/,
    ],
    ["decimal commas", withLevels(["1,5", "2,5"]), "VALUE_INVALID", /"1,5" is not a number.*--decimal-comma/],
  ])("%s without codes is refused where the model reads a number", (_, own, code, part) => {
    expect(() => bindInputs(spy(["age", "job"]), own)).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(part) }),
    );
    expect(() => bindInputs(spy(), own, { inputs: [{ feature: "job" }] })).toThrow(
      expect.objectContaining({ code }),
    );
  });

  test("places are codes where somebody says so: codes, an order, the model's file; never for spoilt numbers", () => {
    const odd = withLevels([...numbers, "k.A."]);
    const codes = Object.fromEntries([...numbers, "k.A."].map((level, v) => [level, v]));
    const category = { ...spy(["age", "job"]), categorical: [false, true] };
    bindInputs(spy(), odd, { inputs: [{ feature: "job", codes }] });
    bindInputs(spy(["age", "job"]), withLevels(["low", "high"], "ordinal"));
    bindInputs(category, schema);
    for (const listed of [true, false]) {
      const bind = (): unknown => bindInputs(category, odd, undefined, undefined, listed);
      expect(bind).toThrow(expect.objectContaining({ code: "VALUE_INVALID" }));
    }
  });

  test("a mismatch lists both sides and what to write", () => {
    expect(() => bindInputs(spy(["wage", "age"]), schema)).toThrow(
      /rename the columns[\s\S]*encoding file[\s\S]*model inputs: wage, age[\s\S]*table columns: age, job/,
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

  const mixed = table({
    age: [30, 40, 50],
    cat__job_none: [1, 0, 0],
    cat__job_some: [0, 1, 1],
    "home=own": [1, 0, 0],
    "home=rent": [0, 1, 0],
    "home=family": [0, 0, 0],
    flag_a: [1, 1, 0],
    flag_b: [1, 0, 0],
  });

  test("groups with exactly one 1 in every row become one column; other flags stay", () => {
    const { table: t, groups, apart } = collapseOneHot(mixed);
    expect(t.names).toEqual(["age", "job", "home=own", "home=rent", "home=family", "flag_a", "flag_b"]);
    expect(t.columns[1]).toEqual(["none", "some", "some"]);
    expect(groups.map((g) => g.feature)).toEqual(["job"]);
    expect(apart.map((g) => g.feature)).toEqual(["home"]);
  });

  test("a group of which one level has no column is one feature where that is declared", () => {
    const { table: t, groups } = collapseOneHot(mixed, { features: ["age", "job", "home"] });
    expect(t.names).toEqual(["age", "job", "home", "flag_a", "flag_b"]);
    expect(t.columns[2]).toEqual(["own", "rent", "(other)"]);
    expect(groups.map((g) => g.dropped)).toEqual(["(other)", undefined]);
  });

  const guessed = { has_car: [1, 0, 0], has_house: [0, 1, 0] };

  test("columns that are features, outcome or id stay as they are", () => {
    const whole = { has_car: [1, 0, 1], has_house: [0, 1, 0] };
    expect(collapseOneHot(table(guessed)).table.names).toEqual(["has_car", "has_house"]);
    expect(collapseOneHot(table(whole)).table.names).toEqual(["has"]);
    expect(collapseOneHot(table(whole), { keep: ["has_car"] }).table.names).toEqual(["has_car", "has_house"]);
    expect(collapseOneHot(table(guessed), { features: ["job"] }).groups).toEqual([]);
    expect(collapseOneHot(table(guessed), { features: ["has"] }).table.names).toEqual(["has"]);
    // Ten of thirty each would meet in 3⅓ rows by chance, twenty of sixty in 6⅔.
    const third = (size: number, of: number) => Array.from({ length: size }, (_, i) => Number(i % 3 === of));
    const flags = (size: number) => table({ has_car: third(size, 0), has_house: third(size, 1) });
    expect(collapseOneHot(flags(30)).table.names).toEqual(["has_car", "has_house"]);
    expect(collapseOneHot(flags(60)).groups).toMatchObject([{ feature: "has", dropped: "(other)" }]);
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
