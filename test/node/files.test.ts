import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readFileBytes, writeFileWhole } from "../../node/files.ts";

const folder = mkdtempSync(join(tmpdir(), "cola-"));
afterAll(() => rmSync(folder, { recursive: true }));
const code = (c: string) => expect.objectContaining({ code: c });

test("a file is written whole, replaces what was there and leaves nothing beside it", () => {
  const path = join(folder, "new", "a.txt");
  writeFileWhole(path, "one");
  writeFileWhole(path, new TextEncoder().encode("two"));
  expect(readFileSync(path, "utf8")).toBe("two");
  expect(readdirSync(join(folder, "new"))).toEqual(["a.txt"]);
});

test("a write that fails leaves the old file and no part of the new one", () => {
  const taken = join(folder, "taken");
  writeFileSync(taken, "file");
  expect(() => writeFileWhole(join(taken, "x"), "no")).toThrow(code("FILE_UNWRITABLE"));
  expect(readdirSync(folder).filter((f) => f.endsWith(".part"))).toEqual([]);
});

test("folders, devices, absent and large files are refused before they are read", () => {
  expect(() => readFileBytes(folder)).toThrow(code("FILE_UNREADABLE"));
  expect(() => readFileBytes("/dev/zero")).toThrow(code("FILE_UNREADABLE"));
  expect(() => readFileBytes(join(folder, "absent"))).toThrow(code("FILE_UNREADABLE"));
  writeFileSync(join(folder, "big"), "12345");
  expect(() => readFileBytes(join(folder, "big"), 4)).toThrow(code("SIZE_LIMIT"));
  expect(readFileBytes(join(folder, "big"), 5).length).toBe(5);
});
