import { readdirSync, readFileSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { readTable, writeTable } from "../../../formats/index.ts";
import type { Explanation } from "../../../src/explanation.ts";
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
  good,
  labelOf,
  type Row,
  refused,
  trained,
} from "../../support/bad-inputs.ts";
import { cola } from "../../support/cli.ts";
import { LIST } from "./list.ts";

const utf16 = (text: string, swap = false): Uint8Array => {
  const buffer = Buffer.from(text, "utf16le");
  return new Uint8Array(swap ? buffer.swap16() : buffer);
};
const table = (rows: number) => ({
  names: ["a", "y"],
  columns: [
    Array.from({ length: rows }, (_, i) => i),
    Array.from({ length: rows }, (_, i) => (i > 3 ? "yes" : "no")),
  ],
  rows,
});
const names = ({ schema }: Explanation): string[] => schema.features.map((f) => f.name);
const plans = ({ rows }: Explanation): unknown => rows.map(({ id, edits }) => [id, edits]);

/** The plans of the good table, whatever it was wrapped in. */
const asGood: Expected = answered(0, async (explanation) => {
  const plain = JSON.parse((await cola(...explain(good))).out) as Explanation;
  expect(plans(plain)).not.toEqual([]);
  expect(plans(explanation)).toEqual(plans(plain));
});

