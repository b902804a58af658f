import { expect, test } from "vitest";
import { withDateParts } from "../../src/data/date-parts.ts";
import { inferSchema } from "../../src/data/infer.ts";
import type { Table } from "../../src/types.ts";

const table = (...cells: string[]): Table => ({ names: ["booked"], columns: [cells], rows: cells.length });
const parts = (...cells: string[]) => {
  const { names, columns } = withDateParts(table(...cells), ["booked"]);
  return Object.fromEntries(names.map((name, k) => [name.slice("booked_".length), columns[k]]));
};

test("a number above 12 says whether dates with slashes begin with the day or the month", () => {
  const date = { year: [2024, 2024], month: [3, 4], day: [31, 5] };
  expect(parts("3/31/2024", "04/05/2024")).toMatchObject(date);
  expect(parts("31/3/2024", "05/04/2024")).toMatchObject(date);
});

test("dates with slashes that say neither, or both, are refused with the reason", () => {
  const sentence =
    'options.dateParts: row 0 of booked is "03/04/2024", whose day and month no row of the column tells apart (one of them above 12); write it as 2024-03-31, or leave the column out (options.exclude).';
  expect(() => parts("03/04/2024", "05/06/2024")).toThrow(sentence);
  expect(() => parts("03/04/2024", "31/06/2024", "06/31/2024")).toThrow(sentence);
});

test("hours of half a day are told apart", () => {
  expect(
    parts("2024-03-31 01:30 PM", "2024-03-31 12:05 am", "2024-03-31 12:00:59 p.m.", "2024-03-31 9:15"),
  ).toMatchObject({
    hour: [13, 0, 12, 9],
    minute: [30, 5, 0, 15],
  });
});

const withValues = (cells: readonly string[]) =>
  inferSchema({
    names: ["booked", "income"],
    columns: [
      Array.from({ length: 40 }, (_, i) => cells[i % cells.length]!),
      Array.from({ length: 40 }, (_, i) => i),
    ],
    rows: 40,
  });

test.each([
  ["2021-04", "2021-11"],
  ["2021Q2", "2022Q1"],
  ["Q3 2021", "Q4 2021"],
  ["26 Apr 2021", "3 May 2021"],
  ["April 26, 2021", "December 1, 2020"],
  ["März 2021", "Okt. 2021"],
  ["26-Apr-21", "03-Dec-21"],
  ["26.04.21", "01.05.21"],
])("%s and the like are left out as dates, with what to write to have their parts", (...cells) => {
  const { schema, notes } = withValues(cells);
  expect(schema.features.map(({ name }) => name)).toEqual(["income"]);
  expect(notes.map(String)).toEqual([
    "booked is left out: it looks like a date or time; write it as 2024-03-31 or 2024-03-31 14:05 to have its parts as numbers (options.dateParts).",
  ]);
});

test.each([
  ["2024-03-31", "2024-04-01"],
  ["31.03.2024", "01.04.2024"],
  ["03/31/2024", "04/01/2024"],
  ["2021/04/26", "2021/05/01"],
  ["14:05", "9:30"],
])("of %s and the like it is said how their parts are read, and they can be", (...cells) => {
  const { notes } = withValues(cells);
  expect(notes.map(String)).toEqual([
    "booked is left out: it looks like a date or time; options.dateParts booked reads it as numbers.",
  ]);
  expect(Object.keys(parts(...cells)).length).toBeGreaterThan(0);
});

test.each([
  ["may", "june"],
  ["decent 12", "marginal 10"],
  ["Q1", "Q2"],
  ["1000-99", "2000-13"],
])("%s and the like are levels", (...cells) => {
  expect(withValues(cells).schema.features.map(({ name }) => name)).toEqual(["booked", "income"]);
});

const whole = (values: readonly number[]) =>
  inferSchema(
    { names: ["signup", "income"], columns: [values, values.map((_, i) => i % 7)], rows: values.length },
    { inputs: ["signup", "income"] },
  );

test.each([
  ["milliseconds", 86_400_000],
  ["seconds", 86_400],
])("whole days since 1970 in %s are dates, whatever the column is called", (_, day) => {
  const { schema, notes } = whole(Array.from({ length: 40 }, (_, i) => (18_000 + 3 * i) * day));
  expect(schema.features[0]).toMatchObject({ name: "signup", kind: "integer", immutable: true });
  expect(notes.map(({ code }) => code)).toContain("frozenDate");
});

test("other large numbers are quantities", () => {
  const { schema } = whole(Array.from({ length: 40 }, (_, i) => 1_555_200_001_000 + 86_401_000 * i));
  expect(schema.features[0]).toEqual({ name: "signup", kind: "integer" });
  const kept = whole(Array.from({ length: 40 }, (_, i) => 86_400 * (i + 1)));
  expect(kept.schema.features[0]).toEqual({ name: "signup", kind: "integer" });
});
