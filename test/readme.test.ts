import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as cola from "../src/index.ts";

test("the example in README.md runs and prints plans", async () => {
  const text = readFileSync("README.md", "utf8");
  const block = text.match(/<!-- executed by test\/readme.test.ts -->\n```ts\n([\s\S]*?)```/)![1]!;
  const body = block.replace(/^import .*$/m, "const { explain, fromRows } = cola;");
  const printed: unknown[][] = [];
  const AsyncFunction = (async () => {}).constructor as new (
    ...args: string[]
  ) => (c: typeof cola, out: { log(...args: unknown[]): void }) => Promise<void>;
  await new AsyncFunction("cola", "console", body)(cola, { log: (...args) => printed.push(args) });
  expect(printed.length).toBe(2);
  for (const [, edits, before, after] of printed as [number, string[], number, number][]) {
    expect(edits.length).toBeGreaterThan(0);
    expect(before).toBeLessThan(0.5);
    expect(after).toBeGreaterThan(0.5);
  }
});

test("the version is that of package.json", () => {
  expect(cola.VERSION).toBe(
    (JSON.parse(readFileSync("package.json", "utf8")) as { version: string }).version,
  );
});
