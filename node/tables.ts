import { constants } from "node:buffer";
import { detectFormat, type ReadTableOptions, readTable } from "../formats/index.ts";
import { ColaError, type ErrorCode } from "../src/errors.ts";
import type { Cell, Table } from "../src/types.ts";
import { startChild } from "./child.ts";
import { checkFile, readFileBytes, readFileHead } from "./files.ts";

/** Time a binary file may take before it is given up as damaged: a base, and more per megabyte. */
const BASE_MS = 20_000;
const MS_PER_MIB = 2000;

export interface ReadTableFileOptions extends ReadTableOptions {
  readonly maxBytes?: number;
  readonly timeoutMs?: number;
}

/**
 * A table file of any format. Binary formats are read in a process with a deadline: their readers can loop for
 * ever on damaged lengths, and a run must never hang.
 */
export async function readTableFile(path: string, options: ReadTableFileOptions = {}): Promise<Table> {
  if (path !== "-") refuseLongText(path, options);
  const bytes = readFileBytes(path, options.maxBytes);
  const format = options.format ?? detectFormat(path, bytes);
  if (format !== "arrow" && format !== "parquet") return readTable(path, bytes, { ...options, format });
  const timeoutMs = options.timeoutMs ?? BASE_MS + (MS_PER_MIB * bytes.length) / 2 ** 20;
  return readIsolated(path, bytes, { ...options, format }, timeoutMs);
}

/** CSV and JSON are read as one text, which has a largest length; longer ones are refused before they are read. */
function refuseLongText(path: string, { format, maxBytes }: ReadTableFileOptions): void {
  const size = checkFile(path, maxBytes);
  if (size <= constants.MAX_STRING_LENGTH) return;
  const known = format ?? detectFormat(path, readFileHead(path, 8, maxBytes));
  if (known === "arrow" || known === "parquet") return;
  throw new ColaError(
    "SIZE_LIMIT",
    `${path}: ${size} bytes are more than one text can hold (${constants.MAX_STRING_LENGTH}); save it as Parquet, or read the rows you need with --sql "select … from '${path}'".`,
    { path, size, limit: constants.MAX_STRING_LENGTH },
  );
}

/** What the process that reads a table sends: its columns, then their names, or an error. */
export type TablePart =
  | { readonly column: readonly Cell[] }
  | { readonly names: readonly string[]; readonly rows: number }
  | {
      readonly code: ErrorCode;
      readonly message: string;
      readonly details: Readonly<Record<string, unknown>>;
    };

function readIsolated(
  name: string,
  bytes: Uint8Array,
  options: ReadTableOptions,
  timeoutMs: number,
): Promise<Table> {
  const child = startChild(import.meta.url, "./table-process", { data: { name, options }, input: bytes });
  const columns: (readonly Cell[])[] = [];
  return new Promise<Table>((resolve, reject) => {
    const fail = (text: string): void =>
      reject(new ColaError("TABLE_INVALID", `${name}: ${text}`, { timeoutMs }));
    const timer = setTimeout(
      () => fail(`reading did not end within ${Math.round(timeoutMs)} ms; the file is damaged.`),
      timeoutMs,
    );
    child.process.on("message", (part: TablePart) => {
      if ("column" in part) columns.push(part.column);
      else if ("names" in part) resolve({ ...part, columns });
      else reject(new ColaError(part.code, part.message, part.details));
    });
    void child.ended.then((end) => {
      clearTimeout(timer);
      if (end !== "other") fail(`reading needs more memory than there is; the file is damaged or too large.`);
      else fail("the file cannot be read: its reader crashed; the file is damaged.");
    });
  }).finally(() => child.kill());
}
