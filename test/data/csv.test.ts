import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeText, inferSchema, readCsv } from "../../src/data/index.ts";
import type { Table } from "../../src/types.ts";

const code = (c: string) => expect.objectContaining({ code: c });
const quote = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;

describe("readCsv", () => {
  test("quotes, doubled quotes, line breaks in cells, missing texts, CRLF and LF mixed, blank lines, no last break", () => {
    const t = readCsv('a,"b,c"\r\n1,"x ""y""\nz"\n\n,NA\r3,4');
    expect(t.names).toEqual(["a", "b,c"]);
    expect(t.columns).toEqual([
      ["1", null, "3"],
      ['x "y"\nz', null, "4"],
    ]);
  });

  test("law: what is written quoted is read back, whatever the text", () => {
    const cell = fc.string({ unit: "grapheme", maxLength: 8 }).filter((s) => !s.includes("\0") && s !== "");
    const law = (read: typeof readCsv): void =>
      fc.assert(
        fc.property(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 5 }), (rows) => {
          const text = `a,longer than a cell\n${rows.map((r) => r.map(quote).join(",")).join("\n")}`;
          const expected = rows.map((r) =>
            r.map((c) => {
              if (
                c.trim() === "" ||
                ["NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL"].includes(c.trim())
              )
                return null;
              return /^'+[=+\-@\t\r＝＋－＠]/.test(c) ? c.slice(1) : c; // the guard of formulas
            }),
          );
          const t = read(text);
          expect(t.columns[0]!.map((_, i) => [t.columns[0]![i], t.columns[1]![i]])).toEqual(expected);
        }),
        { numRuns: 300, seed: 6 },
      );
    law(readCsv);
    expect(() => law((text) => readCsv(text.replaceAll('""', "")))).toThrow();
  });

  test.each([
    ["", "TABLE_INVALID"],
    ["a,b\n", "TABLE_INVALID"],
    ["a,a\n1,2", "TABLE_INVALID"],
    ["a,\n1,2", "TABLE_INVALID"],
    ["a,b\n1", "TABLE_INVALID"],
    ["a,b\n1,2,3", "TABLE_INVALID"],
    ['a,b\n"1,2', "TABLE_INVALID"],
    ['a,b\n"1"x,2', "TABLE_INVALID"],
    ["a,b\n1,\0", "TABLE_INVALID"],
    ["a,b,\n1,2,3", "TABLE_INVALID"],
    ["a,,b\n1,,3", "TABLE_INVALID"],
  ])("%j is refused", (text, expected) => {
    expect(() => readCsv(text)).toThrow(code(expected));
  });

  test("columns behind the last name that hold nothing are none", () => {
    const { names, columns } = readCsv("a;b;; \n1;2;;\n3;;; \n");
    expect(names).toEqual(["a", "b"]);
    expect(columns).toEqual([
      ["1", "3"],
      ["2", null],
    ]);
  });

  test("bytes are refused with what makes them text", () => {
    expect(() => readCsv(Buffer.from("a\n1\n") as unknown as string)).toThrow(/give the text.*decodeText/);
  });

  test("limits are refused by name", () => {
    expect(() => readCsv("a\n1\n2", { maxRows: 1 })).toThrow(code("SIZE_LIMIT"));
    expect(() => readCsv("a,b\n1,2", { maxColumns: 1 })).toThrow(code("SIZE_LIMIT"));
    expect(() => readCsv("a\n12345", { maxCell: 4 })).toThrow(code("SIZE_LIMIT"));
  });

  test("other delimiters, names from hostile people, repeated equal columns", () => {
    expect(readCsv("a;b\n1,5;2").columns).toEqual([["1,5"], ["2"]]);
    expect(readCsv("__proto__\tconstructor\n1\t2").names).toEqual(["__proto__", "constructor"]);
    expect(readCsv("a,b,a\n1,2,1", { dropRepeated: true }).names).toEqual(["a", "b"]);
    expect(() => readCsv("a,b,a\n1,2,3", { dropRepeated: true })).toThrow(code("TABLE_INVALID"));
  });

  test.each<[string, string[], string[]]>([
    [
      "thousands with decimals",
      ["30.593,50", "1.234.567", "12,5", "7"],
      ["30593.50", "1234567", "12.5", "7"],
    ],
    ["thousands alone", ["30.593", "-1.000", "999"], ["30593", "-1000", "999"]],
    ["other points beside them", ["30.593", "1.5", "2,5"], ["30.593", "1.5", "2.5"]],
    ["shares", ["0.593", "0.250", "1.000"], ["0.593", "0.250", "1.000"]],
    ["dates", ["12.01.2020", "1.234"], ["12.01.2020", "1.234"]],
    ["texts beside them", ["30.593", "k.A.", "St. Pauli"], ["30593", "k.A.", "St. Pauli"]],
  ])("decimal commas, %s", (_, cells, expected) => {
    const text = `a;b\n${cells.map((cell) => `${cell};x`).join("\n")}`;
    expect(readCsv(text, { decimalComma: true }).columns[0]).toEqual(expected);
    expect(readCsv(text).columns[0]).toEqual(cells);
  });

  test("law: numbers written the German way are the numbers they were", () => {
    const law = (read: typeof readCsv): void =>
      fc.assert(
        fc.property(
          fc.array(fc.integer({ min: -1e9, max: 1e9 }), { minLength: 1, maxLength: 6 }),
          (units) => {
            const german = new Intl.NumberFormat("de-DE", { minimumFractionDigits: 2 });
            const text = `a;b\n${units.map((v) => `${german.format(v / 100)};x`).join("\n")}`;
            const { columns } = read(text, { decimalComma: true });
            expect(columns[0]!.map(Number)).toEqual(units.map((v) => v / 100 + 0));
          },
        ),
        { numRuns: 200, seed: 3 },
      );
    law(readCsv);
    expect(() =>
      law((text, options) => readCsv(text.replaceAll(".", ""), { ...options, decimalComma: false })),
    ).toThrow();
    expect(() => law((text) => readCsv(text.replaceAll(",", ".")))).toThrow();
  });

  test("bytes: BOM, UTF-16, broken text", () => {
    expect(decodeText(Uint8Array.of(0xef, 0xbb, 0xbf, 97))).toBe("a");
    expect(decodeText(Uint8Array.of(0xff, 0xfe, 97, 0))).toBe("a");
    expect(() => decodeText(Uint8Array.of(97, 0xff, 0xff))).toThrow(code("TABLE_INVALID"));
  });
});

