import {
  Table as ArrowTable,
  DateDay,
  Decimal,
  makeData,
  TimeMicrosecond,
  TimestampMicrosecond,
  tableToIPC,
  Vector,
  vectorFromArray,
} from "apache-arrow";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { detectFormat, readTable, type TableFormat, writeTable } from "../../formats/index.ts";
import { inferSchema } from "../../src/data/infer.ts";
import { loans } from "../../src/data/loans.ts";
import type { Table } from "../../src/types.ts";

const code = (c: string) => expect.objectContaining({ code: c });
const text = (table: Table): Table => ({
  ...table,
  columns: table.columns.map((column) => column.map((cell) => (cell === null ? null : String(cell)))),
});

describe.each<TableFormat>(["csv", "tsv", "parquet", "arrow", "jsonl"])("%s", (format) => {
  test("round trip keeps every cell of the embedded data set", async () => {
    const { table } = loans({ rows: 120 });
    const back = await readTable(`t.${format}`, writeTable(table, format));
    expect(back).toEqual(format === "csv" || format === "tsv" ? text(table) : table);
  });

  test("hostile names and texts survive", async () => {
    const table: Table = {
      names: ["__proto__", 'a,"b"\n</script>', "‮rtl", "😀"],
      columns: [
        ["x", "y"],
        ['say "no"', "a\tb"],
        ["</script><b>", " spaced "],
        ["é", null],
      ],
      rows: 2,
    };
    expect(await readTable(`t.${format}`, writeTable(table, format, { formulaSafe: false }))).toEqual(table);
  });

  // Arrow readers can loop for ever on damaged lengths: test/node/tables.test.ts reads those in a thread.
  test.skipIf(format === "arrow")("damaged files are refused, not crashed on", async () => {
    const whole = writeTable(loans({ rows: 30 }).table, format);
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.nat(255), fc.boolean(), async (at, byte, cut) => {
        const bytes = cut ? whole.slice(0, at) : whole.slice();
        if (!cut) bytes[at] = byte;
        try {
          const t = await readTable(`t.${format}`, bytes, { format, maxRows: 1000 });
          expect(t.columns.every((c) => c.length === t.rows)).toBe(true);
        } catch (error) {
          expect(error).toMatchObject({ name: "ColaError" });
        }
      }),
      { numRuns: process.env["COLA_SOAK"] ? 10_000 : 100, seed: 7 },
    );
  });

  test("row limits come with their own code", async () => {
    const bytes = writeTable(loans({ rows: 30 }).table, format);
    await expect(readTable(`t.${format}`, bytes, { maxRows: 10 })).rejects.toThrow(code("SIZE_LIMIT"));
    await expect(readTable(`t.${format}`, bytes, { maxColumns: 3 })).rejects.toThrow(code("SIZE_LIMIT"));
  });
});

test("texts a spreadsheet would run are defused; numbers are untouched", () => {
  const table: Table = { names: ["a"], columns: [["=1+1", "-5", "+x", "@y", -3, "plain"]], rows: 6 };
  const lines = new TextDecoder().decode(writeTable(table, "csv")).trimEnd().split("\n");
  expect(lines).toEqual(["a", "'=1+1", "-5", "'+x", "'@y", "-3", "plain"]);
  expect(new TextDecoder().decode(writeTable(table, "tsv"))).not.toContain("'");
  expect(new TextDecoder().decode(writeTable(table, "csv", { formulaSafe: false }))).not.toContain("'");
});

/** Names and texts come back as they were, guards or none. */
async function guardsLaw(write: typeof writeTable): Promise<void> {
  const text = fc
    .string({
      unit: fc.constantFrom("'", "=", "-", "+", "@", "＝", "x", "1", ",", '"'),
      minLength: 1,
      maxLength: 5,
    })
    .filter((t) => t.trim() !== "");
  await fc.assert(
    fc.asyncProperty(text, fc.array(text, { minLength: 1, maxLength: 4 }), async (name, cells) => {
      const table: Table = { names: [name, "b"], columns: [cells, cells.map(() => "y")], rows: cells.length };
      fc.pre(name !== "b");
      for (const format of ["csv", "tsv"] as const)
        expect(await readTable(`t.${format}`, write(table, format))).toEqual(table);
    }),
    { numRuns: 300, seed: 8 },
  );
}

