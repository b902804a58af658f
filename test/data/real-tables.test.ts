import { describe, expect, test } from "vitest";
import { plainAmounts } from "../../src/data/amounts.ts";
import { compileConstraints } from "../../src/data/constraints.ts";
import { isIdentifier } from "../../src/data/identifiers.ts";
import { inferSchema, readCsv } from "../../src/data/index.ts";
import { unknownCells, unknownNotes, withInputLevels } from "../../src/data/input-levels.ts";
import { tableToMatrix } from "../../src/data/schema.ts";
import { sentinelsOf } from "../../src/data/sentinels.ts";
import type { Cell, Table } from "../../src/types.ts";

const tableOf = (columns: Readonly<Record<string, readonly Cell[]>>): Table => ({
  names: Object.keys(columns),
  columns: Object.values(columns),
  rows: Object.values(columns)[0]!.length,
});
const rows = <T extends Cell>(count: number, cell: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => cell(i));
/** Different whole numbers in no order. */
const scattered = (i: number): number => 20_000 + ((i * 7919) % 10_007);

describe("identifiers", () => {
  const featureOf = (name: string, column: readonly Cell[], inputs?: readonly string[] | "all") => {
    const table = tableOf({ other: rows(column.length, (i) => i % 7), [name]: column });
    const { schema, notes } = inferSchema(table, inputs ? { inputs } : {});
    return { feature: schema.features.find((f) => f.name === name), notes };
  };

  test("customer_no 100002, 100003, … stays an input and is frozen, with a note", () => {
    const { feature, notes } = featureOf(
      "customer_no",
      rows(300, (i) => 100_002 + i),
    );
    expect(feature).toEqual({ name: "customer_no", kind: "integer", immutable: true });
    expect(notes.join()).toMatch(/customer_no names rows.*immutable; edit the schema/);
  });

  test("one that rises is found whatever its name; one in no order by its name alone", () => {
    expect(
      featureOf(
        "q17",
        rows(300, (i) => 5 + 3 * i),
      ).feature?.immutable,
    ).toBe(true);
    expect(featureOf("account_number", rows(300, scattered)).feature?.immutable).toBe(true);
  });

  test("an income that happens to be distinct is not one", () => {
    expect(featureOf("income", rows(300, scattered)).feature).toEqual({ name: "income", kind: "integer" });
  });

  test("fewer than 200 rows, or more than one in a hundred repeated, are not enough", () => {
    const rising = (count: number) => rows(count, (i) => 100_002 + i);
    expect(isIdentifier("n", rising(199), true)).toBe(false);
    expect(isIdentifier("n", rising(200), true)).toBe(true);
    expect(
      isIdentifier(
        "n",
        rows(300, (i) => (i < 4 ? 0 : i)),
        true,
      ),
    ).toBe(true);
    expect(
      isIdentifier(
        "n",
        rows(300, (i) => (i < 6 ? 0 : i)),
        true,
      ),
    ).toBe(false);
  });

  test("of a few rows one that rises and is called like an identifier is one; a flag of one row is none", () => {
    const few = (name: string, cell: (i: number) => number) => featureOf(name, rows(20, cell)).feature;
    expect(few("customer_no", (i) => 100_102 + i)).toMatchObject({ kind: "integer", immutable: true });
    expect(few("customer_no", scattered)).not.toHaveProperty("immutable");
    expect(few("customer_no", (i) => 100_102 + Math.max(1, i))).not.toHaveProperty("immutable");
    expect(few("income", (i) => 20_000 + i)).not.toHaveProperty("immutable");
    expect(isIdentifier("customer_no", [1, 2, 3, 4], true)).toBe(false);
    expect(featureOf("has_phone", [1]).feature).toEqual({ name: "has_phone", kind: "numeric" });
    expect(featureOf("phone", [4_711]).feature).toBeUndefined();
  });

  test("the schema has the last word", () => {
    const table = tableOf({ customer_no: rows(300, (i) => i), b: rows(300, (i) => i % 3) });
    const { schema } = inferSchema(table, { kinds: { customer_no: "integer" } });
    expect(schema.features[0]).toEqual({ name: "customer_no", kind: "integer" });
  });

  test("texts that name rows and dates stay inputs of a model that reads them, frozen; else they are left out", () => {
    const ids = rows(300, (i) => `C-${i}`);
    const days = rows(300, (i) => `2024-0${1 + (i % 9)}-1${i % 10}`);
    const times = rows(300, (i) => `${10 + (i % 10)}:${10 + (i % 50)}`);
    for (const [name, column] of [
      ["loan_id", ids],
      ["day", days],
      ["at", times],
      ["text", ids],
    ] as const) {
      expect(featureOf(name, column).feature).toBeUndefined();
      expect(featureOf(name, column, "all").feature).toMatchObject({ kind: "categorical", immutable: true });
      expect(featureOf(name, column, [name]).feature?.immutable).toBe(true);
    }
    expect(
      featureOf(
        "SK_ID_CURR",
        rows(300, (i) => 100_002 + i),
        ["SK_ID_CURR"],
      ).feature,
    ).toEqual({
      name: "SK_ID_CURR",
      kind: "integer",
      immutable: true,
    });
  });

  test("the row index that pandas wrote is not an input of a model that does not name it", () => {
    const index = rows(300, (i) => i);
    expect(featureOf("Unnamed: 0", index, "all").feature).toBeUndefined();
    expect(featureOf("Unnamed: 0", index, ["Unnamed: 0"]).feature?.immutable).toBe(true);
  });
});

