import { checkNames } from "../src/data/column-names.ts";
import { ColaError, messageOf } from "../src/errors.ts";
import type { Cell, Table } from "../src/types.ts";
import { plainCell, type TableLimits } from "./cells.ts";

/** One JSON object per line, or one JSON array of objects. Names are those of all objects, in order of appearance. */
export function readJsonLines(text: string, limits: TableLimits = {}): Table {
  const { maxRows = 1e7, maxColumns = 1e4 } = limits;
  const records = text.trimStart().startsWith("[") ? parse(text, "the array") : lines(text, maxRows);
  if (!Array.isArray(records) || records.length === 0) {
    throw new ColaError(
      "TABLE_INVALID",
      "json: there is no row; give one object per line or an array of objects.",
    );
  }
  if (records.length > maxRows) throw tooMany(maxRows);
  if (records.length === 1 && isByColumns(records[0]))
    throw new ColaError(
      "TABLE_INVALID",
      'json: this is one object that holds whole columns; give one object per row (pandas: df.to_json(path, orient="records")).',
    );
  const columns = new Map<string, Cell[]>();
  records.forEach((record: unknown, i) => {
    if (record === null || typeof record !== "object" || Array.isArray(record)) {
      throw new ColaError("TABLE_INVALID", `json: row ${i + 1} is not an object { column: value }.`, {
        row: i,
      });
    }
    for (const [name, value] of Object.entries(record)) {
      let column = columns.get(name);
      if (!column) {
        column = new Array<Cell>(records.length).fill(null);
        columns.set(name, column);
      }
      column[i] = plainCell(value, name, limits);
    }
  });
  if (columns.size === 0)
    throw new ColaError("TABLE_INVALID", "json: the rows have no column; give { column: value }.");
  checkNames([...columns.keys()], maxColumns);
  return { names: [...columns.keys()], columns: [...columns.values()], rows: records.length };
}

/** Is this a table column by column, as pandas writes it unless told otherwise? */
function isByColumns(record: unknown): boolean {
  const values = record !== null && typeof record === "object" ? Object.values(record) : [];
  return values.length > 0 && values.every((value) => value !== null && typeof value === "object");
}

function lines(text: string, maxRows: number): unknown[] {
  const records: unknown[] = [];
  let number = 0;
  for (const line of text.split(/\r?\n/)) {
    number++;
    if (line.trim() === "") continue;
    if (records.length >= maxRows) throw tooMany(maxRows);
    records.push(parse(line, `line ${number}`));
  }
  return records;
}

function tooMany(maxRows: number): ColaError {
  return new ColaError(
    "SIZE_LIMIT",
    `json: more than ${maxRows} rows; raise maxRows (--max-rows) or split the file.`,
    { maxRows },
  );
}

/** Strings, so that they are skipped, or whole numbers of more digits than a number holds. */
const LONG = /"(?:[^"\\]|\\.)*"|(?<![\d.eE+])-?\d{16,}(?![\d.eE])/g;

/** JSON in which whole numbers beyond 2⁵³ stay text: as numbers they would become others. */
function parse(text: string, where: string): unknown {
  const exact = /\d{16}/.test(text)
    ? text.replace(LONG, (t) => (t.startsWith('"') || Number.isSafeInteger(Number(t)) ? t : `"${t}"`))
    : text;
  try {
    return JSON.parse(exact) as unknown;
  } catch (error) {
    throw new ColaError("TABLE_INVALID", `json: ${where} is not JSON: ${messageOf(error)}`, {}, error);
  }
}

/** One JSON object per line; missing cells are null. */
export function writeJsonLines(table: Table): string {
  const rows = Array.from(
    { length: table.rows },
    (_, i) =>
      `{${table.names.map((name, k) => `${JSON.stringify(name)}:${JSON.stringify(table.columns[k]![i])}`).join(",")}}\n`,
  );
  return rows.join("");
}
