import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeTable } from "../../formats/index.ts";
import { readTableFile } from "../../node/tables.ts";
import { loans } from "../../src/data/loans.ts";
import { stream } from "../../src/num/random.ts";
import { temporaryFolder } from "../support/folder.ts";

const folder = temporaryFolder();
const { table } = loans({ rows: 30 });
const file = (name: string, bytes: Uint8Array): string => {
  writeFileSync(join(folder, name), bytes);
  return join(folder, name);
};

test.each(["arrow", "parquet", "csv"] as const)("%s files are read", async (format) => {
  const read = await readTableFile(file(`t.${format}`, writeTable(table, format)));
  expect(read.rows).toBe(30);
  expect(read.names).toEqual(table.names);
});

test("a damaged Arrow file ends in an error within its deadline, whatever the byte", async () => {
  const whole = writeTable(table, "arrow");
  const random = stream(1, "damage");
  const runs = process.env["COLA_SOAK"] ? 500 : 6;
  // The first makes the reader loop for ever: a length inside the schema.
  const places = [36, ...Array.from({ length: runs }, () => random.int(whole.length))];
  for (const [t, place] of places.entries()) {
    const bytes = whole.slice();
    bytes[place] = t === 0 ? 227 : random.int(256);
    const answer = await readTableFile(file(`d${t}.arrow`, bytes), { timeoutMs: 4000 }).catch(
      (error: unknown) => error,
    );
    if (answer instanceof Error) expect(answer).toMatchObject({ name: "ColaError" });
    else expect((answer as typeof table).rows).toBe(30);
    if (t === 0) expect(answer).toMatchObject({ code: "TABLE_INVALID" });
  }
});
