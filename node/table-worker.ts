import { parentPort, workerData } from "node:worker_threads";
import { type ReadTableOptions, readTable } from "../formats/index.ts";
import { isColaError, messageOf } from "../src/errors.ts";

/** Reads one table in a thread of its own, so that a damaged file can be given up on. */
const { name, bytes, options } = workerData as { name: string; bytes: Uint8Array; options: ReadTableOptions };
try {
  parentPort!.postMessage({ table: await readTable(name, bytes, options) });
} catch (error) {
  const { code, details } = isColaError(error) ? error : { code: "TABLE_INVALID", details: {} };
  parentPort!.postMessage({ error: { code, message: messageOf(error), details } });
}