describe("inferSchema", () => {
  const table = (columns: Record<string, (string | null)[]>): Table => ({
    names: Object.keys(columns),
    columns: Object.values(columns),
    rows: Object.values(columns)[0]!.length,
  });

  test("kinds", () => {
    const { schema, notes, dropped } = inferSchema(
      table({
        whole: ["1", "2", "3", null],
        real: ["1.0", "2", "3", "4"],
        flag: ["yes", "no", "yes", "no"],
        colour: ["red", " red", "blue", null],
        zip: ["01234", "99999", "00001", "12345"],
        long: ["12345678901234567", "1", "2", "3"],
        when: ["2020-01-01", "2020-01-02", "2021-01-01", null],
        empty: [null, null, null, null],
        Age: ["1", "2", "3", "4"],
        y: ["0", "1", "0", "1"],
      }),
      { target: "y" },
    );
    const kinds = Object.fromEntries(schema.features.map((f) => [f.name, f.kind]));
    expect(kinds).toEqual({
      whole: "integer",
      real: "numeric",
      flag: "boolean",
      colour: "categorical",
      Age: "integer",
    });
    expect(schema.features.find((f) => f.name === "Age")!.immutable).toBe(true);
    expect(dropped).toEqual(["y", "zip", "long", "when", "empty"]);
    expect(notes.join("\n")).toContain("protected");
  });

  test("protected attributes are found under the names they have in pipelines and public data", () => {
    const locked = (name: string): boolean =>
      inferSchema(table({ [name]: ["1", "2"], b: ["3", "4"] })).schema.features[0]!.immutable === true;
    for (const name of ["num__age", "age_cat", "person_age", "Sex", "personal_status_sex", "marital-status"])
      expect(locked(name), name).toBe(true);
    for (const name of ["native-country", "ethnic_group", "race", "dob"])
      expect(locked(name), name).toBe(true);
    for (const name of ["national_origin", "country of birth", "foreign_worker", "is_married", "disabled"])
      expect(locked(name), name).toBe(true);
    for (const name of ["Sexual Orientation", "civil_status", "veteran", "skin_colour", "public_assistance"])
      expect(locked(name), name).toBe(true);
    for (const name of ["country", "order_status", "place_of_work", "worker", "status"])
      expect(locked(name), name).toBe(false);
    for (const name of ["Alter", "Geschlecht", "familienstand", "Staatsangehörigkeit", "Nationalitaet"])
      expect(locked(name), name).toBe(true);
    for (const name of ["Religion", "Konfession", "Behinderung", "kunde_alter", "Nationalita\u0308t"])
      expect(locked(name), name).toBe(true);
    for (const name of ["Vertragsalter", "Alternative", "Gehalt", "Herkunftskonto"])
      expect(locked(name), name).toBe(false);
    const flag = table({ sex_male: ["0", "1"], race_time: ["61", "75"], cat__gender_F: ["1", "0"] });
    expect(inferSchema(flag).schema.features.map((f) => f.immutable ?? false)).toEqual([true, false, true]);
    for (const name of ["account_age", "wage", "stage", "page", "trace", "average", "grace"])
      expect(locked(name), name).toBe(false);
  });

  test("declared kinds win; unknown targets are named", () => {
    const t = table({ zip: ["01234", "99999"], a: ["1", "2"] });
    expect(inferSchema(t, { kinds: { zip: "categorical" } }).schema.features[0]!.categories).toEqual([
      "01234",
      "99999",
    ]);
    expect(() => inferSchema(t, { target: "b" })).toThrow(/zip, a/);
  });
});

describe("decimal commas that nobody has told of", () => {
  const read = (lines: readonly string[]): readonly (readonly unknown[])[] =>
    readCsv(lines.join("\n"), { decimalComma: "auto" }).columns;

  test.each(["\t", ";", "|"])("are read between %j, with points between thousands", (between) => {
    const lines = [
      ["rate", "sales"],
      ["55,44", "46.113"],
      ["7", "1.234,5"],
    ].map((cells) => cells.join(between));
    expect(read(lines)).toEqual([
      ["55.44", "7"],
      ["46113", "1234.5"],
    ]);
  });

  test("are not seen in 1,234 without semicolons, nor in a file with commas", () => {
    expect(read(["a\tb", "1,234\t46.113", "999\t1.5"])).toEqual([
      ["1,234", "999"],
      ["46.113", "1.5"],
    ]);
    expect(read(["a,b", '"1,5",46.113'])).toEqual([["1,5"], ["46.113"]]);
  });
});
