import { decodeText, readCsv } from "../src/data/csv.ts";
import { ColaError } from "../src/errors.ts";
import type { Table } from "../src/types.ts";
import { readArrow, writeArrow } from "./arrow.ts";
import { writeCsv } from "./csv.ts";
import { readJsonLines, writeJsonLines } from "./json-lines.ts";
import { readParquet, writeParquet } from "./parquet.ts";

/** Table files that are read and written here, in Node and in the page. */
export const tableFormats = ["csv", "tsv", "parquet", "arrow", "jsonl", "json"] as const;
export type TableFormat = (typeof tableFormats)[number];

export interface ReadTableOptions {
  /** Default: by the file's first bytes, then by its name. */
  readonly format?: TableFormat;
  readonly delimiter?: string;
  readonly missing?: readonly string[];
  readonly maxRows?: number;
  readonly maxColumns?: number;
  readonly dropRepeated?: boolean;
}

/** The format of a file: magic bytes first, then the ending of its name; text is CSV. */
export function detectFormat(name: string, bytes: Uint8Array): TableFormat {
  const magic = String.fromCharCode(...bytes.subarray(0, 6));
  if (magic.startsWith("PAR1")) return "parquet";
  if (magic === "ARROW1") return "arrow";
  if (magic.startsWith("PK")) {
    throw new ColaError(
      "TABLE_INVALID",
      `${name}: this is a zip or spreadsheet file; save it as CSV or Parquet.`,
    );
  }
  const ending = name.toLowerCase().match(/\.([a-z]+)$/)?.[1];
  if (ending === "ndjson") return "jsonl";
  if (ending === "feather") return "arrow";
  const known = tableFormats.find((format) => format === ending);
  if (known === "parquet" || known === "arrow") {
    if (known === "arrow") return known;
    throw new ColaError("TABLE_INVALID", `${name}: the name says Parquet, but the first bytes do not.`);
  }
  return known ?? "csv";
}

export async function readTable(
  name: string,
  bytes: Uint8Array,
  options: ReadTableOptions = {},
): Promise<Table> {
  const format = options.format ?? detectFormat(name, bytes);
  if (bytes.length === 0) throw new ColaError("TABLE_INVALID", `${name}: the file is empty.`);
  if (format === "parquet") return readParquet(bytes, options);
  if (format === "arrow") return readArrow(bytes, options);
  const text = decodeText(bytes, name);
  if (format === "jsonl" || format === "json") return readJsonLines(text, options);
  return readCsv(text, format === "tsv" ? { delimiter: "\t", ...options } : options);
}

export function writeTable(
  table: Table,
  format: TableFormat,
  options: { readonly formulaSafe?: boolean } = {},
): Uint8Array {
  if (format === "parquet") return writeParquet(table);
  if (format === "arrow") return writeArrow(table);
  const csv = format === "csv" || format === "tsv";
  const text = csv
    ? writeCsv(table, { delimiter: format === "tsv" ? "\t" : ",", ...options })
    : writeJsonLines(table);
  return new TextEncoder().encode(text);
}

export { writeCsv } from "./csv.ts";
export { readJsonLines, writeJsonLines } from "./json-lines.ts";
