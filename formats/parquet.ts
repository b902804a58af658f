import { type Compressors, parquetMetadataAsync, parquetRead } from "hyparquet";
import { parquetWriteBuffer } from "hyparquet-writer";
import { checkNames } from "../src/data/column-names.ts";
import { ColaError, isColaError, messageOf } from "../src/errors.ts";
import type { Table } from "../src/types.ts";
import { plainCell, type TableLimits } from "./cells.ts";

/** A Parquet file as a table. The footer's row count is checked before any page is read. */
export async function readParquet(bytes: Uint8Array, limits: TableLimits = {}): Promise<Table> {
  const { maxRows = 1e7, maxColumns = 1e4 } = limits;
  // A copy of its own: the slice of a Node buffer is still a part of the pool.
  const file = new Uint8Array(bytes).buffer;
  try {
    const metadata = await parquetMetadataAsync(file);
    const names = metadata.schema.slice(1).map((element) => element.name);
    const rows = Number(metadata.num_rows);
    checkNames(names, maxColumns);
    if (!(rows >= 0 && rows <= maxRows)) {
      throw new ColaError(
        "SIZE_LIMIT",
        `parquet: the footer declares ${rows} rows, more than ${maxRows}; raise maxRows (--max-rows).`,
        {
          rows,
        },
      );
    }
    let read: unknown[][] = [];
    await parquetRead({
      file,
      metadata,
      compressors: await decoders(),
      rowFormat: "array",
      onComplete: (arrays: unknown[][]) => {
        read = arrays;
      },
    });
    if (read.length !== rows) {
      throw new ColaError(
        "TABLE_INVALID",
        `parquet: the footer declares ${rows} rows, but the pages hold ${read.length}.`,
      );
    }
    if (rows === 0) throw new ColaError("TABLE_INVALID", "parquet: the file has no row.");
    const columns = names.map((name, k) => read.map((row) => plainCell(row[k], name, limits)));
    return { names, columns, rows };
  } catch (error) {
    if (isColaError(error)) throw error;
    const codec = /unsupported compression codec: (\w+)/.exec(messageOf(error))?.[1];
    if (codec !== undefined) {
      throw new ColaError(
        "TABLE_INVALID",
        `parquet: pages compressed by ${codec} cannot be read here; write the file with Snappy or uncompressed.`,
        { codec },
      );
    }
    throw new ColaError(
      "TABLE_INVALID",
      `parquet: the file cannot be read (${messageOf(error)}): it is damaged or cut short; write it again.`,
      {},
      error,
    );
  }
}

/** Decoders of compressed pages: the first is WebAssembly as soon as they are loaded; the reader's own know Snappy alone. */
async function decoders(): Promise<Compressors> {
  return typeof WebAssembly === "undefined" ? {} : (await import("hyparquet-compressors")).compressors;
}

/** A table as a Parquet file: numbers as DOUBLE, yes/no as BOOLEAN, everything else as STRING. */
export function writeParquet(table: Table): Uint8Array {
  const columnData = table.names.map((name, k) => {
    const column = table.columns[k]!;
    const present = column.filter((cell) => cell !== null);
    const type = present.every((cell) => typeof cell === "number")
      ? ("DOUBLE" as const)
      : present.every((cell) => typeof cell === "boolean")
        ? ("BOOLEAN" as const)
        : ("STRING" as const);
    const data =
      type === "STRING" ? column.map((cell) => (cell === null ? null : String(cell))) : [...column];
    return { name, data, type, nullable: true };
  });
  return new Uint8Array(parquetWriteBuffer({ columnData }));
}
