import { type ReadTableOptions, readTable } from "../formats/index.ts";
import { isColaError, messageOf } from "../src/errors.ts";
import { givenData, guardChild } from "./guard.ts";
import type { TablePart } from "./tables.ts";

/** Reads one table in a process of its own, so that a damaged file can be given up on. */
guardChild();
const { name, options } = givenData<{ name: string; options: ReadTableOptions }>();

/** One message may hold 2 GiB at the most, a table more: it goes column by column. */
const send = (part: TablePart): Promise<void> => new Promise((done) => process.send!(part, () => done()));

async function standardInput(): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const part of process.stdin) parts.push(part as Uint8Array);
  return Buffer.concat(parts);
}

try {
  const { names, columns, rows } = await readTable(name, await standardInput(), options);
  for (const column of columns) await send({ column });
  await send({ names, rows });
} catch (error) {
  const { code, details } = isColaError(error) ? error : { code: "TABLE_INVALID" as const, details: {} };
  await send({ code, message: messageOf(error), details });
}
process.disconnect();
