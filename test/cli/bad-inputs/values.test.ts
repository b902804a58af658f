import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { readTable, writeTable } from "../../../formats/index.ts";
import { inferSchema } from "../../../src/data/infer.ts";
import { tableToMatrix } from "../../../src/data/schema.ts";
import type { Explanation } from "../../../src/explanation.ts";
import { fromRows } from "../../../src/num/matrix.ts";
import type { Cell, Table } from "../../../src/types.ts";
import {
  answered,
  badInputs,
  call,
  cells,
  csv,
  type Expected,
  explain,
  explainFile,
  file,
  json,
  labelOf,
  queried,
  type Row,
  refine,
  refused,
  told,
  trained,
} from "../../support/bad-inputs.ts";
import { LIST } from "./list.ts";

/** The good table with a column c made from the row's number. */
const withColumn = (of: (i: number) => unknown): string =>
  csv(["a", "b", "c", "y"], ...cells.map(([a, b], i) => [a, b, of(i), labelOf(a, b)]));
const feature = ({ schema }: Explanation, name = "c") => schema.features.find((f) => f.name === name);
const kindIs = (kind: string | undefined): Expected =>
  answered(0, (e) => expect(feature(e)?.kind).toBe(kind));
const leftOut = (why: RegExp): Expected =>
  answered(0, (e, _, err) => {
    expect(feature(e)).toBeUndefined();
    expect(err).toMatch(why);
  });
const noted = (kind: string, note: RegExp): Expected =>
  answered(0, (e, _, err) => {
    expect(feature(e)?.kind).toBe(kind);
    expect(err).toMatch(note);
  });

/** An XGBoost file that reads a, b and c as numbers: the class is 1 where a is at least 20. */
const numbersModel = (): string =>
  json({
    learner: {
      feature_names: ["a", "b", "c"],
      feature_types: ["int", "int", "float"],
      gradient_booster: {
        name: "gbtree",
        model: {
          gbtree_model_param: { num_parallel_tree: "1", num_trees: "1" },
          tree_info: [0],
          trees: [
            {
              left_children: [1, -1, -1],
              right_children: [2, -1, -1],
              split_indices: [0, 0, 0],
              split_conditions: [20, -1, 1],
              default_left: [0, 0, 0],
            },
          ],
        },
      },
      learner_model_param: { base_score: "5E-1", num_class: "0", num_feature: "3", num_target: "1" },
      objective: { name: "binary:logistic" },
    },
    version: [1, 7, 4],
  });

/** What the cells of one column are read as. */
const read = (name: string, content: string | Uint8Array) =>
  call(async () => {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    return (await readTable(name, bytes)).columns[0];
  });
const cellsAre = (...wanted: Cell[]): Expected => told((column: Cell[]) => expect(column).toEqual(wanted));
const column = (...values: Cell[]): Table => ({ names: ["c"], columns: [values], rows: values.length });
/** A column through inference and encoding. */
const coded = (...values: Cell[]) =>
  call(() => {
    const { schema, notes } = inferSchema(column(...values));
    return { schema, notes, codes: [...tableToMatrix(schema, column(...values)).data] };
  });

