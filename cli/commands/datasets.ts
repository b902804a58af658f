import { existsSync } from "node:fs";
import { join } from "node:path";
import { checkWritable, readFileBytes, writeFileWhole } from "../../node/files.ts";
import { digestOf, setsFolder } from "../../node/sets.ts";
import { dataSet, dataSets } from "../../src/data/sets/registry.ts";
import { ColaError, messageOf } from "../../src/errors.ts";
import { paint } from "../paint.ts";
import type { CommandSpec } from "../parse.ts";
import { EXIT } from "../run.ts";

/** Lists the paper's data sets, or fetches one from an address the user gives; nothing is kept that has another checksum. */
export const datasetsCommand: CommandSpec = {
  name: "datasets",
  summary: "the paper's data sets: what they are, where they are published, whether they are here",
  arguments: "[action] [name]",
  options: ["dataDir", "from", "json"],
  examples: [
    "cola datasets --data-dir data",
    "cola datasets get german --from https://example.org/german_credit.csv --data-dir data",
  ],
  async run(given, action, name) {
    const folder = setsFolder(given.dataDir);
    if (action === "get") return get(folder, name ?? "", given.from);
    if (action !== undefined) {
      throw new ColaError(
        "OPTION_INVALID",
        `datasets: ${action} is not an action; write "cola datasets" or "cola datasets get NAME --from URL".`,
      );
    }
    const list = Object.values(dataSets).map(({ info }) => ({
      ...info,
      here: stateOf(join(folder, info.file), info.sha256),
    }));
    if (given.json) process.stdout.write(`${JSON.stringify(list)}\n`);
    else {
      for (const info of list) {
        process.stdout.write(
          `${paint.bold(info.name)}  ${info.title}, ${info.rows} rows (${info.file}): ${info.here}\n  ${info.published}\n  ${paint.dim(info.terms)}\n`,
        );
      }
    }
    return EXIT.ok;
  },
};

function stateOf(path: string, sha256: string): string {
  if (!existsSync(path)) return "not here";
  return digestOf(readFileBytes(path)) === sha256
    ? "here, checksum right"
    : "here, but with another checksum";
}

async function get(folder: string, name: string, from: string | undefined): Promise<number> {
  const { info } = dataSet(name);
  if (!from || !/^https?:\/\//.test(from)) {
    throw new ColaError(
      "OPTION_INVALID",
      `datasets get: give --from with the http(s) address to fetch ${info.file} from.`,
    );
  }
  checkWritable(folder);
  const bytes = await download(from, info.bytes);
  if (digestOf(bytes) !== info.sha256) {
    throw new ColaError(
      "TABLE_INVALID",
      `datasets get: what ${from} sent is not ${info.file} (SHA-256 ${digestOf(bytes)} instead of ${info.sha256}); nothing was kept.`,
    );
  }
  const path = join(folder, info.file);
  writeFileWhole(path, bytes);
  process.stdout.write(`${info.title}: ${path}, checksum right.\n`);
  return EXIT.ok;
}

/** The body of an address, no longer than the file should be. */
async function download(from: string, bytes: number): Promise<Uint8Array> {
  try {
    const response = await fetch(from, { signal: AbortSignal.timeout(120_000) });
    if (!response.ok || !response.body) throw new Error(`the server answered ${response.status}`);
    const parts: Uint8Array[] = [];
    let size = 0;
    for await (const part of response.body) {
      size += part.length;
      if (size > bytes) throw new Error(`the file is longer than ${bytes} bytes`);
      parts.push(part);
    }
    return Buffer.concat(parts);
  } catch (error) {
    throw new ColaError(
      "FILE_UNREADABLE",
      `datasets get: ${from} cannot be fetched: ${messageOf(error)}`,
      { from },
      error,
    );
  }
}
