import {
  Table as ArrowTable,
  Bool,
  Float64,
  tableFromIPC,
  tableToIPC,
  Utf8,
  vectorFromArray,
} from "apache-arrow";
import { checkNames } from "../src/data/csv.ts";
import { ColaError, isColaError, messageOf } from "../src/errors.ts";
import type { Cell, Table } from "../src/types.ts";
import { plainCell, type TableLimits } from "./cells.ts";

/** An Arrow IPC file or stream as a table. */
export function readArrow(bytes: Uint8Array, limits: TableLimits = {}): Table {
  const { maxRows = 1e7, maxColumns = 1e4 } = limits;
  try {
    const arrow = tableFromIPC(bytes);
    const names = arrow.schema.fields.map((field) => field.name);
    checkNames(names, maxColumns);
    if (arrow.numRows > maxRows) {
      throw new ColaError(
        "SIZE_LIMIT",
        `arrow: ${arrow.numRows} rows, more than ${maxRows}; raise maxRows (--max-rows).`,
        {
          rows: arrow.numRows,
        },
      );
    }
    if (arrow.numRows === 0 || names.length === 0)
      throw new ColaError("TABLE_INVALID", "arrow: the file has no row.");
    const columns = names.map((name, k) => {
      const vector = arrow.getChildAt(k)!;
      return Array.from({ length: arrow.numRows }, (_, i) => plainCell(vector.get(i), name, limits));
    });
    return { names, columns, rows: arrow.numRows };
  } catch (error) {
    if (isColaError(error)) throw error;
    throw new ColaError("TABLE_INVALID", `arrow: the file cannot be read: ${messageOf(error)}`, {}, error);
  }
}

/** A table as an Arrow IPC file: numbers as Float64, yes/no as Bool, everything else as Utf8. */
export function writeArrow(table: Table): Uint8Array {
  const vectors = table.names.map((name, k) => {
    const column = table.columns[k]!;
    const present = column.filter((cell) => cell !== null);
    if (present.every((cell) => typeof cell === "number"))
      return [name, vectorFromArray(column as (number | null)[], new Float64())];
    if (present.every((cell) => typeof cell === "boolean"))
      return [name, vectorFromArray(column as (boolean | null)[], new Bool())];
    return [
      name,
      vectorFromArray(
        column.map((cell: Cell) => (cell === null ? null : String(cell))),
        new Utf8(),
      ),
    ];
  });
  return tableToIPC(new ArrowTable(Object.fromEntries(vectors)), "file");
}
