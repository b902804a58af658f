import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect } from "vitest";

/** A folder of its own for a file of tests, which goes when they are done. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "cola-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Two folders hold the same files, byte for byte. */
export function expectSameFiles(one: string, other: string): void {
  const files = readdirSync(one).sort();
  expect(readdirSync(other).sort()).toEqual(files);
  for (const file of files)
    expect(readFileSync(join(other, file)).equals(readFileSync(join(one, file))), file).toBe(true);
}
