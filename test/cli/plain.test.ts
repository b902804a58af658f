import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { parquetWriteBuffer } from "hyparquet-writer";
import { afterEach, expect, test, vi } from "vitest";
import { readTable, writeTable } from "../../formats/index.ts";
import { loans } from "../../src/data/loans.ts";
import type { Table } from "../../src/types.ts";
import { COMMAND } from "../support/command.ts";
import { expectSameFiles, temporaryFolder } from "../support/folder.ts";

afterEach(() => void vi.unstubAllGlobals());

const folder = temporaryFolder();
const at = (name: string): string => join(folder, name);

/** Takes WebAssembly from a process and from those it starts: newer versions of Node have no option for it. */
const WITHOUT = { NODE_OPTIONS: "--import=data:text/javascript,delete%20globalThis.WebAssembly" };

test("a machine without WebAssembly gives the same bytes, on threads too, from a Parquet table", () => {
  const { table, labels } = loans({ rows: 200 });
  const outcome = Array.from(labels, (label) => (label ? "yes" : "no"));
  const known = { ...table, names: [...table.names, "granted"], columns: [...table.columns, outcome] };
  writeFileSync(at("loans.parquet"), writeTable(known, "parquet"));
  for (const [name, ...options] of [
    ["forest", "--label", "granted", "--model", "forest", "--values", "reference", "--workers", "2"],
    ["transport", "--label", "granted", "--model", "xgboost", "--effect", "0.5"],
  ] as const) {
    const words = ["explain", "--data", at("loans.parquet"), "--rows", "12", "--formats", "csv", ...options];
    const run = (env: Readonly<Record<string, string>>, out: string) =>
      spawnSync(process.execPath, [...COMMAND, ...words, "--shard-rows", "3", "--out", at(out)], {
        encoding: "utf8",
        env: { ...process.env, ...env },
      });
    const [usual, plain] = [run({}, name), run(WITHOUT, `${name}-plain`)];
    expect(usual.stderr, usual.stderr).not.toMatch(/cola:/);
    expect(plain.status, plain.stderr).toBe(usual.status);
    expectSameFiles(at(name), at(`${name}-plain`));
  }
}, 240_000);

test("Parquet pages of another codec are read with WebAssembly, and refused with what to do without", async () => {
  const data = Array.from({ length: 2000 }, (_, i) => (i * 7) % 1999);
  const written = parquetWriteBuffer({
    columnData: [{ name: "a", data, type: "DOUBLE" }],
    codec: "GZIP",
    compressors: { GZIP: (bytes: Uint8Array) => gzipSync(bytes) },
  });
  const read = (): Promise<Table> => readTable("gzip.parquet", new Uint8Array(written));
  if (typeof WebAssembly !== "undefined") expect((await read()).columns).toEqual([data]);
  vi.stubGlobal("WebAssembly", undefined);
  await expect(read()).rejects.toThrow(
    "gzip.parquet: pages compressed by GZIP cannot be read here; write the file with Snappy or uncompressed.",
  );
});
