import { expect, test } from "vitest";
import { readCsv } from "../../src/data/csv.ts";
import { inferSchema } from "../../src/data/infer.ts";
import { leakage, leakNote } from "../../src/data/leakage.ts";
import { stream } from "../../src/num/random.ts";
import type { Matrix, Schema } from "../../src/types.ts";

const schema: Schema = {
  features: [
    { name: "income", kind: "numeric" },
    { name: "days_late", kind: "numeric" },
    { name: "status", kind: "categorical", categories: ["open", "paid", "late", "gone"] },
    { name: "branch", kind: "categorical", categories: Array.from({ length: 400 }, (_, i) => `b${i}`) },
  ],
};

/** n rows of `classes` outcomes; `leaky` says how often days_late and status give them away. */
function task(n: number, leaky: number, classes = 2): { rows: Matrix; labels: Int32Array } {
  const random = stream(1, "leak");
  const data = new Float64Array(n * 4);
  const labels = new Int32Array(n);
  for (let i = 0; i < n; i++) {
    const label = random.int(classes);
    labels[i] = label;
    const told = random.next() < leaky ? label : random.int(classes);
    data.set([30 + 10 * label + 20 * random.next(), 10 * told + random.next(), told, i % 400], 4 * i);
  }
  return { rows: { data, rows: n, cols: 4 }, labels };
}
const found = (n: number, leaky: number, classes = 2): string[] => {
  const { rows, labels } = task(n, leaky, classes);
  return leakage(schema, rows, labels, classes).map((leak) => leak.feature);
};

test("a column that alone reaches a held-out AUC of 0.99 is found, of numbers and of levels, for two classes and four", () => {
  expect(found(1000, 0.998)).toEqual(["days_late", "status"]);
  expect(found(1000, 0.999, 4)).toEqual(["days_late", "status"]);
});

test("an honest predictor is none, nor are levels that never come again, nor a handful of rows", () => {
  expect(found(1000, 0.9)).toEqual([]);
  expect(found(60, 0.98)).toEqual([]);
});

test("what goes one to one with the outcome is told as such", () => {
  const { rows, labels } = task(1000, 1);
  const [first, second] = leakage(schema, rows, labels, 2);
  expect(String(leakNote(first!, "y"))).toMatch(
    /^days_late alone predicts y .* AUC of 0\.999; .*--exclude days_late/,
  );
  expect(String(leakNote(second!, "y"))).toMatch(/^status tells y of every row; /);
});

test("the same rows in another order give nearly the same", () => {
  const { rows, labels } = task(1000, 0.998);
  const order = stream(2, "order").permutation(1000);
  const data = new Float64Array(rows.data.length);
  order.forEach((i, at) => {
    data.set(rows.data.subarray(4 * i, 4 * i + 4), 4 * at);
  });
  const turned = leakage(
    schema,
    { ...rows, data },
    Int32Array.from(order, (i) => labels[i]!),
    2,
  );
  expect(turned.map((leak) => leak.feature)).toEqual(["days_late", "status"]);
});

test("a column may be excluded by name, and a misspelt name is refused", () => {
  const table = readCsv("a,b\n1,2\n3,4\n");
  expect(inferSchema(table, { exclude: ["b"] }).schema.features.map((f) => f.name)).toEqual(["a"]);
  expect(() => inferSchema(table, { exclude: ["c"] })).toThrow(/no excluded column "c"/);
});

test("a spreadsheet's export is read as it was meant", () => {
  const excel = 'sep=;\r\nname;betrag;zins\r\n"Amt; Süd";1.234,50;3,5\r\nNord;12;4\r\n';
  const { names, columns } = readCsv(excel, { decimalComma: "auto" });
  expect(names).toEqual(["name", "betrag", "zins"]);
  expect(columns).toEqual([
    ["Amt; Süd", "Nord"],
    ["1234.50", "12"],
    ["3.5", "4"],
  ]);
  expect(readCsv('a,b\n"1,5",x\n', { decimalComma: "auto" }).columns[0]).toEqual(["1,5"]);
  expect(readCsv("a;b\n1,5;x\nk.A.;y\n", { decimalComma: "auto" }).columns[0]).toEqual(["1,5", "k.A."]);
});
