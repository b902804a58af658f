import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compileConstraints } from "../../src/data/constraints.ts";
import { readDiceJson, writeDiceJson } from "../../src/generate/given/dice.ts";
import { floatText, type PyValue, readPython, writePython } from "../../src/generate/given/python-json.ts";
import type { GivenSource } from "../../src/generate/given/source.ts";
import { given } from "../../src/generate/given.ts";
import { fromRows, toRows } from "../../src/num/matrix.ts";
import type { Cell, Matrix, Schema, Table } from "../../src/types.ts";
import { alibiCem, alibiMany, alibiOne, diceOne, diceTwo } from "../support/given-files.ts";
import { givenMutants } from "../support/mutants/group-generators.ts";
import { pythonWith } from "../support/python.ts";
import { refuses } from "../support/refuses.ts";

const SCHEMA: Schema = {
  features: [
    { name: "age", kind: "integer", immutable: false },
    { name: "home", kind: "categorical", categories: ["rent", "own", "café / bar"] },
    { name: "income", kind: "numeric" },
  ],
};
const constraints = compileConstraints(SCHEMA);
const wider = compileConstraints({
  features: [...SCHEMA.features, { name: "guarantor", kind: "boolean" }, { name: "rate", kind: "numeric" }],
});
/** Granted from an income of 1,200 on. */
const model = (rows: Matrix): number[] =>
  Array.from({ length: rows.rows }, (_, i) => Number(rows.data[i * rows.cols + 2]! >= 1200));
const target = { class: 1 };

const table = (names: string[], ...rows: Cell[][]): Table => ({
  names,
  columns: names.map((_, k) => rows.map((row) => row[k]!)),
  rows: rows.length,
});
const NAMES = ["age", "home", "income"];
const x = fromRows([
  [29, 0, 1150],
  [41, 1, 980],
]);

describe("JSON as Python writes it", () => {
  const cells: fc.Arbitrary<PyValue> = fc.oneof(
    fc.double(),
    fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }),
    fc.string({ unit: "grapheme" }),
    fc.boolean(),
    fc.constant(null),
  );
  const values: fc.Arbitrary<PyValue> = fc.letrec<{ value: PyValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      cells,
      fc.array(tie("value"), { maxLength: 4 }),
      fc.array(fc.tuple(fc.string(), tie("value")), { maxLength: 4 }).map((list) => new Map(list)),
    ),
  })).value;

  test("what is written is read again", () =>
    fc.assert(
      fc.property(values, (value) => {
        expect(readPython(writePython(value), "test")).toEqual(value);
      }),
    ));

  test("floats keep their point, whole numbers have none, keys their order", () => {
    for (const text of ['{"10": 1.0, "9": 1}', "[-0.0, 1e-05, 0.0001, 1e+16, 123456.0, NaN, -Infinity]"]) {
      expect(writePython(readPython(text, "test"))).toBe(text);
    }
  });

  test("pandas writes decimals without exponents, no spaces, and escapes the slash", () => {
    const value = new Map<string, PyValue>([["a/b", [1.5, 0.00001, 3n, Number.NaN, "é"]]]);
    expect(writePython(value, "pandas")).toBe('{"a\\/b":[1.5,0.00001,3,null,"\\u00e9"]}');
  });

  const python = pythonWith("json");
  test.skipIf(!python)("numbers and texts are Python's own (skipped without Python)", () => {
    const numbers = fc.sample(fc.double({ noNaN: true, noDefaultInfinity: true }), { numRuns: 400, seed: 1 });
    const texts = fc.sample(fc.string({ unit: "grapheme" }), { numRuns: 100, seed: 1 });
    const script = "import json,sys;print(json.dumps(json.loads(sys.stdin.read())))";
    const written = writePython([...numbers, ...texts]);
    const { stdout } = spawnSync(python!, ["-c", script], { input: written, encoding: "utf8" });
    expect(stdout.trim()).toBe(written);
    expect(floatText(1e22, "json")).toBe("1e+22");
  });

  test("damage is found, with its place", () => {
    for (const text of [
      "",
      "[1,",
      '{"a" 1}',
      "[1] 2",
      '"open',
      "nul",
      "01",
      "[1 2]",
      '"\\x"',
      "[".repeat(99),
    ]) {
      expect(() => readPython(text, "file")).toThrow(/^file: the text is not valid JSON: at character \d+/);
    }
  });
});

