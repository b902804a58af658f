import { decodeText, readCsv } from "../src/data/csv.ts";
import { withDateParts } from "../src/data/date-parts.ts";
import { ColaError, isColaError } from "../src/errors.ts";
import type { Table } from "../src/types.ts";
import { readArrow, writeArrow } from "./arrow.ts";
import type { TableLimits } from "./cells.ts";
import { writeCsv } from "./csv.ts";
import { readJsonLines, writeJsonLines } from "./json-lines.ts";
import { readParquet, writeParquet } from "./parquet.ts";

/** Table files that are read and written here, in Node and in the page. */
export const tableFormats = ["csv", "tsv", "parquet", "arrow", "jsonl", "json"] as const;
export type TableFormat = (typeof tableFormats)[number];

export interface ReadTableOptions extends TableLimits {
  /** Default: by the file's first bytes, then by its name. */
  readonly format?: TableFormat;
  readonly delimiter?: string;
  /** CSV: `1,5` is one and a half. */
  readonly decimalComma?: boolean | "auto";
  readonly dropRepeated?: boolean;
  /** Columns of dates or times that become their parts. */
  readonly dateParts?: readonly string[];
}

/** First bytes of files people mistake for tables, what they are and what to do. */
const FOREIGN: readonly (readonly [magic: string, what: string])[] = [
  ["PK", "a zip or spreadsheet file; save it as CSV or Parquet"],
  ["\xd0\xcf\x11\xe0", "an old or encrypted spreadsheet; open it there and save it as CSV"],
  ["PARE", "an encrypted Parquet file; write it without encryption"],
  ["\x1f\x8b", "a gzip file; unpack it"],
  ["\x28\xb5\x2f\xfd", "a Zstandard file; unpack it"],
  ["BZh", "a bzip2 file; unpack it"],
  ["SQLite", "an SQLite file; export the table as CSV"],
];
/** How pages begin that are called .xls or were saved in place of a table. */
const PAGE = /^(\ufeff|\u00ef\u00bb\u00bf)?\s*<(!doctype html|html|head|table|\?xml)\b/i;

/** The format of a file: magic bytes first, then the ending of its name; text is CSV. */
export function detectFormat(name: string, bytes: Uint8Array): TableFormat {
  const magic = String.fromCharCode(...bytes.subarray(0, 6));
  if (magic.startsWith("PAR1")) return "parquet";
  if (magic === "ARROW1") return "arrow";
  const foreign = FOREIGN.find(([start]) => magic.startsWith(start));
  if (foreign) throw new ColaError("TABLE_INVALID", `${name}: this is ${foreign[1]}.`);
  if (PAGE.test(String.fromCharCode(...bytes.subarray(0, 64))))
    throw new ColaError("TABLE_INVALID", `${name}: this is a web page or XML; save the table itself as CSV.`);
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
  if (bytes.length === 0)
    throw new ColaError("TABLE_INVALID", `${name}: the file is empty; export the table again.`);
  try {
    const table = await readAs(format, name, bytes, options);
    return options.dateParts ? withDateParts(table, options.dateParts) : table;
  } catch (error) {
    throw isColaError(error) ? ofFile(error, name) : error;
  }
}

async function readAs(
  format: TableFormat,
  name: string,
  bytes: Uint8Array,
  options: ReadTableOptions,
): Promise<Table> {
  if (format === "parquet") return readParquet(bytes, options);
  if (format === "arrow") return readArrow(bytes, options);
  const text = decodeText(bytes, name);
  if (format === "jsonl" || format === "json") return readJsonLines(text, options);
  return readCsv(text, format === "tsv" ? { delimiter: "\t", ...options } : options);
}

/** The error of a reader, which knows no names, with that of the file. */
function ofFile({ code, message, details }: ColaError, name: string): ColaError {
  return new ColaError(
    code,
    message.replace(/^(csv|table|parquet|arrow|json|jsonl): /, `${name}: `),
    details,
  );
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