describe("codes for missing values", () => {
  const counted = (values: readonly number[]) => {
    const counts = new Map<number, number>();
    for (const v of values) counts.set(v, (counts.get(v) ?? 0) + 1);
    return sentinelsOf(counts);
  };
  const scores = rows(60, (i) => 30 + (i % 50));

  test("−9, −8, −7 among scores, 999 among days", () => {
    expect(counted([...scores, -9, -9, -9, -8, -8, -8, -7, -7, -7])?.codes).toEqual([-9, -8, -7]);
    expect(counted([...rows(60, (i) => i % 28), 999, 999, 999])).toMatchObject({ codes: [999], high: 27 });
  });

  test("codes that are agreed on, beside a handful of counts", () => {
    const counts = rows(60, (i) => i % 5);
    expect(counted([...counts, -9, -9, -9, -8, -8, -8])).toMatchObject({ codes: [-9, -8], high: 4 });
    expect(counted([...counts, -2, -2, -2, -1, -1, -1])).toBeUndefined();
    expect(counted([...counts, -9, -9, -9])).toBeUndefined();
  });

  test.each([
    ["negative numbers that are values", [...scores, -9, -9, -9, -12, -12, -12]],
    ["an outlier", [...scores, -9]],
    ["a scale from −2 to 2", rows(60, (i) => (i % 5) - 2)],
    ["99 at the end of a range", rows(60, (i) => 40 + i)],
    ["two 99 of percents", [...rows(60, (i) => i % 98), 99, 99, 99]],
    ["incomes up to 99999", [...rows(60, (i) => 20_000 + 1000 * i), 99_999, 99_999, 99_999]],
  ])("%s: none", (_, values) => {
    expect(counted(values)).toBeUndefined();
  });

  test("of one column count in others that have them in the same rows, however few values those have", () => {
    const coded = (i: number) => i % 3 === 0;
    const told = (other: (i: number) => Cell) => {
      const table = tableOf({
        risk: rows(90, (i) => (coded(i) ? -9 : 30 + (i % 50))),
        other: rows(90, other),
      });
      const { schema, notes } = inferSchema(table);
      return { ...schema.features[1]!, told: notes.some((note) => String(note).startsWith("other has -9")) };
    };
    const delays = told((i) => (coded(i) ? -9 : i % 4));
    expect(delays).toMatchObject({ missing: [-9], min: 0, told: true });
    // One row in thirty differs; a gap may stand there, too.
    expect(told((i) => (coded(i) && i > 2 ? -9 : i % 4)).missing).toEqual([-9]);
    expect(told((i) => (coded(i) ? (i > 2 ? -9 : null) : i % 4)).missing).toEqual([-9]);
    // −8 beside it is agreed on as well, −1 is a value; what lies beyond −9 makes it one of many.
    expect(told((i) => (coded(i) ? -9 : i % 8 === 1 ? -8 : i % 2)).missing).toEqual([-9, -8]);
    expect(told((i) => (coded(i) ? -9 : (i % 4) - 1))).toMatchObject({ missing: [-9], min: -1 });
    expect(told((i) => (coded(i) ? -9 : 10 * (i % 4) - 20)).missing).toBeUndefined();
    // As often, but in other rows; in the same, but too few of them.
    expect(told((i) => (coded(i + 1) ? -9 : i % 4)).missing).toBeUndefined();
    expect(told((i) => (i % 6 === 0 ? -9 : i % 4)).missing).toBeUndefined();
  });

  test("are named, kept for the model, and no edit leads to or from them", () => {
    const column = [...scores, -9, -9, -9];
    const table = tableOf({ risk: column, b: rows(column.length, (i) => i % 5) });
    const { schema, notes } = inferSchema(table);
    expect(schema.features[0]).toEqual({ name: "risk", kind: "integer", missing: [-9], min: 0 });
    expect(notes.join()).toMatch(/risk has -9 in 3 rows beside values from 30 to 79.*"missing"/);
    expect(tableToMatrix(schema, table).data.at(-2)).toBe(-9);
    const { allows, snap, nearest, domain, violations } = compileConstraints(schema);
    expect([allows(0, -9, 40), allows(0, 40, -9), allows(0, -9, -9), allows(0, 40, 41)]).toEqual([
      false,
      false,
      true,
      true,
    ]);
    expect([snap(0, -9, 40), snap(0, 50, -9), nearest(0, -9)]).toEqual([40, -9, -9]);
    expect(domain(0, -9).values).toEqual([]);
    expect(violations(Float64Array.of(-9, 1), Float64Array.of(40, 1))).toHaveLength(1);
  });

  test("with editMissing they may be filled in; without a range values lie beside them", () => {
    const { allows, domain } = compileConstraints({
      features: [{ name: "risk", kind: "integer", missing: [-9, 999], editMissing: true }],
    });
    expect([allows(0, -9, 40), allows(0, 40, -9), allows(0, 40, -10), allows(0, 40, 1000)]).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(domain(0, 5).min).toBeGreaterThan(-9);
    expect(domain(0, 5).max).toBeLessThan(999);
  });

  test("what is not a list of numbers is refused", () => {
    for (const missing of [["-9"], [Number.NaN], -9])
      expect(() =>
        compileConstraints({ features: [{ name: "a", kind: "integer", missing: missing as number[] }] }),
      ).toThrow(expect.objectContaining({ code: "CONSTRAINT_INVALID" }));
  });
});