// biome-ignore format: one bad input per line, where it fits
const ROWS: readonly Row[] = [
  ["2.1", "in CSV it is a gap", () => explain(withColumn((i) => (i === 20 ? "NaN" : i % 5))), kindIs("integer")],
  ["2.1", "in Parquet it is a gap", () => read("t.parquet", writeTable(column(1, Number.NaN), "parquet")), cellsAre(1, null)],
  ["2.1", "in JSON it is none", () => explainFile(file('{"a":NaN}\n', "t.jsonl")), refused("TABLE_INVALID", "line 1 is not JSON")],
  ["2.2", "in CSV it is a gap", () => explain(withColumn((i) => (i === 20 ? "null" : i % 5))), kindIs("integer")],
  ["2.2", "in JSON it is a gap", () => read("t.jsonl", '{"c":1}\n{"c":null}\n{}\n'), cellsAre(1, null, null)],
  ["2.2", "in the label", () => explain("a,y\n1,yes\n2,\n3,no\n"), refused("VALUE_INVALID", "row 1 has no value of y")],
  ...["inf", "-Infinity", "+Inf", "∞"].map(
    (text): Row => [
      "2.3",
      `${text} in CSV`,
      () => explain(withColumn((i) => (i === 7 ? text : i))),
      refused("VALUE_INVALID", `row 7 of c is "${text}", not a finite number`),
    ],
  ),
  ["2.3", "in Parquet", () => coded(1, Number.POSITIVE_INFINITY), refused("VALUE_INVALID", "row 1 of c")],
  [
    "2.3",
    "in a matrix",
    () =>
      call(() =>
        import("../../../src/couple/transport.ts").then(({ transport }) =>
          transport({
            n: 1,
            m: 1,
            row: (_, out) => out.fill(Number.POSITIVE_INFINITY),
            dense: () => fromRows([[Number.POSITIVE_INFINITY]]),
          }),
        ),
      ),
    refused("COST_INVALID", "Infinity"),
  ],
  ["2.4", "is 0", () => coded("-0", "0", "1", "2"), told(({ schema, codes }: never) => { expect(schema).toMatchObject({ features: [{ kind: "integer" }] }); expect(codes).toEqual([0, 0, 1, 2]); })],
  [
    "2.4",
    "to 0 is not an edit",
    async () => refine(file("a,b,c\n1,2,-0\n"), file("a,b,c\n39,10,0\n"), await trained(withColumn((i) => i % 3))),
    answered(0, ({ rows }) => {
      expect(rows[0]!.proposal.map((edit) => edit.feature)).not.toContain("c");
      expect(rows[0]!.edits.length).toBeGreaterThan(0);
    }),
  ],
  [
    "2.5",
    "keep their bits",
    () => explain(withColumn((i) => (i + 1) * 5e-324)),
    answered(0, (e, out) => {
      expect(feature(e)?.kind).toBe("numeric");
      expect(e.rows[0]!.x[2]).toBe(5e-324);
      expect(readFileSync(join(out, "x.csv"), "utf8")).toContain("5e-324");
    }),
  ],
  ...["logistic", "tree"].flatMap((model): Row[] =>
    [(i: number) => (i === 7 ? "1e308" : i), (i: number) => (i % 2 ? "1e308" : "-1e308")].map((of, k) => [
      "2.6",
      `${k ? "both signs" : "one in a column"}, ${model}`,
      () => explain(withColumn(of), "--model", model),
      refused("VALUE_INVALID", /numbers of c are too large .*larger unit/),
    ]),
  ),
  ["2.6", "declared missing", () => explain(withColumn((i) => (i === 7 ? "1e308" : i)), "--missing", "1e308"), kindIs("integer")],
  ["2.6", "1e150 is a number", () => explain(withColumn((i) => `${i}e150`)), kindIs("numeric")],
  ["2.6", "beyond it", () => explain(withColumn((i) => (i === 7 ? "1e309" : i))), refused("VALUE_INVALID", 'row 7 of c is "1e309", not a finite number')],
  ["2.7", "is a code, not a quantity", () => explain(withColumn((i) => `90071992547409${10 + i}`)), leftOut(/c is left out: .*identifier or code/)],
  ["2.7", "as an id it keeps its digits", () => explain(withColumn((i) => `90071992547409${10 + i}`), "--id", "c"), answered(0, ({ rows }) => expect(rows[0]!.id).toBe("9007199254740910"))],
  ["2.7", "a fraction of as many digits is a number", () => explain(withColumn((i) => `0.${i + 1}0000000000000004`)), kindIs("numeric")],
  [
    "2.8",
    "in JSON",
    () =>
      read(
        "t.jsonl",
        '{"c":9007199254740993}\n{"c":-12345678901234567890}\n{"c":1234567890123456}\n{"c":0.1234567890123456}\n{"c":"9007199254740993"}\n',
      ),
    cellsAre(
      "9007199254740993",
      "-12345678901234567890",
      1234567890123456,
      0.1234567890123456,
      "9007199254740993",
    ),
  ],
  [
    "2.8",
    "in SQL",
    () => queried("select (9007199254740993 + range)::bigint as c, range as a, range > 9 as y from range(20)"),
    leftOut(/c is left out/),
  ],
  [
    "2.8",
    "as an integer label",
    () => queried("select range::hugeint as a, (range > 9)::bigint as y from range(20)"),
    answered(0, (e) => expect(e.outputs).toEqual(["0", "1"])),
  ],
  ["2.9", "in quotes", () => explain(withColumn((i) => `"${i}.5"`)), kindIs("numeric")],
  ["2.9", "in JSON", () => coded("1.5", "2.25", "3.5"), told(({ codes }: never) => expect(codes).toEqual([1.5, 2.25, 3.5]))],
  [
    "2.9",
    "DECIMAL in SQL",
    () => queried("select (range / 8)::decimal(10,3) as c, range > 9 as y from range(20)"),
    kindIs("numeric"),
  ],
  ["2.10", "without the option", () => explain(withColumn((i) => `"${i},5"`)), noted("categorical", /c is read as text: .*decimal comma.*--decimal-comma/)],
  ["2.10", "without it, to a model file", () => explainFile(file(withColumn((i) => `"${i},5"`)), "--model", numbersModel(), "--id", "y"), refused("VALUE_INVALID", /c is a number to the model.*--decimal-comma.*"0,5" in row 0/)],
  ["2.10", "with points between thousands", () => explain(withColumn((i) => `"${i + 1}.500,5"`), "--decimal-comma"), answered(0, (e) => { expect(feature(e)?.kind).toBe("numeric"); expect(e.rows[0]!.x[2]).toBe(1500.5); })],
  ["2.10", "with the option", () => explain(withColumn((i) => `"${i},5"`), "--decimal-comma"), answered(0, (e) => { expect(feature(e)?.kind).toBe("numeric"); expect(e.rows[0]!.x[2]).toBe(0.5); })],
  [
    "2.10",
    "behind semicolons",
    () =>
      explain(
        `a;b;y\n${cells.map(([a, b]) => `${a},5;${b};${labelOf(a, b)}`).join("\n")}\n`,
        "--decimal-comma",
      ),
    answered(0, (e) => expect(feature(e, "a")?.kind).toBe("numeric")),
  ],
  ["2.11", "as an id it stays text", () => explain(withColumn((i) => `${i}e5`), "--id", "c"), answered(0, ({ rows }) => expect(rows[0]!.id).toBe("0e5"))],
  [
    "2.11",
    "under an id's name",
    () => explain(withColumn((i) => `${i}e5`).replace("a,b,c", "a,b,user_id")),
    answered(0, (e, _, err) => {
      expect(feature(e, "user_id")).toBeUndefined();
      expect(err).toMatch(/user_id is left out/);
    }),
  ],
  ["2.11", "with leading zeros", () => explain(withColumn((i) => `00${100 + i}`)), leftOut(/c is left out: .*code/)],
  ["2.12", "ISO", () => explain(withColumn((i) => `2020-01-${10 + (i % 20)}`)), leftOut(/c is left out: .*date/)],
  ["2.12", "with dots", () => explain(withColumn((i) => `${10 + (i % 20)}.01.2020`)), leftOut(/c is left out: .*date/)],
  [
    "2.12",
    "in SQL",
    () => queried("select date '2020-01-01' + range::int as c, range as a, range > 9 as y from range(20)"),
    leftOut(/c is left out: .*date/),
  ],
  ...["true,false", "TRUE,False", "yes,no", "1,0"].map(
    (pair): Row => [
      "2.13",
      pair,
      () => explain(withColumn((i) => pair.split(",")[i % 2])),
      kindIs("boolean"),
    ],
  ),
  ["2.13", "three ways", () => explain(withColumn((i) => ["true", "false", "unknown"][i % 3])), kindIs("categorical")],
  ["2.14", "a text among numbers", () => explain(withColumn((i) => (i === 7 ? "abc" : i))), noted("categorical", /c is read as text: 1 of its 40 values is not a number, e\.g\. "abc"/)],
  ["2.14", "to a model file that reads a number", () => explainFile(file(withColumn((i) => (i === 7 ? "abc" : i))), "--model", numbersModel(), "--id", "y"), refused("VALUE_INVALID", /c is a number to the model, but "abc" is not a number.*--missing.*"abc" in row 7/)],
  ["2.14", "the same, declared missing", () => explainFile(file(withColumn((i) => (i === 7 ? "abc" : i))), "--model", numbersModel(), "--id", "y", "--missing", "abc"), answered(0)],
  ["2.14", "more than 200 of them, to a model file", () => explainFile(file(csv(["a", "b", "c"], ...Array.from({ length: 300 }, (_, i) => [i, i % 7, i === 7 ? "abc" : i]))), "--model", numbersModel()), refused("SCHEMA_INVALID", /input c is not in the table[\s\S]*c is left out: .*"abc"/)],
  ["2.14", "declared missing", () => explain(withColumn((i) => (i === 7 ? "abc" : i)), "--missing", "abc"), kindIs("integer")],
  [
    "2.14",
    "against the schema",
    () =>
      explain(
        withColumn((i) => (i === 7 ? "abc" : i)),
        "--schema",
        file('{"features":[{"name":"a","kind":"integer"},{"name":"c","kind":"integer"}]}', "s.json"),
      ),
    refused("VALUE_INVALID", 'row 7 of c is "abc", not a whole number'),
  ],
  ["2.14", "in JSON", () => explainFile(file('{"a":1,"y":"x"}\n{"a":[1],"y":"z"}\n', "t.jsonl"), "--label", "y"), refused("TABLE_INVALID", '"a" holds nested')],
  [
    "2.15",
    "is never edited",
    () => explain(withColumn(() => 3)),
    answered(0, (e) => {
      expect(feature(e)?.kind).toBe("integer");
      expect(e.rows.flatMap((row) => row.edits.map((edit) => edit.feature))).not.toContain("c");
    }),
  ],
  ["2.15", "of text", () => explain(withColumn(() => "x")), kindIs("categorical")],
  ["2.15", "the label", () => explain("a,y\n1,yes\n2,yes\n"), refused("VALUE_INVALID", "one value alone")],
  ["2.16", "is left out", () => explain(withColumn(() => "")), leftOut(/c is left out: it has no value at all/)],
  [
    "2.16",
    "named by a schema",
    () =>
      explain(
        withColumn(() => ""),
        "--schema",
        file('{"features":[{"name":"a","kind":"integer"},{"name":"c","kind":"integer"}]}', "s.json"),
      ),
    answered(0, (e) => expect(e.rows[0]!.x).toEqual([0, null])),
  ],
  ["2.17", "blanks alone are a gap in JSON", () => read("t.jsonl", '{"c":1}\n{"c":" "}\n{"c":""}\n{"c":"NA"}\n'), cellsAre(1, null, null, null)],
  ["2.17", "texts to a model file that reads a number", () => explainFile(file(withColumn((i) => ["red", "blue"][i % 2])), "--model", numbersModel(), "--id", "y"), refused("SCHEMA_INVALID", /c is text \(blue, red\).*codes.*--encoding.*--schema/)],
  ["2.17", "the same, listed in a schema", () => explainFile(file(withColumn((i) => ["red", "blue"][i % 2])), "--model", numbersModel(), "--schema", json({ features: [{ name: "a", kind: "integer" }, { name: "b", kind: "integer" }, { name: "c", kind: "categorical", categories: ["red", "blue"] }] })), answered(0)],
  ["2.17", "blanks around are not part of a level", () => explain(withColumn((i) => ["red", " red", "blue ", "blue"][i % 4])), answered(0, (e) => expect(feature(e)?.categories).toEqual(["blue", "red"]))],
  [
    "2.17",
    "blanks alone are a gap",
    () => explain(withColumn((i) => ["red", "blue", "   "][i % 3])),
    answered(0, (e) => {
      expect(feature(e)?.categories).toEqual(["blue", "red"]);
      expect(e.rows.flatMap((row) => row.x[2])).toEqual(["red", "blue"]);
    }),
  ],
  [
    "2.18",
    "is refused with the levels there are",
async () => explainFile(file("a,b,c\n1,2,green\n"), "--model", await trained(withColumn((i) => ["red", "blue"][i % 2]))),
    refused("VALUE_INVALID", /row 0 of c is "green".*not one of its levels blue, red.*add the level/),
  ],
  [
    "2.19",
    "in case",
    () =>
      explain(
        withColumn((i) => i % 3)
          .replaceAll("yes\n", "Yes\n")
          .replace("Yes\n", "yes\n"),
      ),
    answered(1, (e, _, err) => {
      expect(e.outputs).toEqual(["Yes", "no", "yes"]);
      expect(err).toMatch(/"Yes" and "yes" are two classes/);
    }),
  ],
  ["2.19", "in blanks around", () => explain(withColumn((i) => i % 3).replace("yes\n", "yes \n")), answered(0, (e) => expect(e.outputs).toEqual(["no", "yes"]))],
  [
    "2.19",
    "levels of a feature",
    () => explain(withColumn((i) => ["part time", "Part-Time", "full"][i % 3])),
    noted(
      "categorical",
      /c has levels that are nearly the same: "part time" and "Part-Time"|"Part-Time" and "part time"/,
    ),
  ],
];

badInputs("2 values", LIST.values, ROWS);