/** A table whose first column is called `name`; every format that is written carries the name. */
const named = (name: string): string[] => {
  const quoted = /[",\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name;
  return [
    ...explain(good.replace("a,b", `${quoted},b`)),
    "--formats",
    `csv,tsv,jsonl,parquet,arrow,dice${name.includes("<") ? ",html,svg" : ""}`,
  ];
};
const carries = (name: string): Expected =>
  answered(0, async (explanation, out) => {
    expect(names(explanation)).toEqual([name, "b"]);
    expect(explanation.rows.every((row) => row.status === "ok")).toBe(true);
    for (const format of ["csv", "tsv", "jsonl", "parquet", "arrow"]) {
      const read = await readTable(`x.${format}`, readFileSync(join(out, `x.${format}`)));
      expect(read.names, format).toContain(name);
      expect(read.columns[read.names.indexOf(name)]!.map(Number), format).toEqual([0, 1]);
    }
    for (const written of readdirSync(out).filter((f) => /html|svg$/.test(f)))
      expect(readFileSync(join(out, written), "utf8"), written).not.toContain("<script>alert");
    expect(JSON.parse(readFileSync(join(out, "explanation.json"), "utf8"))).toEqual(explanation);
  });

const withModel = async (content: string): Promise<string[]> => [
  ...explainFile(file(content), "--model", await trained()),
];
const sparse = (size: number, name = "table.csv"): string => {
  const path = file("a,y\n", name);
  truncateSync(path, size);
  return path;
};
const wide = (columns: number): string => {
  const header = Array.from({ length: columns }, (_, k) => `c${k}`);
  return csv(
    [...header, "y"],
    ...[0, 1, 2, 3].map((i) => [...header.map((_, k) => (k === 0 ? i : 0)), i > 1 ? "yes" : "no"]),
  );
};

// biome-ignore format: one bad input per line, where it fits
const ROWS: readonly Row[] = [
  ["1.1", "CSV", () => explain(""), refused("TABLE_INVALID", "empty")],
  ["1.1", "blank lines", () => explain("\n\r\n\n"), refused("TABLE_INVALID", "empty")],
  ["1.1", "JSON lines", () => explainFile(file("", "t.jsonl")), refused("TABLE_INVALID", "empty")],
  ["1.1", "Parquet", () => explainFile(file("", "t.parquet")), refused("TABLE_INVALID", "Parquet")],
  ["1.1", "Arrow", () => explainFile(file("", "t.arrow")), refused("TABLE_INVALID", "empty")],
  ["1.2", "JSON", () => explainFile(file("[]", "t.json")), refused("TABLE_INVALID", "no row")],
  ["1.2", "Parquet", () => explainFile(file(writeTable(table(0), "parquet"), "t.parquet")), refused("TABLE_INVALID", "no row")],
  ["1.2", "Arrow", () => explainFile(file(writeTable(table(0), "arrow"), "t.arrow")), refused("TABLE_INVALID", "no row")],
  ["1.2", "SQL", () => ["explain", "--sql", "select 1 as a where false", "--json"], refused("TABLE_INVALID", "no row")],
  ["1.3", "JSON", () => explainFile(file("{}\n{}\n", "t.jsonl")), refused("TABLE_INVALID", "no column")],
  ["1.4", "to train on", () => explain("a,b,y\n1,2,yes\n"), refused("VALUE_INVALID", "one value alone")],
  ["1.4", "with a model", () => withModel("a,b\n1,2\n"), answered(1, ({ rows }) => { expect(rows).toMatchObject([{ status: "infeasible", edits: [] }]); expect(rows[0]!.reason).toMatch(/no permitted values reach the target/); })],
  ["1.5", "the label", () => explain("y\nyes\nno\n"), refused("SCHEMA_INVALID", "no column can be a feature; leave out fewer (--exclude), or give a table with others.")],
  ["1.5", "one feature", () => explain(csv(["a", "y"], ...cells.map(([a]) => [a, labelOf(a, 0)]))), answered(0, (e) => expect(names(e)).toEqual(["a"]))],
  ["1.6", "CSV", () => explain("a,b,y\n"), refused("TABLE_INVALID", "no row")],
  ["1.6", "without a line end", () => explain("a,b,y"), refused("TABLE_INVALID", "no row")],
  ["1.7", "CSV", () => explain("a,a,y\n1,2,no\n"), refused("TABLE_INVALID", 'called "a" like an earlier')],
  ["1.7", "SQL", () => ["explain", "--sql", "select 1 as a, 2 as a", "--json"], refused("TABLE_INVALID", "like an earlier")],
  ["1.8", "in the middle", () => explain("a,,y\n1,2,no\n"), refused("TABLE_INVALID", "column 2 has no name")],
  ["1.8", "blanks", () => explain("a,  ,y\n1,2,no\n"), refused("TABLE_INVALID", "column 2 has no name")],
  ["1.9", "__proto__", () => named("__proto__"), carries("__proto__")],
  ["1.9", "constructor", () => named("constructor"), carries("constructor")],
  ["1.9", "JSON", () => explainFile(file('{"__proto__":1,"y":"a"}\n{"__proto__":2,"y":"b"}\n', "t.jsonl"), "--label", "y"), answered(0, (e) => expect(names(e)).toEqual(["__proto__"]))],
  ["1.10", "bound by name", () => withModel(csv(["b", "y", "a"], ...cells.map(([a, b]) => [b, labelOf(a, b), a]))), asGood],
  [
    "1.11",
    "are not read",
    () => withModel(csv(["z", "a", "b"], ...cells.map(([a, b]) => ["q", a, b]))),
    answered(0, (e, _, err) => {
      expect(names(e)).toEqual(["a", "b"]);
      expect(err).toMatch(/z .*not read/);
    }),
  ],
  ["1.12", "of a model", () => withModel("a,c\n1,2\n"), refused("SCHEMA_INVALID", /"b".*missing.*a, c/)],
  ["1.12", "the label", () => explainFile(file(good), "--label", "z"), refused("SCHEMA_INVALID", '--label: there is no column "z"; the columns are a, b, y')],
  [
    "1.12",
    "the label, with a schema",
    () =>
      explainFile(
        file(good),
        "--label",
        "z",
        "--schema",
        file('{"features":[{"name":"a","kind":"numeric"}]}', "s.json"),
      ),
    refused("SCHEMA_INVALID", '"z"; the columns are a, b, y'),
  ],
  ["1.12", "the id", () => explain(good, "--id", "z"), refused("SCHEMA_INVALID", '--id: there is no column "z"')],
  ["1.13", "too short", () => explain("a,b,y\n1,2\n"), refused("TABLE_INVALID", "line 2 has 2 cells")],
  ["1.13", "too long", () => explain("a,b,y\n1,2,no,4\n"), refused("TABLE_INVALID", "line 2 has 4 cells")],
  [
    "1.14",
    "under another name",
    () =>
      explain(
        csv(
          ["a", "b", "y", "was"],
          ...cells.map(([a, b]) => [a, b, labelOf(a, b), labelOf(a, b) === "yes" ? "paid" : "lost"]),
        ),
      ),
    answered(0, (_, __, err) => expect(err).toMatch(/was .* y .*outcome/)),
  ],
  ["1.14", "with a model that does not read it", () => withModel(good), asGood],
  ["1.15", "without a name, as pandas writes it", () => explain(csv(["", "a", "b", "y"], ...cells.map(([a, b], i) => [i, a, b, labelOf(a, b)]))), answered(0, ({ schema }, _, err) => { expect(schema.features.map((f) => f.name)).toEqual(["a", "b"]); expect(err).toMatch(/Unnamed: 0 is left out/); })],
  ...["Unnamed: 0", "index", "row_id"].map(
    (name): Row => [
      "1.15",
      name,
      () => explain(csv([name, "a", "b", "y"], ...cells.map(([a, b], i) => [i, a, b, labelOf(a, b)]))),
      answered(0, (e, _, err) => {
        expect(names(e)).toEqual(["a", "b"]);
        expect(err).toContain(`${name} is left out`);
      }),
    ],
  ),
  ["1.16", "the default limit", () => explain(wide(10_000)), refused("SIZE_LIMIT", "10001 columns")],
  ["1.16", "the limit lowered, before any row is read", () => explain("a,b,y\n1\n", "--max-columns", "2"), refused("SIZE_LIMIT", "3 columns, more than 2")],
  ["1.16", "the limit raised, trees", () => explain(wide(10_000), "--max-columns", "20000", "--model", "tree"), answered(0, ({ rows }) => expect(rows[0]!.edits).toMatchObject([{ feature: "c0" }]))],
  ["1.16", "the limit raised, a linear model", () => explain(wide(10_000), "--max-columns", "20000"), refused("SIZE_LIMIT", /10001 weights.*forest/)],
  ["1.17", "CSV", () => explain(good, "--max-rows", "5"), refused("SIZE_LIMIT", "more than 5 rows")],
  ["1.17", "CSV, before the rows beyond", () => explain("a,y\n1,yes\n2,no\n3\n", "--max-rows", "1"), refused("SIZE_LIMIT", "more than 1 rows")],
  ...(["jsonl", "parquet", "arrow"] as const).map(
    (format): Row => [
      "1.17",
      format,
      () => call(() => readTable(`t.${format}`, writeTable(table(9), format), { maxRows: 5 })),
      refused("SIZE_LIMIT", "5"),
    ],
  ),
  ["1.17", "SQL", () => ["explain", "--sql", "select range as a from range(1000000000)", "--max-rows", "5", "--json"], refused("SIZE_LIMIT", "more than 5 rows")],
  ["1.18", "UTF-8", () => explain(`\ufeff${good}`), asGood],
  ["1.19", "little endian", () => explain(utf16(`\ufeff${good}`)), asGood],
  ["1.19", "big endian", () => explain(utf16(`\ufeff${good}`, true)), asGood],
  ["1.19", "without its mark", () => explain(utf16(good)), refused("TABLE_INVALID", "NUL")],
  ["1.19", "cut in a pair", () => explain(utf16(`\ufeff${good}`).slice(0, -1)), refused("TABLE_INVALID", "utf-16le")],
  ["1.20", "in a cell", () => explain("a,b,y\n1,\0,no\n"), refused("TABLE_INVALID", /line 2.*NUL/)],
  ["1.20", "in quotes", () => explain('a,b,y\n1,"\0",no\n'), refused("TABLE_INVALID", /line 2.*NUL/)],
  ["1.20", "in a name", () => explain("a,\0b,y\n1,2,no\n"), refused("TABLE_INVALID", /line 1.*NUL/)],
  ["1.21", "every third line", () => explain(good.split("\n").map((line, i) => (i % 3 ? line : `${line}\r`)).join("\n")), asGood],
  ["1.22", "in a row", () => explain('a,b,y\n"1,2,no\n'), refused("TABLE_INVALID", /line 2.*never closed/)],
  ["1.22", "in the header", () => explain('a,"b,y\n1,2,no\n'), refused("TABLE_INVALID", /line 1.*never closed/)],
  ["1.23", "refused by its size", () => explainFile(sparse(1e9)), refused("SIZE_LIMIT", "--sql")],
  ["1.23", "beyond the limit of bytes", () => explainFile(sparse(2e9)), refused("SIZE_LIMIT", "1073741824")],
  ["1.23", "the limit lowered", () => explain(good, "--max-bytes", "10"), refused("SIZE_LIMIT", "limit of 10")],
  ["1.23", "CSV cell", () => explain(good, "--max-cell", "2"), refused("SIZE_LIMIT", /cell of 3 .*more than 2/)],
  ["1.23", "open quote", () => explain(`a,y\n"${"x".repeat(3e6)}`), refused("TABLE_INVALID", "never closed")],
  ["1.23", "closed quote", () => explain(`a,y\n"${"x".repeat(3e6)}",yes\n`), refused("SIZE_LIMIT", /cell of 3000000 .*more than 1000000/)],
  ...(["jsonl", "parquet", "arrow"] as const).map(
    (format): Row => [
      "1.23",
      `${format} cell`,
      () => call(() => readTable(`t.${format}`, writeTable(table(9), format), { maxCell: 2 })),
      refused("SIZE_LIMIT", /cell of 3 .*more than 2/),
    ],
  ),
  ["1.24", "", () => named("💶🧑🏽‍🚀"), carries("💶🧑🏽‍🚀")],
  ["1.25", "", () => named("دخل\u202eexe"), carries("دخل\u202eexe")],
  ["1.26", "", () => named("income, net"), carries("income, net")],
  ["1.27", "", () => named('the "a"'), carries('the "a"')],
  ["1.28", "", () => named("a\nb"), carries("a\nb")],
  ["1.29", "", () => named("</script><script>alert(1)</script>"), carries("</script><script>alert(1)</script>")],
];

badInputs("1 tables", LIST.tables, ROWS);
