import { execFileSync, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import {
  checkWritable,
  checkWritableFile,
  readFileBytes,
  readFileHead,
  writeFilesWhole,
  writeFileWhole,
} from "../../node/files.ts";
import { temporaryFolder } from "../support/folder.ts";
import { writeOneByOne } from "../support/mutants/cli.ts";

const folder = temporaryFolder();
const code = (c: string) => expect.objectContaining({ code: c });

test("a file is written whole, replaces what was there and leaves nothing beside it", () => {
  const path = join(folder, "new", "a.txt");
  writeFileWhole(path, "one");
  writeFileWhole(path, new TextEncoder().encode("two"));
  expect(readFileSync(path, "utf8")).toBe("two");
  expect(readdirSync(join(folder, "new"))).toEqual(["a.txt"]);
});

test("no folder is waited for where none can be made", () => {
  expect(() => writeFileWhole("/proc/cola/x", "no")).toThrow(code("FILE_UNWRITABLE"));
  expect(() => checkWritable(join(folder, "not", "yet"))).not.toThrow();
  expect(readdirSync(folder)).not.toContain("not");
});

test("the head of a file is read alone", () => {
  const path = join(folder, "head");
  writeFileSync(path, "0123456789");
  expect(new TextDecoder().decode(readFileHead(path, 4))).toBe("0123");
  expect(readFileHead(path, 40).length).toBe(10);
  expect(() => readFileHead(path, 4, 9)).toThrow(code("SIZE_LIMIT"));
});

test("standard input is read no further than its limit", () => {
  const module = JSON.stringify(new URL("../../node/files.ts", import.meta.url).href);
  const program = `const { readFileBytes } = await import(${module});
    const code = (max) => { try { return readFileBytes("-", max).length; } catch (error) { return error.code; } };
    console.log(code(100), code(1e9));`;
  const words = ["--import", "tsx", "--input-type=module", "-e", program];
  const input = "x".repeat(2 ** 20);
  const said = execFileSync(process.execPath, words, { input, encoding: "utf8" }).split(/\s/);
  expect(said[0]).toBe("SIZE_LIMIT");
  expect(Number(said[1])).toBeGreaterThan(0);
});

test("a write that fails leaves the old file and no part of the new one", () => {
  const taken = join(folder, "taken");
  writeFileSync(taken, "file");
  expect(() => writeFileWhole(join(taken, "x"), "no")).toThrow(code("FILE_UNWRITABLE"));
  expect(readdirSync(folder).filter((f) => f.endsWith(".part"))).toEqual([]);
});

/** Files that belong together are all the old ones where one of them cannot be written. */
function replacesTogether(write: typeof writeFilesWhole): void {
  const own = mkdtempSync(join(folder, "set-"));
  const at = (name: string): string => join(own, name);
  writeFilesWhole([
    [at("a"), "old"],
    [at("b"), "old"],
  ]);
  mkdirSync(at("c"));
  const files = ["a", "b", "c"].map((name) => [at(name), "new"] as const);
  expect(() => write(files)).toThrow(code("FILE_UNWRITABLE"));
  expect(["a", "b"].map((name) => readFileSync(at(name), "utf8"))).toEqual(["old", "old"]);
  expect(readdirSync(own).sort()).toEqual(["a", "b", "c"]);
  write(files.slice(0, 2));
  expect(["a", "b"].map((name) => readFileSync(at(name), "utf8"))).toEqual(["new", "new"]);
}

test("files that belong together are replaced together or not at all", () => {
  replacesTogether(writeFilesWhole);
  expect(() => replacesTogether(writeOneByOne)).toThrow();
});

test("a place is writable when a file can be made there, and nothing of it stays", () => {
  writeFileSync(join(folder, "plain"), "");
  symlinkSync(join(folder, "gone"), join(folder, "dangling"));
  for (const name of ["plain", "plain/below", "dangling", "dangling/below"])
    expect(() => checkWritable(join(folder, name)), name).toThrow(code("FILE_UNWRITABLE"));
  expect(() => checkWritable("/proc")).toThrow(code("FILE_UNWRITABLE"));
  expect(() => checkWritableFile("/proc/x")).toThrow(code("FILE_UNWRITABLE"));
  expect(() => checkWritableFile(folder)).toThrow(code("FILE_UNWRITABLE"));
  const before = readdirSync(folder);
  for (const name of ["plain", "fresh"]) checkWritableFile(join(folder, name));
  checkWritable(folder);
  checkWritableFile("-");
  expect(readdirSync(folder)).toEqual(before);
});

test("a writer killed at any moment leaves the old file or the new one, whole", async () => {
  const path = join(folder, "killed", "big.txt");
  const size = 4 * 2 ** 20;
  const module = JSON.stringify(new URL("../../node/files.ts", import.meta.url).href);
  const program = `const { writeFileWhole } = await import(${module});
    for (;;) for (const letter of ["a", "b"]) writeFileWhole(${JSON.stringify(path)}, letter.repeat(${size}));`;
  for (const ms of [0, 3, 11, 29]) {
    const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", program]);
    while (!existsSync(path) && child.exitCode === null) await sleep(2);
    await sleep(ms);
    const ended = new Promise((done) => child.once("exit", done));
    child.kill("SIGKILL");
    await ended;
    expect(["a", "b"].map((letter) => letter.repeat(size))).toContain(readFileSync(path, "utf8"));
    rmSync(path);
  }
});

test("folders, devices, absent and large files are refused before they are read", () => {
  expect(() => readFileBytes(folder)).toThrow(code("FILE_UNREADABLE"));
  expect(() => readFileBytes("/dev/zero")).toThrow(code("FILE_UNREADABLE"));
  expect(() => readFileBytes(join(folder, "absent"))).toThrow(code("FILE_UNREADABLE"));
  writeFileSync(join(folder, "big"), "12345");
  expect(() => readFileBytes(join(folder, "big"), 4)).toThrow(code("SIZE_LIMIT"));
  expect(readFileBytes(join(folder, "big"), 5).length).toBe(5);
});
