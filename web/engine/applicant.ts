import { readCsv } from "../../src/data/csv.ts";
import { ColaError } from "../../src/errors.ts";
import type { Cell, Table, WorkOptions } from "../../src/types.ts";
import { alike } from "../../study/data.ts";
import type { Data } from "../../study/parts.ts";
import { factualRows, type Posed, posed, type Study } from "../../study/study.ts";
import type { OnePerson } from "./protocol.ts";

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
 * One row as somebody copied it: an object of JSON, a header with a row, or a row alone in the order of the table's
 * columns. Columns that are none of the features are left out.
 */
export function pastedRow(text: string, data: Data, columns: readonly string[]): Record<string, Cell> {
  const read = text.trim().startsWith("{") ? tableOf(objectOf(text)) : rowOfText(text.trim(), data, columns);
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

function rowOfText(text: string, { schema }: Data, columns: readonly string[]): Table {
  const [first = ""] = text.split(/\r?\n/);
  const delimiter = ["\t", ";", ","].find((one) => first.includes(one)) ?? ",";
  const cells = first.split(delimiter).map((cell) => cell.trim().replace(/^"(.*)"$/, "$1"));
  const own = schema.features.map(({ name }) => name);
  const named = cells.some((cell) => own.includes(cell) || columns.includes(cell));
  const options = { delimiter, decimalComma: delimiter === ";" };
  if (named) return readCsv(text, options);
  const order = [columns, own].find((names) => names.length === cells.length);
  if (order)
    return readCsv(
      `${order.map((name) => `"${name.replaceAll('"', '""')}"`).join(delimiter)}\n${text}`,
      options,
    );
  throw new ColaError(
    "TABLE_INVALID",
    `person: the row has ${cells.length} ${cells.length === 1 ? "cell" : "cells"} where the table has ${columns.length} columns; copy the header along with the row, or all cells.`,
    { cells: cells.length },
  );
}