test("law: guarded texts are read back", async () => {
  await guardsLaw(writeTable);
  const plain: typeof writeTable = (table, format) => writeTable(table, format, { formulaSafe: false });
  await expect(guardsLaw(plain)).rejects.toThrow();
});

test.each<TableFormat>(["csv", "jsonl", "parquet", "arrow"])(
  "%s: blank and named texts are missing",
  async (format) => {
    const table: Table = { names: ["a"], columns: [["x", " ", "NA", "k.A."]], rows: 4 };
    const bytes = writeTable(table, format);
    expect((await readTable(`t.${format}`, bytes)).columns[0]).toEqual(["x", null, null, "k.A."]);
    expect((await readTable(`t.${format}`, bytes, { missing: ["k.A."] })).columns[0]).toEqual([
      "x",
      null,
      "NA",
      null,
    ]);
  },
);

test("dates, times and decimals of Arrow files are what they mean, so that no date is a quantity", async () => {
  const at = [new Date("2024-01-02T03:04:05.678Z"), null, new Date("1965-01-02T00:00:00Z")];
  const micros = at.map((date) => date && BigInt(date.getTime() % 86_400_000) * 1000n);
  const decimal = new Uint32Array([150, 0, 0, 0, 7, 0, 0, 0, 2 ** 32 - 25, -1, -1, -1]);
  const arrow = new ArrowTable({
    opened: vectorFromArray(at, new TimestampMicrosecond()),
    day: vectorFromArray(at, new DateDay()),
    hour: vectorFromArray([micros[0], null, 0n], new TimeMicrosecond()),
    amount: new Vector([makeData({ type: new Decimal(2, 6), length: 3, data: decimal })]),
  });
  const table = await readTable("t.arrow", tableToIPC(arrow, "file"));
  expect(Object.fromEntries(table.names.map((name, k) => [name, table.columns[k]]))).toEqual({
    opened: ["2024-01-02T03:04:05.678Z", null, "1965-01-02T00:00:00.000Z"],
    day: ["2024-01-02T00:00:00.000Z", null, "1965-01-02T00:00:00.000Z"],
    hour: ["03:04:05.678", null, "00:00:00.000"],
    amount: [1.5, 0.07, -0.25],
  });
  expect(inferSchema(table).schema.features.map(({ name }) => name)).toEqual(["amount"]);
});

test("formats are told by their first bytes before their name", () => {
  expect(detectFormat("x.csv", new TextEncoder().encode("PAR1...."))).toBe("parquet");
  expect(detectFormat("x", new TextEncoder().encode("a,b\n"))).toBe("csv");
  expect(() => detectFormat("x.xlsx", new TextEncoder().encode("PK\x03\x04"))).toThrow(code("TABLE_INVALID"));
  expect(() => detectFormat("x.parquet", new TextEncoder().encode("a,b"))).toThrow(code("TABLE_INVALID"));
  for (const page of [
    "<html><body>",
    "\ufeff<!DOCTYPE html>",
    '\n <table border="1">',
    '<?xml version="1.0"?>',
  ])
    expect(() => detectFormat("x.xls", new TextEncoder().encode(page))).toThrow(/web page or XML/);
  expect(detectFormat("x.csv", new TextEncoder().encode("<tables>,b\n"))).toBe("csv");
});

test("JSON that holds whole columns is refused with the way to write rows; one row of plain values is a row", async () => {
  const read = (value: unknown) => readTable("x.json", new TextEncoder().encode(JSON.stringify(value)));
  await expect(read({ a: { 0: 1, 1: 2 }, b: { 0: 3, 1: 4 } })).rejects.toThrow(/orient="records"/);
  await expect(read({ columns: ["a"], data: [[1]] })).rejects.toThrow(/orient="records"/);
  expect((await read({ a: 1, b: "x" })).rows).toBe(1);
});