describe("DiCE files", () => {
  /** Files come back byte for byte. */
  const backLaw = (read: typeof readDiceJson, write: typeof writeDiceJson): void => {
    for (const text of [diceOne, diceTwo]) expect(write(read(text))).toBe(text);
    const empty = diceTwo
      .replace(/"test_data": .*?, "local/, '"test_data": [], "cfs_list": [], "local')
      .replace(
        /"(data_interface|feature_names|feature_names_including_target)": (\{.*?\}|\[.*?\])/g,
        '"$1": null',
      )
      .replace(/"(model_type|desired_class)": [^,]*/g, '"$1": null');
    expect(write(read(empty))).toBe(empty);
  };

  test("are written back equal", () => backLaw(readDiceJson, writeDiceJson));
  test.each(Object.entries(givenMutants))("%s is refused", (_, { read, write }) =>
    refuses(() => backLaw(read, write)),
  );

  test("schema 2: rows, pairs and labels", async () => {
    const found = await given({ constraints: wider }, { format: "dice", file: diceTwo });
    expect(toRows(found.rows)).toEqual([
      [29, 1, 1250.5, 1, 0],
      [33, 0, 2200, 1, -6.624720117542893e-5],
      [35, 1, 0.0001, 0, 1.2345678901234567e19],
    ]);
    expect(toRows(found.x!)[2]).toEqual([35, 2, 1e-5, 1, 1e16]);
    expect([...found.pairs!]).toEqual([0, 0, 2]);
    expect(found.report.details["labels"]).toEqual([1, 1, 1]);
    expect(found.report.status).toEqual(["ok", "infeasible", "ok"]);
    expect(found.report.reasons[1]).toBe("the source has no counterfactual for it");
  });

  test("schema 1, asked again: who is at the target", async () => {
    const found = await given(
      { constraints, model, target },
      { format: "dice", file: readDiceJson(diceOne) },
    );
    expect(toRows(found.rows)).toEqual([
      [29, 1, 1300],
      [33, 1, 0.00001],
    ]);
    expect([...found.pairs!]).toEqual([0, 0]);
    expect(found.report.details).toMatchObject({ atTarget: 1, notAtTarget: [1] });
    expect(found.report.status).toEqual(["ok", "infeasible"]);
    expect(found.report.evaluations).toBe(2);
  });

  test("factual rows are found among those of the task, whatever their order", async () => {
    const own = fromRows([
      [41, 0, Number.NaN],
      [99, 0, 1],
      [29, 2, 1250.5],
    ]);
    const found = await given({ constraints, x: own }, { format: "dice", file: diceOne });
    expect([...found.pairs!]).toEqual([2, 2]);
    expect(found.report.status).toEqual(["infeasible", "infeasible", "ok"]);
  });

  test("factual rows that DiCE wrote as float32 are found, the exact ones before them", async () => {
    const own = fromRows([
      [29, 2, 1250.1],
      [29, 2, Math.fround(1250.1)],
      [41, 0, Number.NaN],
    ]);
    const file = (income: number) => diceOne.replace("1250.5", String(income));
    const rounded = await given({ constraints, x: own }, { format: "dice", file: file(Math.fround(1250.1)) });
    expect([...rounded.pairs!]).toEqual([1, 1]);
    const alone = await given(
      {
        constraints,
        x: fromRows([
          [41, 0, Number.NaN],
          [29, 2, 1250.1],
        ]),
      },
      { format: "dice", file: file(Math.fround(1250.1)) },
    );
    expect([...alone.pairs!]).toEqual([1, 1]);
    await expect(
      given({ constraints, x: own }, { format: "dice", file: file(1250.11) }),
    ).rejects.toMatchObject({
      code: "PAIRS_INVALID",
    });
  });
});

describe("Alibi explanations", () => {
  const alibi = (explanations: string | string[], more: object = {}) =>
    given({ constraints, x, ...more }, { format: "alibi", explanations });

  test("one file for many rows", async () => {
    const found = await given({ constraints }, { format: "alibi", explanations: alibiMany });
    expect(toRows(found.rows)).toEqual([
      [29, 1, 1300],
      [41, 1, 1500.25],
    ]);
    expect(toRows(found.x!)[0]).toEqual([29, 0, 1250.5]);
    expect([...found.pairs!]).toEqual([0, 1]);
  });

  test("one file per row, some without", async () => {
    const found = await alibi([alibiOne(null), alibiOne([41, 1, 1500])], { model, target });
    expect([...found.factuals!]).toEqual([0, 1]);
    expect(toRows(found.rows)).toEqual([[41, 1, 1500]]);
    expect([...found.pairs!]).toEqual([1]);
    expect(found.report.status).toEqual(["infeasible", "ok"]);
  });

  test("a contrastive explanation", async () => {
    const found = await given({ constraints }, { format: "alibi", explanations: alibiCem });
    expect(toRows(found.rows)).toEqual([[29, 1, 1400.5]]);
    expect(toRows(found.x!)).toEqual([[29, 0, 1250.5]]);
  });

  test("encoded columns, named and unscaled", async () => {
    const columns = ["home_rent", "home_own", "home_café / bar", "age", "income"];
    const found = await given(
      { constraints, x: fromRows([[29, 0, 1150]]) },
      {
        format: "alibi",
        explanations: alibiOne([0.2, 0.7, 0.1, -0.5, 0.25]),
        columns,
        scaling: { age: { mean: 40, sd: 10 }, income: { min: 1000, max: 2000 } },
      },
    );
    expect(toRows(found.rows)).toEqual([[35, 1, 1250]]);
  });
});

describe("tables", () => {
  const task = { constraints, x, model, target };
  const good: [Cell, Cell, Cell][] = [
    [30, "own", 1300],
    [41, "rent", 1600.5],
  ];

  test("a pool nobody has paired, in any order of columns", async () => {
    const counterfactuals = table(
      ["income", "age", "home"],
      [1300, 30, "own"],
      [900, 41, "rent"],
      [1250, 50, "own"],
    );
    const found = await given(task, { format: "table", counterfactuals });
    expect(found.pairs).toBeUndefined();
    expect(toRows(found.rows)[0]).toEqual([30, 1, 1300]);
    expect(found.report.status).toEqual(["ok", "ok"]);
    expect(found.report.details).toMatchObject({ atTarget: 2, notAtTarget: [1] });
  });

  test("aligned, by a column, by numbers; with the outcome and columns to ignore", async () => {
    const names = [...NAMES, "granted", "of", "note"];
    const counterfactuals = table(names, [...good[0]!, 1, 1, "a"], [...good[1]!, 1, 0, "b"]);
    const common = { format: "table" as const, counterfactuals, outcome: "granted", ignore: ["note"] };
    const ways: [GivenSource, number[]][] = [
      [{ ...common, pairs: "aligned", ignore: ["note", "of"] }, [0, 1]],
      [{ ...common, pairs: { column: "of" } }, [1, 0]],
      [{ ...common, pairs: [1, 1], ignore: ["note", "of"] }, [1, 1]],
    ];
    for (const [source, pairs] of ways) {
      const found = await given(task, source);
      expect([...found.pairs!]).toEqual(pairs);
      expect(found.report.details["labels"]).toEqual([1, 1]);
    }
  });

  test("the two frames of xai-cola: factual rows come along", async () => {
    const frames = {
      factuals: table([...NAMES, "Risk"], [29, "rent", 1150, 1], [41, "own", 980, 1]),
      counterfactuals: table([...NAMES, "Risk"], [...good[0]!, 0], [...good[1]!, 0]),
    };
    const found = await given(
      { constraints },
      { format: "table", ...frames, outcome: "Risk", pairs: "aligned" },
    );
    expect(toRows(found.x!)).toEqual(toRows(x));
    expect(found.report.status).toEqual(["ok", "ok"]);
  });

  test("CARLA's frame: encoded, scaled, a row of gaps where nothing was found", async () => {
    const names = ["age", "income", "home_own", "home_rent", "home_café / bar"];
    const counterfactuals = table(names, [0.25, 0.3, 1, 0, 0], [Number.NaN, Number.NaN, null, null, null]);
    const scaling = { age: { min: 20, max: 61 }, income: { min: 0, max: 5000 } };
    const found = await given(task, { format: "carla", counterfactuals, scaling });
    expect(toRows(found.rows)).toEqual([[30, 1, 1500]]);
    expect([...found.pairs!]).toEqual([0]);
    expect(found.report.status).toEqual(["ok", "infeasible"]);
    const binary = compileConstraints({
      features: [{ name: "sex", kind: "categorical", categories: ["Female", "Male"] }],
    });
    const one = table(["sex_Male"], [1], [0], [0.4]);
    const read = await given({ constraints: binary }, { format: "carla", counterfactuals: one });
    expect(toRows(read.rows)).toEqual([[1], [0], [0]]);
  });

  test("a row that breaks a constraint is returned and reported", async () => {
    const bound = compileConstraints({
      features: [{ ...SCHEMA.features[0]!, direction: "up" }, ...SCHEMA.features.slice(1)],
    });
    const counterfactuals = table(NAMES, [20, "own", 1300], good[1]!);
    const source: GivenSource = { format: "table", counterfactuals, pairs: "aligned" };
    const found = await given({ ...task, constraints: bound }, source);
    expect(found.rows.rows).toBe(2);
    expect(found.report.status).toEqual(["infeasible", "ok"]);
    expect(found.report.reasons[0]).toContain("age may not go from 29 to 20");
    expect(found.report.details["illegal"]).toMatchObject([{ row: 0 }]);
  });

  test("a limit that runs out: nobody knows who is at the target", async () => {
    const counterfactuals = table(NAMES, good[0]!, good[1]!);
    const source: GivenSource = { format: "table", counterfactuals, pairs: "aligned" };
    const found = await given(task, source, { limits: { modelRows: 1 } });
    expect(found.report.status).toEqual(["budget", "budget"]);
    const controller = new AbortController();
    controller.abort();
    await expect(given(task, source, { signal: controller.signal })).rejects.toMatchObject({
      code: "ABORTED",
    });
  });
});

describe("bad files say what is wrong and how to mend it", () => {
  const refused = async (
    source: GivenSource,
    code: string,
    says: RegExp,
    task: object = {},
  ): Promise<void> => {
    const error = await given({ constraints, x, ...task }, source).then(
      () => undefined,
      (e: Error) => e,
    );
    expect(error).toMatchObject({ code });
    expect(error!.message).toMatch(says);
  };
  const dice = (change: (text: string) => string): GivenSource => ({ format: "dice", file: change(diceTwo) });
  const asTable = (t: Table, more: object = {}): GivenSource => ({
    format: "table",
    counterfactuals: t,
    ...more,
  });
  const ok: Cell[] = [30, "own", 1300];

  test("missing target", async () => {
    const outcome = { outcome: "granted" };
    await refused(
      asTable(table(NAMES, ok), outcome),
      "SCHEMA_INVALID",
      /target column "granted" is missing.*Add it/,
    );
    await refused(
      dice((t) => t.replace('"outcome_name": "granted"', '"outcome_name": "approved"')),
      "TABLE_INVALID",
      /target column "approved" of the file is missing among age, home.*write the file again/,
    );
    const one: GivenSource = { format: "dice", file: diceOne.replaceAll('granted\\\\\\"', 'other\\\\\\"') };
    await refused(
      one,
      "TABLE_INVALID",
      /target column "granted" of example 0 is missing.*write the file again/,
    );
  });

  test("other columns", async () => {
    await refused(
      asTable(table([...NAMES, "zip"], [...ok, 1])),
      "SCHEMA_INVALID",
      /columns zip are not features.*ignore/,
    );
    await refused(
      asTable(table(["age", "home"], [30, "own"])),
      "SCHEMA_INVALID",
      /"income" of the schema has no column/,
    );
    await refused({ format: "dice", file: diceTwo }, "SCHEMA_INVALID", /guarantor, rate are not features/);
    const alibi: GivenSource = { format: "alibi", explanations: alibiOne([1, 2]) };
    await refused(alibi, "INPUT_SHAPE", /2 cells for the columns age, home, income; name the columns/);
  });

  test("other order", async () => {
    await refused(
      dice((t) => t.replace('"feature_names": ["age", "home"', '"feature_names": ["home", "age"')),
      "TABLE_INVALID",
      /"feature_names" and "feature_names_including_target".*another order/,
    );
    const fixed = compileConstraints({
      features: [{ ...SCHEMA.features[0]!, immutable: true }, ...SCHEMA.features.slice(1)],
    });
    const turned = table(NAMES, [41, "own", 1300], [29, "rent", 1300]);
    await refused(
      asTable(turned, { pairs: "aligned" }),
      "PAIRS_INVALID",
      /age may never change.*order of x/,
      {
        constraints: fixed,
      },
    );
  });

  test("unknown categories", async () => {
    const castle = table(NAMES, [30, "castle", 1300]);
    await refused(asTable(castle), "VALUE_INVALID", /row 0 of home is "castle".*rent, own.*add the level/);
    await refused(
      { format: "dice", file: diceOne.replace("own", "castle") },
      "VALUE_INVALID",
      /^dice: row 0 of home is "castle"/,
      { x: undefined },
    );
    const alibi: GivenSource = { format: "alibi", explanations: [alibiOne([41, 7, 1]), alibiOne(null)] };
    await refused(alibi, "VALUE_INVALID", /^alibi: row 0 of home is 7/);
  });

  test("NaN", async () => {
    const gap = table(NAMES, [30, "own", Number.NaN]);
    await refused(asTable(gap), "VALUE_INVALID", /income of counterfactual 0 is missing.*fill the cell in/);
    const file = dice((t) => t.replace("2200.0", "NaN"));
    await refused(file, "VALUE_INVALID", /income of counterfactual 1 is missing/, {
      constraints: wider,
      x: undefined,
    });
    await refused(asTable(table(NAMES, [30, "own", "Infinity"])), "VALUE_INVALID", /finite/);
    const open = compileConstraints({
      features: [...SCHEMA.features.slice(0, 2), { ...SCHEMA.features[2]!, editMissing: true }],
    });
    const read = await given({ constraints: open, x }, asTable(gap));
    expect(toRows(read.rows)[0]![2]).toBeNaN();
  });

  test("wrong m", async () => {
    const three = table(NAMES, ok, ok, ok);
    await refused(
      asTable(three, { pairs: "aligned" }),
      "PAIRS_INVALID",
      /those of 3 rows, but x has 2.*same order/,
    );
    await refused(asTable(three, { pairs: [0, 1] }), "PAIRS_INVALID", /2 pairs for 3 counterfactuals/);
    await refused(
      asTable(three, { pairs: [0, 1, 5] }),
      "PAIRS_INVALID",
      /counterfactual 2 .* row 5, but there are 2/,
    );
    await refused(asTable(three, { pairs: [0, 1, -1] }), "PAIRS_INVALID", /whole numbers counted from 0/);
    await refused(
      dice((t) => t.replace(", null, [[35", ", [[35")),
      "TABLE_INVALID",
      /3 instances .* of 2/,
    );
    await refused(
      dice((t) => t.replace("1250.5, true, 0.0, 1]", "1250.5, 1]")),
      "TABLE_INVALID",
      /4 cells for the 6/,
    );
    const alibi: GivenSource = { format: "alibi", explanations: [alibiOne([41, 1, 1])] };
    await refused(alibi, "PAIRS_INVALID", /those of 1 rows, but x has 2/);
    await refused(
      { format: "dice", file: diceOne },
      "PAIRS_INVALID",
      /factual row 0 of the source is not among/,
    );
  });

  test("files that are something else", async () => {
    const file = (text: string): GivenSource => ({ format: "dice", file: text });
    await refused(file("{}"), "TABLE_INVALID", /no "metadata".*to_json/);
    await refused(
      file('{"metadata": {"version": "3.0"}}'),
      "TABLE_INVALID",
      /version is "3.0"; only the schemas/,
    );
    await refused(file("not json"), "TABLE_INVALID", /not valid JSON: at character 0/);
    await refused(file(diceTwo.slice(0, 200)), "TABLE_INVALID", /not valid JSON/);
    const alibi = (text: string): GivenSource => ({ format: "alibi", explanations: text });
    await refused(alibi('{"meta": {}}'), "TABLE_INVALID", /no "data"/);
    await refused(
      alibi('{"meta": {"name": "AnchorTabular"}, "data": {"anchor": []}}'),
      "TABLE_INVALID",
      /neither "cf"/,
    );
    await refused(
      { format: "excel" } as unknown as GivenSource,
      "NAME_UNKNOWN",
      /there are table, carla, dice, alibi/,
    );
  });
});
