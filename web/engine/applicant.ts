import { MISSING_TEXTS, readCsv } from "../../src/data/csv.ts";
import { withDateParts } from "../../src/data/date-parts.ts";
import { ColaError } from "../../src/errors.ts";
import type { Cell, Table, WorkOptions } from "../../src/types.ts";
import { alike } from "../../study/data.ts";
import type { Data } from "../../study/parts.ts";
import { factualRows, type Posed, posed, type Study } from "../../study/study.ts";
import type { OnePerson } from "./protocol.ts";
import type { DataRoles } from "./roles.ts";

/** The row of one person as its references see it: a row of the table by its id, or one that was filled in. */
export async function posedFor(study: Study, person: OnePerson, work: WorkOptions): Promise<Posed> {
  if ("id" in person)
    return posed({ ...study, options: { ...study.options, ids: [person.id.trim()] } }, work);
  const rows = factualRows(study, tableOf(person.cells));
  return posed(study, work, { ...rows, ids: [person.name] });
}

const tableOf = (cells: Readonly<Record<string, Cell>>): Table => ({
  names: Object.keys(cells),
  columns: Object.values(cells).map((cell) => [cell]),
  rows: 1,
});

/**
 * One row as somebody copied it: an object of JSON, a header with a row, a row alone in the order of the table's
 * columns, or a name and its value in each line. Columns that are none of the features are left out.
 */
export function pastedRow(
  text: string,
  data: Data,
  columns: readonly string[],
  roles: DataRoles = {},
): Record<string, Cell> {
  const read = text.trim().startsWith("{")
    ? tableOf(objectOf(text))
    : rowOfText(text.replaceAll(/^[\r\n]+|[\r\n]+$/g, ""), data, columns, roles);
  const { names, columns: cells } = alike(read, data);
  const found = data.schema.features.flatMap(({ name }) => {
    const at = names.indexOf(name);
    return at < 0 ? [] : [[name, cells[at]![0] ?? null] as const];
  });
  if (found.length > 0) return Object.fromEntries(found);
  const some = data.schema.features.slice(0, 5).map(({ name }) => name);
  throw new ColaError(
    "TABLE_INVALID",
    `person: nothing of it is a feature of the data, such as ${some.join(", ")}; copy the header along with the row.`,
  );
}

function objectOf(text: string): Record<string, Cell> {
  try {
    return JSON.parse(text) as Record<string, Cell>;
  } catch (cause) {
    throw new ColaError(
      "TABLE_INVALID",
      "person: this begins like JSON but is not; copy the whole object.",
      {},
      cause,
    );
  }
}

function rowOfText(text: string, { schema }: Data, columns: readonly string[], roles: DataRoles): Table {
  const lines = text.split(/\r?\n/);
  const delimiter = ["\t", ";", ","].find((one) => lines[0]!.includes(one)) ?? ",";
  const own = schema.features.map(({ name }) => name);
  const written = asWritten(columns, roles);
  const isName = (cell: string): boolean => own.includes(cell) || written.includes(cell);
  const { decimalComma = delimiter === ";" || (delimiter === "\t" && lines.some(hasDecimalComma)) } = roles;
  const options = { delimiter, decimalComma, missing: [...MISSING_TEXTS, ...(roles.missing ?? [])] };
  const line = (cells: readonly string[]): string =>
    cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(delimiter);
  const read = (head: readonly string[], row: string): Table => {
    const table = readCsv(`${line(head)}\n${row}`, options);
    return withDateParts(
      table,
      (roles.dateParts ?? []).filter((name) => head.includes(name)),
    );
  };
  const pairs = lines.map((one) => cellsOf(one, delimiter));
  // A form copied as it stands: a name and its value in each line.
  if (pairs.length > 1 && pairs.every((pair) => pair.length === 2 && isName(pair[0]!)))
    return read(
      pairs.map(([name]) => name!),
      line(pairs.map(([, value]) => value!)),
    );
  const cells = pairs[0]!;
  if (cells.some(isName)) return read(cells, lines.slice(1).join("\n"));
  const order = [written, own].find((names) => names.length === cells.length);
  if (order) return read(order, text);
  throw new ColaError(
    "TABLE_INVALID",
    `person: the row has ${cells.length} ${cells.length === 1 ? "cell" : "cells"} where the table has ${written.length} columns; copy the header along with the row, or all cells.`,
    { cells: cells.length },
  );
}

/** The columns as they stand in the file, with dates that were read in parts whole. */
const asWritten = (columns: readonly string[], { dateParts = [] }: DataRoles): string[] => [
  ...new Set(columns.map((column) => dateParts.find((name) => column.startsWith(`${name}_`)) ?? column)),
];

/** The cells of a line; what stands in quotes may hold the delimiter. */
function cellsOf(line: string, delimiter: string): string[] {
  const quoted = /^"((?:[^"]|"")*)"$/;
  const cells = line.match(
    new RegExp(`(?:"(?:[^"]|"")*"|[^${delimiter}])+|(?<=^|${delimiter})(?=${delimiter}|$)`, "g"),
  ) ?? [""];
  return cells.map((cell) => quoted.exec(cell.trim())?.[1]?.replaceAll('""', '"') ?? cell.trim());
}

/** Is there a number that cannot have its comma between thousands, as spreadsheets copy it where the comma is decimal? */
const hasDecimalComma = (line: string): boolean =>
  line
    .split("\t")
    .some((cell) => /^\s*[+-]?(\d*,(\d{1,2}|\d{4,})|0,\d+|\d{1,3}(\.\d{3})+,\d+)\s*$/.test(cell));
