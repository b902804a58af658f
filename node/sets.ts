import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readTable } from "../formats/index.ts";
import type { DataSetInfo } from "../src/data/sets/contract.ts";
import { ColaError } from "../src/errors.ts";
import type { Table } from "../src/types.ts";
import { readFileBytes } from "./files.ts";

/** Where the paper's data sets are looked for. */
export function setsFolder(given: string | undefined): string {
  return given ?? process.env["COLA_DATA"] ?? "data";
}

/** SHA-256 of some bytes, as hexadecimal digits. */
export function digestOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** The file of a data set as a table; one that is not there, or is not the published one, is refused. */
export async function readSetTable(info: DataSetInfo, folder: string): Promise<Table> {
  const path = join(folder, info.file);
  if (!existsSync(path)) {
    throw new ColaError(
      "FILE_UNREADABLE",
      `${path}: there is no such file; --data-dir or COLA_DATA names the folder of ${info.title} (${info.published}), and cola datasets get ${info.name} --from ADDRESS fetches it.`,
      { path },
    );
  }
  const bytes = readFileBytes(path);
  const found = digestOf(bytes);
  if (found === info.sha256) return readTable(path, bytes, { format: "csv", dropRepeated: true });
  throw new ColaError(
    "TABLE_INVALID",
    `${path}: this is not the published ${info.title} (SHA-256 ${found} instead of ${info.sha256}); fetch it again, or read it as a table of your own with --data.`,
    { path, found },
  );
}
