import {
  Table as ArrowTable,
  Bool,
  DataType,
  Field,
  Float64,
  makeData,
  makeVector,
  RecordBatch,
  Schema,
  Struct,
  tableFromIPC,
  tableToIPC,
  Utf8,
  type Vector,
  vectorFromArray,
} from "apache-arrow";
import { checkNames } from "../src/data/column-names.ts";
import { ColaError, isColaError, messageOf } from "../src/errors.ts";
import type { Cell, Matrix, Table } from "../src/types.ts";
import { plainCell, type TableLimits } from "./cells.ts";

/** An Arrow IPC file or stream as a table. */
export function readArrow(bytes: Uint8Array, limits: TableLimits = {}): Table {
  const { maxRows = 1e7, maxColumns = 1e4 } = limits;
  try {
    const arrow = arrowOf(bytes);
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
    checkRoom(arrow, bytes.length);
    if (arrow.numRows === 0 || names.length === 0)
      throw new ColaError("TABLE_INVALID", "arrow: the file has no row.");
    const columns = names.map((name, k) => {
      const vector = arrow.getChildAt(k)!;
      const meant = meantBy(vector.type);
      return Array.from({ length: arrow.numRows }, (_, i) => plainCell(meant(vector.get(i)), name, limits));
    });
    return { names, columns, rows: arrow.numRows };
  } catch (error) {
    if (isColaError(error)) throw error;
    throw new ColaError(
      "TABLE_INVALID",
      `arrow: the file cannot be read (${messageOf(error)}): it is damaged or cut short; write it again.`,
      {},
      error,
    );
  }
}

/** The value that stands for one of this type: dates and times come as counts, decimals without their point. */
function meantBy(type: DataType): (value: unknown) => unknown {
  const told = (text: (value: never) => unknown) => (value: unknown) =>
    value === null || value === undefined ? null : text(value as never);
  if (DataType.isTimestamp(type) || DataType.isDate(type)) return told((ms: number) => new Date(ms));
  if (DataType.isTime(type)) {
    // Units: 0 seconds, 1 milliseconds, 2 microseconds, 3 nanoseconds.
    const unit = 1000 ** (1 - type.unit);
    return told((count: number | bigint) => new Date(Number(count) * unit).toISOString().slice(11, 23));
  }
  if (DataType.isDecimal(type)) return told((digits: object) => Number(`${digits}e-${type.scale}`));
  return (value) => value;
}

/** A table as an Arrow IPC file: numbers as Float64, yes/no as Bool, everything else as Utf8. */
export function writeArrow(table: Table): Uint8Array {
  return ipcOf(
    table.names.map((name, k) => [name, vectorOf(table.columns[k]!)] as const),
    table.rows,
    "file",
  );
}

function vectorOf(column: readonly Cell[]): Vector {
  const present = column.filter((cell) => cell !== null);
  if (present.every((cell) => typeof cell === "number"))
    return vectorFromArray(column as (number | null)[], new Float64());
  if (present.every((cell) => typeof cell === "boolean"))
    return vectorFromArray(column as (boolean | null)[], new Bool());
  return vectorFromArray(
    column.map((cell) => (cell === null ? null : String(cell))),
    new Utf8(),
  );
}

/** The columns of a matrix as an Arrow IPC stream of Float64; a missing value is NaN. */
export function writeArrowNumbers(names: readonly string[], { rows, cols, data }: Matrix): Uint8Array {
  const columns = names.map((name, k) => {
    const column = new Float64Array(rows);
    for (let i = 0; i < rows; i++) column[i] = data[i * cols + k]!;
    return [name, makeVector(column)] as const;
  });
  return ipcOf(columns, rows, "stream");
}

/** Numbers of an Arrow IPC file or stream, row by row; what is not a number is NaN. */
export function readArrowNumbers(bytes: Uint8Array): Matrix {
  const arrow = arrowOf(bytes);
  const [rows, cols] = [arrow.numRows, arrow.numCols];
  checkRoom(arrow, bytes.length);
  const data = new Float64Array(rows * cols);
  for (let k = 0; k < cols; k++) {
    const vector = arrow.getChildAt(k)!;
    for (let i = 0; i < rows; i++) {
      const value: unknown = vector.get(i);
      const number = typeof value === "bigint" || typeof value === "boolean" ? Number(value) : value;
      data[i * cols + k] = typeof number === "number" ? number : Number.NaN;
    }
  }
  return { rows, cols, data };
}

/** A damaged file may declare more rows than it has room for; a row takes at least a bit of some column. */
function checkRoom(arrow: ArrowTable, bytes: number): void {
  if (arrow.numRows <= 8 * bytes) return;
  throw new ColaError(
    "TABLE_INVALID",
    `arrow: the file declares ${arrow.numRows} rows, but has only ${bytes} bytes; it is damaged.`,
  );
}

/** A record would put names that are numbers first; fields keep their order. */
function ipcOf(
  columns: readonly (readonly [name: string, vector: Vector])[],
  rows: number,
  form: "file" | "stream",
): Uint8Array {
  const fields = columns.map(([name, vector]) => new Field(name, vector.type, true));
  const children = columns.map(([, vector]) => vector.data[0] ?? makeData({ type: vector.type, length: 0 }));
  const struct = makeData({ type: new Struct(fields), length: rows, nullCount: 0, children });
  const schema = new Schema(fields);
  return tableToIPC(new ArrowTable(schema, new RecordBatch(schema, struct)), form);
}

function arrowOf(bytes: Uint8Array): ArrowTable {
  try {
    return tableFromIPC(bytes);
  } catch (error) {
    throw new ColaError("TABLE_INVALID", `arrow: the file cannot be read: ${messageOf(error)}`, {}, error);
  }
}