test("whole numbers that pandas wrote beside gaps stay whole; others keep their fractions", () => {
  const kinds = inferSchema(readCsv("a,b,c\n55.0,1.0,2.5\n,2.0,\n60.0,3.0,3.0\n61.0,1.0,4.0\n")).schema
    .features;
  expect(kinds.map((f) => f.kind)).toEqual(["integer", "numeric", "numeric"]);
});

describe("amounts as people write them", () => {
  const read = (...cells: Cell[]) => {
    const { table, notes } = plainAmounts(tableOf({ a: cells }));
    return { cells: table.columns[0], notes };
  };

  test.each<[Cell[], Cell[]]>([
    [
      ["$1,234.50", "$20", null],
      ["1234.50", "20", null],
    ],
    [
      ["1.234,50 €", "20 €"],
      ["1234.50", "20"],
    ],
    [
      ["1,234", "1,234,567"],
      ["1234", "1234567"],
    ],
    [
      ["12 000", "900"],
      ["12000", "900"],
    ],
    [
      ["12\u00a0000", "900"],
      ["12000", "900"],
    ],
    [
      ["-$5", "$6"],
      ["-5", "6"],
    ],
    [
      ["7 %", "12%"],
      ["7", "12"],
    ],
    [
      ["CHF 1'200", "CHF 50"],
      ["1200", "50"],
    ],
    [
      ["(1,200)", "350", "($20)"],
      ["-1200", "350", "-20"],
    ],
    [
      ["1.234,50-", "3,00"],
      ["-1234.50", "3.00"],
    ],
    [
      ["$1,200", "$3,400"],
      ["1200", "3400"],
    ],
    [
      ["1.200 €", "3.400 €"],
      ["1200", "3400"],
    ],
  ])("%j", (written, plain) => {
    expect(read(...written).cells).toEqual(plain);
    expect(read(...written).notes).toHaveLength(1);
  });

  test("commas before groups of three digits, and nothing from 1,000 without one, are between thousands", () => {
    expect(read("78,850", "980", "1,020", null).cells).toEqual(["78850", "980", "1020", null]);
    expect(read("1,234", "-5,678", "-7.5").cells).toEqual(["1234", "-5678", "-7.5"]);
    for (const odd of ["1020", "0,125", "12,50", "1.234,5"]) {
      const cells = ["78,850", "980", odd];
      expect(read(...cells).cells).toEqual(odd === "1.234,5" ? ["78.850", "980", "1234.5"] : cells);
    }
    // Another column has decimal commas, so this one may, too.
    const beside = tableOf({ a: ["1,234", "5,678"], rate: ["1,5", "2,25"] });
    expect(plainAmounts(beside).table).toBe(beside);
  });

  test.each<[Cell[]]>([
    [["0,125", "5,678"]],
    [["1,5", "2,5"]],
    [["1.5", "2.5"]],
    [["$1,234.50", "unknown"]],
    [["a", "b"]],
    [["(a)", "(b)"]],
    [["(1) low", "(2) high"]],
    [[1, 2]],
    [[true, "$5"]],
  ])("%j stays", (written) => {
    expect(read(...written).cells).toEqual(written);
  });
});

