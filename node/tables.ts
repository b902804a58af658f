import { constants } from "node:buffer";
import { Worker } from "node:worker_threads";
import { detectFormat, type ReadTableOptions, readTable } from "../formats/index.ts";
import { ColaError, type ErrorCode } from "../src/errors.ts";
import type { Table } from "../src/types.ts";
import { checkFile, readFileBytes, readFileHead } from "./files.ts";

/** Time a binary file may take before it is given up as damaged: a base, and more per megabyte. */
const BASE_MS = 20_000;
const MS_PER_MIB = 2000;

export interface ReadTableFileOptions extends ReadTableOptions {
  readonly maxBytes?: number;
  readonly timeoutMs?: number;
}

/**
 * A table file of any format. Binary formats are read in a thread with a deadline: their readers can loop for
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
    `${path}: ${size} bytes are more than one text can hold (${constants.MAX_STRING_LENGTH}); save it as Parquet, or read the rows you need by --sql "select … from '${path}'".`,
    { path, size, limit: constants.MAX_STRING_LENGTH },
  );
}

interface Reply {
  readonly table?: Table;
  readonly error?: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly details: Record<string, unknown>;
  };
}

function readIsolated(
  name: string,
  bytes: Uint8Array,
  options: ReadTableOptions,
  timeoutMs: number,
): Promise<Table> {
  const worker = threadOf("./table-worker", { name, bytes, options });
  return new Promise<Table>((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(
        new ColaError(
          "TABLE_INVALID",
          `${name}: reading did not end within ${Math.round(timeoutMs)} ms; the file is damaged.`,
          {
            timeoutMs,
          },
        ),
      );
    }, timeoutMs);
    worker.once("message", ({ table, error }: Reply) => {
      if (table) resolve(table);
      else reject(new ColaError(error!.code, error!.message, error!.details));
    });
    worker.once("error", (cause) => {
      reject(new ColaError("TABLE_INVALID", `${name}: the file cannot be read: ${cause.message}`, {}, cause));
    });
    worker.once("exit", () => clearTimeout(timer));
  }).finally(() => worker.terminate());
}

/** A thread over a neighbouring module; from source it is loaded through tsx. */
function threadOf(module: string, workerData: unknown): Worker {
  if (!import.meta.url.endsWith(".ts"))
    return new Worker(new URL(`${module}.js`, import.meta.url), { workerData });
  const url = JSON.stringify(new URL(`${module}.ts`, import.meta.url).href);
  const tsx = JSON.stringify(import.meta.resolve("tsx/esm/api"));
  const start = `import(${tsx}).then(({ register }) => { register(); return import(${url}); });`;
  return new Worker(start, { eval: true, workerData });
}