describe("what a column of texts or of large numbers is", () => {
  const told = (name: string, column: readonly Cell[], inputs?: "all") => {
    const table = tableOf({ other: rows(column.length, (i) => i % 7), [name]: column });
    const { schema, notes } = inferSchema(table, inputs ? { inputs } : {});
    return { feature: schema.features.find((f) => f.name === name), notes: notes.join(" ") };
  };

  test("numbers with one unit behind stay text, and it is said how they become numbers", () => {
    expect(
      told(
        "term",
        rows(40, (i) => `${12 + (i % 20)} months`),
      ).notes,
    ).toMatch(/term is read as text: its values are numbers with "months" behind, e\.g\. "12 months"/);
    expect(
      told(
        "step",
        rows(40, (i) => `${i % 20} ${i % 2 ? "low" : "high"}`),
      ).notes,
    ).toBe("");
  });

  test("what a comma is, is named both ways where it may be either, and cells that spoil amounts are named", () => {
    const us = (i: number): string => (1000 + 97 * i).toLocaleString("en-US");
    const mixed = rows(40, (i) => (i === 0 ? "1020" : us(i)));
    expect(told("income", mixed).notes).toMatch(
      /income is read as text: "1,097" is 1097 with a comma between thousands, or 1\.097 with a decimal comma/,
    );
    expect(
      told(
        "rate",
        rows(40, (i) => `${i},5`),
      ).notes,
    ).toMatch(/"0,5" has a decimal comma; read the file with/);
    const spoilt = rows(300, (i) => (i === 7 ? "n.a." : i === 9 ? "see file" : `$${us(i)}`));
    expect(told("income", spoilt).notes).toMatch(
      /left out: .*amounts as "\$1,000", but 2 of 300 are not, e\.g\. "n\.a\.", "see file"; correct them or declare them missing/,
    );
  });

  test("a text of its own in every row is left out, unless a model reads it or some cells spoil numbers", () => {
    const mails = rows(30, (i) => `p${(i * 7) % 31}@example.org`);
    expect(told("mail", mails)).toEqual({
      feature: undefined,
      notes: "mail is left out: every row has a different text; declare its kind to use it.",
    });
    expect(told("mail", mails, "all").feature?.kind).toBe("categorical");
    expect(told("mail", mails.slice(1)).feature?.kind).toBe("categorical");
    expect(told("mail", [...mails.slice(1), mails[1]!]).feature?.kind).toBe("categorical");
    const spoilt = ["unknown", ...rows(39, (i) => String(100 + ((i * 7) % 41)))];
    expect(told("income", spoilt).feature?.kind).toBe("categorical");
  });

  test("dates written as whole numbers are frozen; amounts of as many digits are not", () => {
    const day = (i: number): number => 20_210_000 + 100 * (1 + ((i * 5) % 12)) + 1 + ((i * 11) % 28);
    const frozen = (name: string, of: (i: number) => number) => told(name, rows(60, of)).feature?.immutable;
    expect(frozen("booked", day)).toBe(true);
    expect(frozen("period", (i) => 202_101 + ((i * 5) % 12))).toBe(true);
    expect(frozen("price", (i) => 190_000 + ((i * 7919) % 20_011))).toBeUndefined();
    expect(frozen("created_at", (i) => 1_600_000_000 + 86_400 * ((i * 37) % 61))).toBe(true);
    expect(frozen("createdAt", (i) => 1_600_000_000_000 + 86_400_000 * ((i * 37) % 61))).toBe(true);
    expect(frozen("turnover", (i) => 1_600_000_000 + 86_400 * ((i * 37) % 61))).toBeUndefined();
    expect(told("booked", rows(60, day)).notes).toMatch(/booked is a date or time \(2021/);
  });
});

describe("levels that a model's inputs name", () => {
  const inputs = ["income", "housing_free", "housing_own", "housing_rent", "grade_1", "grade_2"];
  const batch = (housing: string) => tableOf({ income: [35], housing: [housing], grade: [2] });

  test("a batch of one row has them all", () => {
    const { schema } = inferSchema(batch("own"), { inputs });
    expect(schema.features.map((f) => f.categories)).toEqual([
      undefined,
      ["free", "own", "rent"],
      ["1", "2"],
    ]);
  });

  test("a name that merely begins alike is not a level of numbers", () => {
    const { schema } = inferSchema(tableOf({ age: [35, 40, 51], b: [1, 5, 9] }), {
      inputs: ["age_group_old", "b"],
    });
    expect(schema.features[0]!.kind).toBe("integer");
  });

  test("one the model does not know is told by row, and no edit leads to it", () => {
    const { schema: guessed } = inferSchema(batch("owned"), { inputs });
    const { schema, unknownLevels } = withInputLevels(guessed, inputs);
    const cells = unknownCells(schema, tableToMatrix(schema, batch("owned")), unknownLevels);
    expect(cells).toEqual([{ row: 0, feature: "housing", level: "owned" }]);
    expect(String(unknownNotes(unknownLevels, cells)[0])).toMatch(
      /housing of row 0 \("owned"\) is a level the .*free, own, rent\), so the model reads it as/,
    );
    const two = [...cells, ...cells.map((cell) => ({ ...cell, row: 1 }))];
    expect(String(unknownNotes(unknownLevels, two)[0])).toMatch(
      /row 1 \("owned"\) are levels the .*, so the model reads them as none of these; correct/,
    );
    expect(schema.features[1]!.allowed).toEqual(["free", "own", "rent"]);
  });

  test("the first in the order of the texts may be the one an encoding leaves out, but not a misspelt one", () => {
    const leftOut = ["income", "housing_own", "housing_rent", "grade_1", "grade_2"];
    const told = (housing: string) => {
      const { schema } = inferSchema(batch(housing), { inputs: leftOut });
      return withInputLevels(schema, leftOut);
    };
    expect(told("free").unknownLevels).toMatchObject([{ unknown: ["free"], leftOut: true }]);
    expect(told("free").schema.features[1]!.allowed).toBeUndefined();
    expect(told("Rent").unknownLevels).toMatchObject([{ unknown: ["Rent"], leftOut: false }]);
  });

  test("a given schema gets them too", () => {
    const given = {
      features: [
        { name: "income", kind: "numeric" as const },
        { name: "housing", kind: "categorical" as const, categories: ["own", "rent"] },
      ],
    };
    expect(withInputLevels(given, inputs).schema.features[1]!.categories).toEqual(["free", "own", "rent"]);
  });
});
